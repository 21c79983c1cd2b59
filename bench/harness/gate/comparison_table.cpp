#include "bench/harness/gate/comparison_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/causes.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"
#include "reports/render/terminal/text_table.hpp"

namespace loopbench::bench {

namespace {

using reports::result;
using reports::verdict;

constexpr std::size_t longest_name = 40, line_width = 100;

std::string human_bytes(double value) {
    constexpr std::array units{std::pair{1e9, "GB"}, std::pair{1e6, "MB"}, std::pair{1e3, "kB"}};
    for (const auto& [size, name] : units)
        if (value >= size) return fmt::format("{} {}", reports::three_digits(value / size), name);
    return fmt::format("{} B", reports::three_digits(value));
}

std::string value_text(const result* of) {
    if (of == nullptr || !of->median) return "-";
    const auto number = of->unit == "ns" ? reports::human_time(*of->median)
                        : of->unit == "B"
                            ? human_bytes(*of->median)
                            : fmt::format("{} {}", reports::three_digits(*of->median), of->unit);
    return number + reports::max_of_text(*of);
}

/// Returns for example "3.3 % faster" or "2.4 times as slow". A ratio above 1 is faster.
std::string side_text(double ratio, bool is_time) {
    constexpr double twice = 2;
    const bool is_better = ratio > 1;
    const double factor = is_better ? ratio : 1 / ratio;
    if (factor >= twice)
        return fmt::format("{} times as {}", times_text(factor),
                           is_time ? (is_better ? "fast" : "slow") : (is_better ? "good" : "bad"));
    return fmt::format("{} {}", reports::pct_or_factor(100 * (factor - 1)),
                       is_time ? (is_better ? "faster" : "slower") : (is_better ? "better" : "worse"));
}

/// Returns for example "3.3 % faster to 5.8 % slower" for the interval of a ratio.
std::string range_text(const result& item) {
    const auto &low = item.to_baseline->low, &high = item.to_baseline->high;
    const bool is_time = item.metric == "time";
    if (!low || !high) return "too few blocks";
    return side_text(*high, is_time) + " to " + side_text(*low, is_time);
}

std::string ruled_out_text(const result& item, double threshold_pct) {
    if (item.judged == verdict::equivalent) return fmt::format("equal within {:g} %", threshold_pct);
    const auto& low = item.to_baseline->low;
    const bool is_time = item.metric == "time";
    if (!low || *low >= 1) return is_time ? "not slower" : "not worse";
    return "at most " + side_text(*low, is_time);
}

/// Returns the last cell of a row. An unreliable session has no verdicts, only measured ranges.
std::string finding_text(const gate_result& found, const result* item, const reports::report& report) {
    const bool has_ratio = item != nullptr && item->to_baseline && item->judged;
    if (!has_ratio) {
        auto text = found.brief.empty() ? found.message : found.brief;
        if (found.kind == gate_result_kind::failed) text = "failed: " + found.message;  // not shortened
        return found.contender == report.baseline ? fmt::format("{}: {}", report.baseline, text) : text;
    }
    if (is_unreliable(report)) return "no verdict: " + range_text(*item);
    if (found.kind == gate_result_kind::regression || found.kind == gate_result_kind::looser)
        return found.brief;
    if (found.kind == gate_result_kind::unclear) return "undecided: " + range_text(*item);
    return ruled_out_text(*item, report.judged_by.threshold_pct);
}

/// Returns the gate results about benchmarks, the most severe first. In an unreliable session, these are all
/// compared results. A reason that is the same for both builds is listed once.
std::vector<gate_result> findings_of(const reports::report& report, std::span<const gate_result> results) {
    std::vector<gate_result> all;
    for (const auto* const found : most_severe_first(results)) all.push_back(*found);
    for (const auto& found : results)
        if (found.kind == gate_result_kind::holds) all.push_back(found);
    std::erase_if(all, [](const gate_result& found) { return found.workload.empty(); });
    const reports::report_index index{report};
    for (const auto& item : report.results)
        if (is_unreliable(report) && item.judged && item.to_baseline && index.is_about(item))
            all.push_back(about(item, gate_result_kind::holds));
    const auto is_repeated = [&](const gate_result& found) {
        return found.contender == report.baseline && std::ranges::any_of(all, [&](const gate_result& other) {
                   return other.contender != found.contender && other.workload == found.workload &&
                          other.brief == found.brief;
               });
    };
    std::vector<gate_result> once;
    std::ranges::remove_copy_if(all, std::back_inserter(once), is_repeated);
    return once;
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

std::string new_build_of(const reports::report& report) {
    const auto& names = report.contenders;
    return names[0].name == report.baseline ? names[1].name : names[0].name;
}

table table_of(const reports::report& report, const std::vector<gate_result>& findings) {
    const reports::report_index index{report};
    const auto name = new_build_of(report), next = shortened(name);
    const auto item_of = [&](const gate_result& found) {
        return index.find(found.workload, name, found.metric);
    };
    table all{.has_metrics = std::ranges::any_of(findings, [](auto& f) { return f.metric != "time"; }),
              .has_layouts = std::ranges::any_of(findings, [&](auto& found) {
                  const auto* const item = item_of(found);
                  return item != nullptr && item->layout_pct;
              })};
    all.add("benchmark", "metric", shortened(report.baseline), next, "layouts", next + " is");
    for (const auto& found : findings) {
        const auto* const item = item_of(found);
        const auto* const base = index.baseline(found.workload, found.metric);
        const auto layout =
            item != nullptr && item->layout_pct ? fmt::format("{:.1f} %", *item->layout_pct) : "";
        const bool contradicts = item != nullptr && reports::contradicts(*item, base);
        all.add(reports::printable(found.workload), found.metric, value_text(base), value_text(item), layout,
                reports::printable(finding_text(found, item, report)) +
                    (contradicts ? std::string{reports::contradiction_mark} : ""));
    }
    return all;
}

std::size_t measured_blocks(const reports::report& report) {
    std::size_t most = 0;
    for (const auto& item : report.results)
        if (item.metric == "time")
            most = std::max<std::size_t>(
                most, static_cast<std::size_t>(std::ranges::count_if(
                          item.samples, [](const auto& sample) { return sample.has_value(); })));
    return most;
}

std::string pairing_remarks(const reports::report& report) {
    const auto has = [&](reports::pairing made) {
        return std::ranges::any_of(report.results, [&](const result& item) { return item.made == made; });
    };
    std::string text;
    if (has(reports::pairing::concurrent))
        text += " Both ran at the same time on one core, so times are CPU time.";
    if (has(reports::pairing::interleaved)) text += " Both took turns on one core.";
    return text;
}

std::string remarks(const reports::report& report, std::span<const gate_result> results,
                    const std::string& table) {
    const auto blocks = measured_blocks(report);
    const auto has_layouts =
        std::ranges::any_of(report.results, [](const result& item) { return item.layout_pct.has_value(); });
    auto text = fmt::format("Values are medians of {} blocks. Ranges are 95 % intervals", blocks);
    if (report.judged_by.comparisons > 1)
        text += fmt::format("; verdicts are corrected for {} comparisons", report.judged_by.comparisons);
    text += '.';
    if (has_layouts)
        text +=
            " Layouts: the standard deviation of the time between link orders of the same code; ranges "
            "include it.";
    text += pairing_remarks(report);
    if (table.find(reports::contradiction_mark) != std::string::npos)
        text += fmt::format(
            " {} The values point the other way. The difference is the median of the differences within "
            "blocks, and is more precise.",
            reports::contradiction_mark);
    const bool is_cut = report.plan && blocks < report.plan->blocks;
    if (std::ranges::find(results, gate_result_kind::unclear, &gate_result::kind) != results.end() && !is_cut)
        text += fmt::format(
            " To decide more, {}{}.", for_narrower_intervals,
            has_layouts ? "; if layouts differ by more than the threshold, link more of them" : "");
    std::string out;
    for (const auto& line : reports::wrapped(text, line_width)) out += line + "\n";
    return out;
}

}  // namespace

bool compares_two_builds(const reports::report& report) {
    return report.gate && report.complete && report.contenders.size() == 2;
}

std::vector<std::vector<std::string>> comparison_rows(const reports::report& report) {
    const auto findings = findings_of(report, judge_gate(report, report.gate->tolerated_pct));
    return findings.empty() ? std::vector<std::vector<std::string>>{} : table_of(report, findings).rows;
}

std::string write_comparison(const reports::report& report) {
    const auto results = judge_gate(report, report.gate->tolerated_pct);
    auto out = reports::printable(report.gate->verdict) + "\n" + reports::write_causes(report) + "\n" +
               reports::programs_text(report);
    if (report.results.empty()) return out;
    const auto findings = findings_of(report, results);
    const auto table = findings.empty() ? "" : table_of(report, findings).text() + "\n";
    return out + table + remarks(report, results, table);
}

}  // namespace loopbench::bench
