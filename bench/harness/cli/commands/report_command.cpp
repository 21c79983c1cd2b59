// loopbench report: writes a report.json in another format.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/report_file.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/histograms.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/comparison_table.hpp"
#include "bench/harness/gate/gate_result_formats.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/history/entry.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/json.hpp"
#include "reports/render/formats/formats.hpp"
#include "reports/render/formats/hgrm.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/screen.hpp"

namespace loopbench::bench {

namespace {

struct report_options {
    std::string file, format_name, output;
};

constexpr std::string_view hgrm = "hgrm", html = "html", screen = "screen";

std::string histograms(const std::string& file) {
    const auto all = histograms_beside(file, read_report_file(file));
    if (all.empty())
        throw usage_error{
            "the file histograms.jsonl next to {} contains no histograms for this report, because the "
            "report's workloads record neither latency nor lateness; measure a workload that records one of "
            "them, such as --workload timer/periodic",
            file};
    return reports::write_hgrm(all);
}

std::string page(const std::string& file) {
    const auto report = read_report_file(file);
    return reports::write_html(report, has_histograms_beside(file) ? known_histograms(file, report)
                                                                   : std::vector<reports::histogram>{});
}

std::string rewritten(const reports::format& chosen, const std::string& file, reports::colours paint) {
    if (chosen.name == screen) {
        const auto content = read_report_file(file);
        return compares_two_builds(content) ? write_comparison(content)
                                            : reports::draw_whole_screen(content, paint);
    }
    if (chosen.write != reports::write_json) return write_report(chosen, read_report_file(file));
    const auto source = read_report_text(file);
    const auto* const format = format_of_tool(source);
    return is_journal(source) || format != nullptr ? reports::write_json(report_in(source, file, format))
                                                   : reports::rewrite_json(source, file);
}

int report(const report_options& options) {
    const auto paint = options.output.empty() ? colours_of_output() : reports::colours::off;
    const auto text = options.format_name == hgrm ? histograms(options.file)
                      : options.format_name == html
                          ? page(options.file)
                          : rewritten(*reports::find_format(options.format_name), options.file, paint);
    write_output(options.output, text);
    return exit_ok;
}

const std::initializer_list<example> report_examples{
    {"loopbench report loopbench-report/report.json --format text", "prints every table of a run"},
    {"loopbench report loopbench-report/report.json --format csv -o results.csv",
     "writes one line per result for a spreadsheet"}};

constexpr const char* what_formats_are_for =
    "The format screen is the summary at the end of a run, and text has every table. gbench is the JSON\n"
    "of Google Benchmark, bmf is for Bencher, hgrm for HdrHistogram, github for annotations in GitHub\n"
    "Actions. docs/formats.md describes the formats.";

}  // namespace

void add_report_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<report_options>();
    auto* command = app.add_subcommand("report", "writes a report in another format");
    command->add_option("REPORT.json", options->file, "the report.json or journal.jsonl of a run")
        ->required();
    std::vector<std::string> names;
    for (const auto& known : reports::known_formats()) names.emplace_back(known.name);
    names.emplace_back(html);
    names.emplace_back(hgrm);
    takes_one_of(command->add_option("--format", options->format_name, "the format to write"), names)
        ->required();
    add_output_file(*command, options->output);
    put_under(*command, heading::output);
    command->footer(examples_and(report_examples, what_formats_are_for));
    command->callback([options, &chosen] { chosen = [options](const auto&) { return report(*options); }; });
}

}  // namespace loopbench::bench
