#include "bench/harness/gate/comparison_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"
#include "reports/render/terminal/text_table.hpp"

namespace loopbench::bench {

namespace {

using reports::result;
using reports::verdict;

constexpr std::size_t longest_name = 40, line_width = 100;

std::string value_text(const result* of) {
    if (of == nullptr || !of->median) return "-";
    return (of->unit == "ns" ? reports::human_time(*of->median)
                             : fmt::format("{} {}", reports::three_digits(*of->median), of->unit)) +
           reports::max_of_text(*of);
}

/// Returns for example "3.3 % faster to 5.8 % slower" for a ratio's interval; a ratio above 1 is faster.
std::string range_text(const result& item) {
    const auto &low = item.to_baseline->low, &high = item.to_baseline->high;
    const bool is_time = item.metric == "time";
    const auto side = [&](double ratio) {
        const bool is_better = ratio > 1;
        const auto* const word =
            is_time ? (is_better ? "faster" : "slower") : (is_better ? "better" : "worse");
        return fmt::format("{} {}", reports::pct_or_factor(100 * (is_better ? ratio - 1 : 1 / ratio - 1)),
                           word);
    };
    return low && high ? fmt::format("{} to {}", side(*high), side(*low)) : "too few blocks";
}

std::string ruled_out_text(const result& item) {
    if (item.judged == verdict::equivalent) return "equal";
    const auto& low = item.to_baseline->low;
    if (!low || *low >= 1) return "not slower";
    return fmt::format("at most {} {}", reports::pct_or_factor(100 * (1 / *low - 1)),
                       item.metric == "time" ? "slower" : "worse");
}

std::string finding_text(const gate_result& found, const result* item) {
    const bool has_ratio = item != nullptr && item->to_baseline && item->judged;
    if (!has_ratio || found.kind == gate_result_kind::regression || found.kind == gate_result_kind::looser)
        return found.brief.empty() ? found.message : found.brief;
    if (found.kind == gate_result_kind::unclear) return "undecided: " + range_text(*item);
    return ruled_out_text(*item);
}

std::vector<const gate_result*> in_order(std::span<const gate_result> results) {
    auto all = most_severe_first(results);
    for (const auto& found : results)
        if (found.kind == gate_result_kind::holds) all.push_back(&found);
    std::erase_if(all, [](const gate_result* found) { return found->workload.empty(); });
    return all;
}

struct table {
    bool has_metrics = false, has_layouts = false;
    std::vector<std::vector<std::string>> rows = {};

    void add(std::string workload, std::string metric, std::string base, std::string next, std::string layout,
             std::string text) {
        std::vector<std::string> row{std::move(workload)};
        if (has_metrics) row.push_back(std::move(metric));
        row.push_back(std::move(base));
        row.push_back(std::move(next));
        if (has_layouts) row.push_back(std::move(layout));
        row.push_back(std::move(text));
        rows.push_back(std::move(row));
    }

    /// Aligns the cells; the last cell of a row is not padded.
    [[nodiscard]] std::string text() const {
        const std::size_t names = has_metrics ? 2 : 1;
        std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
        for (const auto& row : rows)
            for (std::size_t i = 0; i < row.size(); ++i)
                widths[i] = std::max(widths[i], reports::width_of(row[i]));
        std::string out;
        for (const auto& row : rows) {
            std::string one;
            for (std::size_t i = 0; i + 1 < row.size(); ++i)
                one += reports::padded(row[i], widths[i], i >= names) + "  ";
            out += reports::finished(one + row.back());
        }
        return out;
    }
};

std::string shortened(const std::string& name) {
    return reports::clipped(reports::printable(name), longest_name);
}

std::string table_text(const reports::report& report, const std::vector<const gate_result*>& findings) {
    const reports::report_index index{report};
    const auto item_of = [&](const gate_result* found) {
        return index.find(found->workload, found->contender, found->metric);
    };
    table all{.has_metrics = std::ranges::any_of(findings, [](auto* f) { return f->metric != "time"; }),
              .has_layouts = std::ranges::any_of(findings, [&](auto* found) {
                  const auto* const item = item_of(found);
                  return item != nullptr && item->layout_pct;
              })};
    const auto next = shortened(findings.front()->contender);
    all.add("benchmark", "metric", shortened(report.baseline), next, "layouts", next + " is");
    for (const auto* const found : findings) {
        const auto* const item = item_of(found);
        const auto layout =
            item != nullptr && item->layout_pct ? fmt::format("{:.1f} %", *item->layout_pct) : "";
        all.add(reports::printable(found->workload), found->metric,
                value_text(index.baseline(found->workload, found->metric)), value_text(item), layout,
                reports::printable(finding_text(*found, item)));
    }
    return all.text();
}

bool any_of_kind(std::span<const gate_result> results, gate_result_kind kind) {
    return std::ranges::find(results, kind, &gate_result::kind) != results.end();
}

std::string remarks(const reports::report& report, std::span<const gate_result> results) {
    auto text = fmt::format("Values are medians of {} blocks; ranges of differences are 95 % intervals.",
                            report.plan ? report.plan->blocks : 0);
    const auto has_layouts = [](const result& item) { return item.layout_pct.has_value(); };
    if (std::ranges::any_of(report.results, has_layouts))
        text +=
            " Layouts: the standard deviation of the time between link orders of the same code. The "
            "intervals include it.";
    if (std::ranges::any_of(report.results, [](const result& item) {
            return item.made != reports::pairing::sequential && item.metric == "time";
        }))
        text += " Both builds took turns on one core, so times are CPU time.";
    if (any_of_kind(results, gate_result_kind::unclear))
        text += fmt::format(" To decide more, {}{}.", for_narrower_intervals,
                            std::ranges::any_of(report.results, has_layouts)
                                ? "; if layouts differ by some per cent, link more layouts, too"
                                : "");
    std::string out;
    for (const auto& line : reports::wrapped(text, line_width)) out += line + "\n";
    return out;
}

}  // namespace

bool compares_two_builds(const reports::report& report) {
    return report.gate && report.complete && report.contenders.size() == 2;
}

std::string write_comparison(const reports::report& report) {
    const auto results = judge_gate(report, report.gate->tolerated_pct);
    auto out = reports::printable(report.gate->verdict) + "\n\n" + reports::programs_text(report);
    const auto findings = in_order(results);
    if (!findings.empty()) out += table_text(report, findings) + "\n";
    return out + remarks(report, results);
}

}  // namespace loopbench::bench
