// Reads the reports that the command line names, so that every command accepts reports and journals and
// reports the same errors. Writes the output of commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the text of the file. Throws usage_error if it does not exist or cannot be read.
std::string read_report_text(const std::string& file);

/// Returns the report in the file. Throws usage_error if the file cannot be read, and reports::format_error
/// if it contains no report.
reports::report read_report_file(const std::string& file);

/// Adds the option --output, which sets the name of a file. If the name is empty, the output goes to standard
/// output.
void add_output_file(CLI::App& command, std::string& file);

/// Writes the text to the file, or to standard output if `file` is empty. Throws reports::file_error if that
/// fails.
void write_output(const std::string& file, std::string_view text);

}  // namespace loopbench::bench
