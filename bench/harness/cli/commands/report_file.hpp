// All commands read and write reports with these functions. Therefore every command accepts both reports and
// journals, and prints the same errors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "bench/harness/history/readers/readers.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if the first bytes show that the file cannot be a report, for example because it is
/// compressed. The parser would only name a line and a column.
void refuse_other_kinds(const std::string& file, std::string_view first_bytes);

/// Throws usage_error if another program wrote the file or folder, or if the file has to be decompressed or
/// converted first. Does nothing if it does not exist, cannot be read or is a pipe; read_baseline() reports
/// these errors.
void refuse_other_than_baseline(const std::string& file);

std::string read_report_text(const std::string& file);

/// Returns the report in the text of `file`, whose format is format_of_tool(text). Throws the same errors as
/// read_report_file().
reports::report report_in(const std::string& text, const std::string& file, const tool_format* format);

/// Reads a report from a file. Throws usage_error if the file cannot be read, or if another tool than Google
/// Benchmark wrote it. Throws reports::format_error if the file is neither a report, a journal nor the output
/// of a Google Benchmark program.
reports::report read_report_file(const std::string& file);

struct report_and_source {
    reports::report report;
    report_source source;
};

/// Does the same as read_report_file(), and returns which kind of program wrote the file.
report_and_source read_report_and_source(const std::string& file);

void add_output_file(CLI::App& command, std::string& file);

/// Writes `text` to `file`, or to standard output if `file` is empty. Throws reports::file_error if writing
/// fails.
void write_output(const std::string& file, std::string_view text);

}  // namespace loopbench::bench
