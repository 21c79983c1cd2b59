#include "bench/harness/cli/commands/report_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/json_node.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

struct other_kind {
    std::string_view first_bytes, what, remedy;
    bool is_packed = false;  // after the remedy, it can be a file of loopbench
};

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

constexpr std::string_view how_to_write_json =
    "write JSON: --benchmark_format=json, or --benchmark_out=FILE --benchmark_out_format=json";

constexpr std::array other_kinds{
    other_kind{"\xFD"
               "7zXZ",
               "is compressed with xz", "decompress it first: xz -dc FILE >FILE.json", true},
    other_kind{"\x1F\x8B", "is compressed with gzip", "decompress it first: gzip -dc FILE >FILE.json", true},
    other_kind{"\x28\xB5\x2F\xFD", "is compressed with zstd", "decompress it first: zstd -dc FILE >FILE.json",
               true},
    other_kind{"PK\x03\x04", "is a zip archive", "extract it first: unzip FILE", true},
    other_kind{byte_order_mark, "begins with a byte order mark",
               "remove it: sed -i '1s/^.//' FILE, in a UTF-8 locale", true},
    other_kind{"\xFF\xFE", "is UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE >FILE.json", true},
    other_kind{"\xFE\xFF", "is UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE >FILE.json", true},
    other_kind{{"{\0", 2}, "is UTF-16 text", "convert it: iconv -f UTF-16LE -t UTF-8 FILE >FILE.json", true},
    other_kind{{"\0{", 2}, "is UTF-16 text", "convert it: iconv -f UTF-16BE -t UTF-8 FILE >FILE.json", true},
    other_kind{"<", "is XML or HTML",
               "use a report.json, a journal.jsonl or the JSON of a known benchmark tool"},
    other_kind{
        "[", "is a JSON array",
        "use a report.json, a journal.jsonl or the JSON of a known benchmark tool, which are objects"}};

/// The description of the machine that Google Benchmark prints is shorter.
constexpr std::size_t bytes_of_a_head = 2000;

/// Recognises the CSV output of a Google Benchmark program, also after a description of the machine
/// (google/benchmark#794).
bool is_csv_output(std::string_view first_bytes) {
    constexpr std::string_view columns = "name,iterations,real_time,";
    const auto found = first_bytes.substr(0, bytes_of_a_head).find(columns);
    return found == 0 || (found != std::string_view::npos && first_bytes[found - 1] == '\n');
}

bool is_console_output(std::string_view first_bytes) {
    const auto head = first_bytes.substr(0, bytes_of_a_head);
    const auto title = head.find("\nBenchmark ");
    return title != std::string_view::npos && head.find("Iterations", title) != std::string_view::npos;
}

std::optional<other_kind> other_kind_of(std::string_view bytes) {
    if (bytes.empty())
        return other_kind{"", "is empty",
                          "write it again with `loopbench run`, or with --benchmark_out=FILE of a Google "
                          "Benchmark program"};
    if (is_console_output(bytes))
        return other_kind{"", "is the console output of a Google Benchmark program", how_to_write_json};
    if (is_csv_output(bytes))
        return other_kind{"", "is the CSV output of a Google Benchmark program", how_to_write_json};
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    const auto* const found = std::ranges::find_if(
        other_kinds, [&](const other_kind& kind) { return bytes.starts_with(kind.first_bytes); });
    return found == other_kinds.end() ? std::nullopt : std::optional{*found};
}

bool is_valid_json(std::string_view text) {
    try {
        const reports::document parsed{text};
        return true;
    } catch (const reports::format_error&) {
        return false;
    }
}

/// Throws usage_error if another program wrote the file. Otherwise the parser would advise the user to write
/// the file again with loopbench.
void refuse_unknown_program(std::string_view text, const std::string& file) {
    constexpr std::string_view expected =
        "expected a report.json or journal.jsonl of loopbench, or the JSON of a Google Benchmark program";
    const outline of{text};
    if (of.has_key("schema")) return;
    if (!text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{'))
        throw usage_error{"{} is not JSON; {}", file, expected};
    if (is_valid_json(text)) throw usage_error{"{} is the JSON of an unknown program; {}", file, expected};
    if (of.contains("\"schema\"")) return;
    if (of.contains("\"benchmarks\"") || of.contains("\"context\""))
        throw usage_error{
            "{} is incomplete, or has other text before its JSON; write it with --benchmark_out=FILE of the "
            "Google Benchmark program",
            file};
    throw usage_error{"{} is not valid JSON; {}", file, expected};
}

usage_error not_a_report(const std::string& file, const tool_format& format) {
    return usage_error{"{} is {}, not a report; {}", file, format.what, format.instead};
}

}  // namespace

void refuse_other_than_baseline(const std::string& file) {
    const auto refuse = [&](const tool_format* format) {
        if (format != nullptr)
            throw usage_error{"{} is {}, not a baseline file; {}", file, format->what, format->instead};
    };
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) refuse(format_of_tool_folder(file));
    if (!std::filesystem::is_regular_file(file, error)) return;
    std::string whole;
    try {
        whole = reports::read_file(file);
    } catch (const reports::file_error&) {
        return;
    }
    std::string_view text{whole};
    // The parser ignores a byte order mark.
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const auto kind = other_kind_of(text);
    if (!kind) return refuse(format_of_tool(text));
    if (kind->is_packed) throw usage_error{"{} {}; {}", file, kind->what, kind->remedy};
    throw usage_error{
        "{0} is not a baseline file: it {1}; move it away, and create one with `loopbench check --update "
        "--against {0}` (see its --help)",
        file, kind->what};
}

void refuse_other_kinds(const std::string& file, std::string_view first_bytes) {
    if (const auto found = other_kind_of(first_bytes))
        throw usage_error{"{} {}; {}", file, found->what, found->remedy};
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
    return read_report_and_source(file).report;
}

report_and_source read_report_and_source(const std::string& file) {
    const auto text = read_report_text(file);
    const auto* const format = format_of_tool(text);
    return {report_in(text, file, format), format == nullptr ? report_source::loopbench : format->source};
}

reports::report report_in(const std::string& text, const std::string& file, const tool_format* format) {
    if (format == nullptr) {
        refuse_unknown_program(text, file);
        return read_judged_report(text, file);
    }
    if (format->source != report_source::google_benchmark) throw not_a_report(file, *format);
    return report_of_google_benchmark(text, file, *format);
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
