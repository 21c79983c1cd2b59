// Checks of the formats of files. A file is refused if this version of loopbench cannot read its format.
#pragma once

#include <string>
#include <string_view>

#include "reports/base/file_formats.hpp"
#include "reports/base/json_node.hpp"

namespace loopbench::reports {

/// The error for a file whose format, or whose format's number, is not the one that this version reads.
/// what() is a complete message with the file's name and the remedy.
class other_format : public format_error {
public:
    using format_error::format_error;
};

/// Throws other_format unless `stated`, the schema in `file`, is the schema of `known`. `written_by` is the
/// version of loopbench that wrote the file, or empty if the version is unknown.
void require_format(std::string_view stated, const file_format& known, std::string_view file,
                    std::string_view written_by = {});

/// Checks the field "schema" of a document, or of the first line of a journal. Throws other_format if the
/// schema is not `known`, and format_error if the field is missing.
void require_format(const node& root, const file_format& known, std::string_view file);

}  // namespace loopbench::reports
