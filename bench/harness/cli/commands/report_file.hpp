// Reads reports and journals that the command line names: every command accepts both, and reports the same
// errors. Writes the output of commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the text of the file. Throws usage_error if it does not exist or cannot be read.
std::string read_report_text(const std::string& file);

/// Returns the report in the file. Throws usage_error, or reports::format_error if the file contains none.
reports::report read_report_file(const std::string& file);

/// Adds --output, the name of a file; empty means standard output.
void add_output_file(CLI::App& command, std::string& file);

/// Writes the text to the file, or to standard output. Throws reports::file_error.
void write_output(const std::string& file, std::string_view text);

}  // namespace loopbench::bench
