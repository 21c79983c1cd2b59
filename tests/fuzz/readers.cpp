// The functions that the fuzzer calls. They call the readers, and also check that an accepted input can be
// written in every format and read again.
#include "readers.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/bisection/steps_file.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/baseline.hpp"
#include "bench/harness/gate/check.hpp"
#include "bench/harness/gate/compare_reports.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/history/entry.hpp"
#include "bench/harness/summary/summary.hpp"
#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/histogram_files.hpp"
#include "bench/harness/trial/listing.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/base/json_node.hpp"
#include "reports/model/json.hpp"
#include "reports/render/formats/formats.hpp"
#include "reports/render/formats/hgrm.hpp"

namespace loopbench::fuzz {

namespace {

void require(bool holds, std::string_view what) {
    if (!holds) throw std::logic_error{std::string{what}};
}

void require_readable(const std::exception& error) {
    const std::string_view text{error.what()};
    constexpr std::size_t longest = 1000;
    require(!text.empty() && text.size() <= longest, "an error message is empty or too long");
    require(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
            "an error message has control characters");
}

void write_everywhere(const reports::report& report) {
    for (const auto& format : reports::known_formats()) {
        const bool is_for_terminals = format.name == "text" || format.name == "screen";
        require(format.write(report).find('\x1b') == std::string::npos || !is_for_terminals,
                "a name contains terminal control characters");
    }
    const auto written = reports::write_json(report);
    const auto again = reports::write_json(reports::read_json(written, "it"));
    require(again == written, "a report changes when it is read and written");
}

}  // namespace

void read_report(std::string_view text) {
    reports::report report;
    try {
        report = reports::read_json(std::string{text}, "it");
    } catch (const reports::format_error& error) {
        return require_readable(error);
    }
    reports::rewrite_json(std::string{text}, "it");
    write_everywhere(report);
    // With more samples, the comparison of all pairs of samples would take too long.
    constexpr std::size_t samples_max = 200;
    if (std::ranges::any_of(report.results,
                            [](const auto& item) { return item.samples.size() > samples_max; }))
        return;
    const auto compared = bench::compare_reports(report, report, 1);
    bench::judge_gate(compared, 5);
    write_everywhere(compared);
}

void read_journal(std::string_view text) {
    bench::session_record journal;
    try {
        journal = bench::read_journal(text, "it");
    } catch (const reports::format_error& error) {
        return require_readable(error);
    }
    write_everywhere(bench::report_of(journal));
}

void read_baseline(std::string_view text) {
    bench::expectations all;
    try {
        all = bench::parse_baseline(text, "it");
    } catch (const reports::format_error& error) {
        return require_readable(error);
    }
    const auto written = bench::write_baseline(all);
    require(bench::write_baseline(bench::parse_baseline(written, "it")) == written,
            "a baseline changes when it is read and written");
    bench::check_counts(all, std::span<const bench::counted_result>{});
}

void read_benchmark_output(std::string_view text) {
    bench::child_outcome outcome;
    outcome.output = text;
    const auto judged = bench::judge(outcome, "yield", std::chrono::seconds{1});
    require(judged.status == reports::result_status::ok || !judged.reason.empty(), "a failure has no reason");
    require(judged.status != reports::result_status::ok || judged.metrics.contains("time"),
            "a result has no time");
}

void read_benchmark_list(std::string_view text) {
    for (const auto& each : bench::benchmarks_named(bench::lines_of(std::string{text}))) {
        require(!each.workload.empty() && each.number < each.alike,
                "a benchmark has no name or a wrong index");
        bench::exact_filter(each.printed);
        bench::filter_with_any_suffix(each.workload);
        bench::threads_of(each.printed);
    }
}

void read_histograms(std::string_view text) {
    std::vector<reports::histogram> all;
    simdjson::dom::parser parser;
    try {
        for (const auto each : parser.parse(text.data(), text.size()))
            all.push_back(bench::read_histogram(each));
    } catch (const simdjson::simdjson_error&) {
        return;
    } catch (const reports::format_error& error) {
        return require_readable(error);
    }
    reports::write_hgrm(all);
}

void read_tool_file(std::string_view text) {
    for (const auto& dated : {bench::date_rule{}, bench::date_rule{.date = "2026-01-02"}}) {
        std::vector<bench::entry> all;
        try {
            all = bench::read_entries(std::string{text}, "it", {}, dated);
        } catch (const reports::format_error& error) {
            require_readable(error);
        }
        for (const auto& each : all) write_everywhere(reports::read_json(each.report, "it"));
    }
}

void read_steps(std::string_view text) {
    bench::steps_record found;
    try {
        found = bench::read_steps(text, "it");
    } catch (const reports::format_error& error) {
        return require_readable(error);
    }
    const auto is_candidate = [&](const bench::step_line& step) {
        return std::ranges::find(found.request.commits, step.step, &bench::commit_info::id) !=
               found.request.commits.end();
    };
    require(std::ranges::all_of(found.steps, is_candidate), "a step is about an unknown commit");
    for (const auto& step : found.steps) bench::to_json(step);
    for (const auto& build : found.builds) bench::to_json(build);
}

void read(std::string_view input) {
    if (input.empty()) return;
    const auto* found = std::ranges::find(readers, input.front(), &reader::letter);
    if (found != readers.end()) found->read(input.substr(1));
}

}  // namespace loopbench::fuzz
