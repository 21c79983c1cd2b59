// A report or a journal that is named on the command line: every command takes either, and says the same of
// what is none. And where what is made of it goes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::bench {

/// The text of the file. Throws usage_error when it is not there or cannot be read.
std::string read_report_text(const std::string& file);

/// The report in the file. Throws usage_error, or reports::format_error when there is none in it.
reports::report read_report_file(const std::string& file);

/// Adds --output, a file; empty is standard output.
void add_output_file(CLI::App& command, std::string& file);

/// Throws reports::file_error.
void write_output(const std::string& file, std::string_view text);

}  // namespace loopbench::bench
