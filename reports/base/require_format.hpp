// Refuses files that this version cannot read, and names the version that can.
#pragma once

#include <string>
#include <string_view>

#include "reports/base/file_formats.hpp"
#include "reports/base/json_node.hpp"

namespace loopbench::reports {

/// The error for a file that has another format, or another number of its format, than this version reads.
/// what() is a complete message with the file's name and the remedy.
class other_format : public format_error {
public:
    using format_error::format_error;
};

/// Throws other_format unless `stated`, the schema in `file`, is the schema of `known`. `written_by` is the
/// version of loopbench that wrote the file; empty if it is unknown.
void require_format(std::string_view stated, const file_format& known, std::string_view file,
                    std::string_view written_by = {});

/// Checks a document, or the first line of a document. Throws other_format, or format_error if it has no
/// schema.
void require_format(const node& root, const file_format& known, std::string_view file);

}  // namespace loopbench::reports
