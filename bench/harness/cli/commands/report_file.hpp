// Reads the reports that the user names on the command line, and writes the output of commands. All commands
// use these functions, so that all commands accept reports and journals and print the same errors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the text of the file. Throws usage_error if the file does not exist or cannot be read.
std::string read_report_text(const std::string& file);

/// Returns the report in the file. The output of a Google Benchmark program becomes a report with the program
/// as its only contender. Throws usage_error if the file cannot be read, and reports::format_error if it
/// contains neither.
reports::report read_report_file(const std::string& file);

/// Adds the option --output, which sets `file`. If `file` stays empty, the output goes to standard output.
void add_output_file(CLI::App& command, std::string& file);

/// Writes the text to the file, or to standard output if `file` is empty. Throws reports::file_error if
/// writing fails.
void write_output(const std::string& file, std::string_view text);

}  // namespace loopbench::bench
