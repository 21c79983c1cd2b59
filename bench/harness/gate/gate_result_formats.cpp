#include "bench/harness/gate/gate_result_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/harness/gate/comparison_table.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/machine/environment.hpp"
#include "reports/base/file_formats.hpp"
#include "reports/model/json.hpp"
#include "reports/render/causes.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/formats/github.hpp"
#include "reports/render/formats/junit.hpp"
#include "reports/render/formats/markdown.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

std::string_view outcome_name(std::span<const gate_result> results) {
    return reports::name_of(outcome_of(results));
}

std::string title_of(const gate_result& found) {
    if (found.workload.empty()) return fmt::format("{} of all workloads", found.metric);
    return fmt::format("{} of {} on {}", found.metric, found.contender, found.workload);
}

std::string counts_of(std::span<const gate_result> results) {
    const auto holding = std::ranges::count(results, gate_result_kind::holds, &gate_result::kind);
    const auto looser = std::ranges::count(results, gate_result_kind::looser, &gate_result::kind);
    const auto better = looser > 0 ? fmt::format(", {} better", looser) : "";
    return fmt::format("{} of {} results hold{}", holding, results.size(), better);
}

std::string_view junit_element(gate_result_kind kind) {
    switch (kind) {
        case gate_result_kind::holds:
        case gate_result_kind::looser:
            return {};
        case gate_result_kind::regression:
            return "failure";
        case gate_result_kind::failed:
            return "error";
        case gate_result_kind::unclear:
        case gate_result_kind::suspect:
        case gate_result_kind::unreliable:
            return "skipped";
    }
    return "error";
}

std::string lines_of(std::span<const gate_result> results, std::string_view looser) {
    std::string text;
    for (const auto* const found : most_severe_first(results))
        text += fmt::format("{:<10} {}: {}\n",
                            found->kind == gate_result_kind::looser ? looser : reports::name_of(found->kind),
                            reports::printable(title_of(*found)), reports::printable(found->message));
    return text;
}

/// Adds the causes of slowdowns to the messages of the gate results.
std::vector<gate_result> with_causes(std::vector<gate_result> results, const reports::report& content) {
    for (auto& found : results)
        if (found.kind == gate_result_kind::regression)
            if (const auto cause = reports::cause_of(content, found.workload, found.contender))
                found.message += "; " + *cause;
    return results;
}

/// Adds the benchmarks that only one build has; they become skipped tests.
void add_unmatched(std::vector<gate_result>& to, const reports::report& content) {
    if (!content.unmatched) return;
    for (const auto& each : *content.unmatched)
        to.push_back({each.workload,
                      each.contender,
                      "time",
                      gate_result_kind::unclear,
                      {},
                      {},
                      fmt::format("only {} has this benchmark, so it was not compared", each.contender)});
}

std::string markdown_table(std::span<const gate_result* const> results) {
    std::string text = "| result | of | message |\n|---|---|---|\n";
    for (const auto* const found : results)
        text += fmt::format("| {} | {} | {} |\n", reports::name_of(found->kind),
                            reports::escaped_markdown(title_of(*found)),
                            reports::escaped_markdown(found->message));
    return text;
}

}  // namespace

std::string write_text(std::span<const gate_result> results, std::string_view verdict) {
    const auto details = lines_of(results, reports::name_of(gate_result_kind::looser));
    const auto counts = details.empty() ? "" : counts_of(results) + "\n";
    return fmt::format("{}\n{}{}", reports::printable(verdict), details, counts);
}

std::string write_details_of_comparison(std::span<const gate_result> results) {
    return lines_of(results, "better");
}

std::string write_json(std::span<const gate_result> results, std::string_view verdict) {
    auto list = json::array();
    for (const auto& found : results)
        list.push_back({{"workload", found.workload},
                        {"contender", found.contender},
                        {"metric", found.metric},
                        {"found", reports::name_of(found.kind)},
                        {"expected", reports::number_or_null(found.expected)},
                        {"measured", reports::number_or_null(found.measured)},
                        {"message", found.message}});
    return reports::dump({{"schema", reports::check_format.schema},
                          {"version", loopbench_version()},
                          {"outcome", outcome_name(results)},
                          {"verdict", verdict},
                          {"findings", std::move(list)}},
                         1) +
           "\n";
}

std::string write_markdown(std::span<const gate_result> results, std::string_view verdict) {
    constexpr std::size_t rows_shown = 10;
    const auto all = most_severe_first(results);
    const auto shown = std::min(all.size(), rows_shown);
    auto text = fmt::format("**{}**\n\n", reports::escaped_markdown(verdict));
    if (!all.empty()) text += markdown_table(std::span{all}.first(shown)) + "\n";
    text += counts_of(results) + "\n";
    if (shown == all.size()) return text;
    return text + "\n" +
           reports::folded_markdown(fmt::format("{} more results", all.size() - shown),
                                    markdown_table(std::span{all}.subspan(shown)));
}

std::string write_junit(std::span<const gate_result> results, std::string_view verdict) {
    std::vector<reports::junit_case> cases;
    for (const auto& found : results)
        cases.push_back({found.workload.empty() ? "all" : found.workload,
                         found.contender.empty() ? found.metric : found.contender + " " + found.metric,
                         junit_element(found.kind),
                         found.kind == gate_result_kind::holds ? std::string{} : found.message});
    return reports::junit_suite("", cases, verdict);
}

std::string write_github(std::span<const gate_result> results, std::string_view verdict) {
    std::vector<reports::annotation> all;
    for (const auto* const found : most_severe_first(results)) {
        const bool fails =
            found->kind == gate_result_kind::regression || found->kind == gate_result_kind::failed;
        all.push_back({fails ? "error" : "warning", title_of(*found), found->message});
    }
    return reports::github_command("notice", "loopbench", verdict) + reports::github_annotations(all);
}

std::string write_report(const reports::format& chosen, const reports::report& content) {
    if (chosen.name == "markdown" && compares_two_builds(content))
        return reports::write_markdown(content, comparison_rows(content));
    if (!content.gate || (chosen.name != "junit" && chosen.name != "github")) return chosen.write(content);
    auto found = with_causes(judge_gate(content, content.gate->tolerated_pct), content);
    if (chosen.name == "junit") add_unmatched(found, content);
    return std::ranges::find(gate_result_formats, chosen.name, &gate_result_format::name)
        ->write(found, content.gate->verdict);
}

}  // namespace loopbench::bench
