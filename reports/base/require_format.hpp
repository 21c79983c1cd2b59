#pragma once

#include <string>
#include <string_view>

#include "reports/base/file_formats.hpp"
#include "reports/base/json_node.hpp"

namespace loopbench::reports {

/// The error for a file in a format that this version cannot read. what() contains the file's name and the
/// remedy.
class other_format : public format_error {
public:
    using format_error::format_error;
};

/// Throws other_format unless `stated`, the schema that the file states, is the schema of `known`.
/// `written_by` is the version of loopbench that wrote the file, or empty if it is unknown.
void require_format(std::string_view stated, const file_format& known, std::string_view file,
                    std::string_view written_by = {});

/// Checks the field "schema" of a document, or of the first line of a journal. Throws other_format, or
/// format_error if the field is missing.
void require_format(const node& root, const file_format& known, std::string_view file);

}  // namespace loopbench::reports
