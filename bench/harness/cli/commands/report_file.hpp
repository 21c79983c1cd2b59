// All commands use these functions, so that all accept reports and journals and print the same errors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if the file does not exist or cannot be read.
std::string read_report_text(const std::string& file);

/// Also accepts the output of a Google Benchmark program, which becomes a report with one contender. Throws
/// usage_error if the file cannot be read, and reports::format_error if it contains neither.
reports::report read_report_file(const std::string& file);

/// Adds --output, which sets `file`. An empty `file` means standard output.
void add_output_file(CLI::App& command, std::string& file);

/// An empty `file` means standard output. Throws reports::file_error if writing fails.
void write_output(const std::string& file, std::string_view text);

}  // namespace loopbench::bench
