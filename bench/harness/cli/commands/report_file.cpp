#include "bench/harness/cli/commands/report_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/history/entry.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

struct other_kind {
    std::string_view first_bytes, what, remedy;
};

constexpr std::array other_kinds{
    other_kind{"\xFD"
               "7zXZ",
               "is compressed with xz", "decompress it first: xz -dc FILE >report.json"},
    other_kind{"\x1F\x8B", "is compressed with gzip", "decompress it first: gzip -dc FILE >report.json"},
    other_kind{"\x28\xB5\x2F\xFD", "is compressed with zstd",
               "decompress it first: zstd -dc FILE >report.json"},
    other_kind{"PK\x03\x04", "is a zip archive", "extract it first: unzip FILE"},
    other_kind{"\xEF\xBB\xBF", "begins with a byte order mark",
               "remove it: sed -i '1s/^.//' FILE, in a UTF-8 locale"},
    other_kind{"\xFF\xFE", "is UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE >report.json"},
    other_kind{
        "[", "is a JSON array",
        "use a report.json, a journal.jsonl or the JSON of a known benchmark tool, which are objects"}};

/// Throws usage_error if the text is obviously no report. The parser would only name a line and a column.
void refuse_other_kinds(const std::string& file, std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    for (const auto& kind : other_kinds)
        if (text.starts_with(kind.first_bytes)) throw usage_error{"{} {}; {}", file, kind.what, kind.remedy};
}

usage_error not_a_report(const std::string& file, const tool_format& format) {
    return usage_error{"{} is {}, not a report; {}", file, format.what, format.instead};
}

}  // namespace

const tool_format* format_of_tool_file(const std::string& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) return format_of_tool_folder(file);
    if (!std::filesystem::is_regular_file(file, error)) return nullptr;
    return format_of_tool(read_report_text(file));
}

std::string read_report_text(const std::string& file) {
    if (!std::filesystem::exists(file))
        throw usage_error{"{} does not exist; create a report with `loopbench run`", file};
    if (std::filesystem::is_directory(file))
        if (const auto* const format = format_of_tool_folder(file)) throw not_a_report(file, *format);
    try {
        auto text = reports::read_file_or_pipe(file, journal_bytes_max);
        refuse_other_kinds(file, text);
        return text;
    } catch (const reports::file_error& error) {
        throw usage_error{error.what()};
    }
}

reports::report read_report_file(const std::string& file) {
    return report_in(read_report_text(file), file);
}

reports::report report_in(const std::string& text, const std::string& file) {
    const auto* const format = format_of_tool(text);
    if (format == nullptr) return read_judged_report(text, file);
    if (format->source != report_source::google_benchmark) throw not_a_report(file, *format);
    // If the date has no time zone, UTC is assumed. A date that is wrong by some hours does no harm, because
    // it is only shown.
    return reports::read_json(read_entry(text, file, {}, {.date = {}, .assume_utc = true}).report, file);
}

void add_output_file(CLI::App& command, std::string& file) {
    takes_path(command.add_option("-o,--output", file, "file to write (standard output)")
                   ->type_name("FILE")
                   ->group(heading::output));
}

void write_output(const std::string& file, std::string_view text) {
    if (file.empty())
        reports::write_standard_output(text);
    else
        reports::write_file_atomically(file, text);
}

}  // namespace loopbench::bench
