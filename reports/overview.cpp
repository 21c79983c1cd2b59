#include "reports/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "reports/columns.hpp"
#include "reports/fixed_width.hpp"

namespace loopbench::reports {

namespace {

using text_row = std::vector<std::string>;

std::vector<const result*> times_of(const report& content) {
    std::vector<const result*> times;
    for (const auto& item : content.results)
        if (item.metric == "time") times.push_back(&item);
    return times;
}

/// The distinct names, in the order of the report.
std::vector<std::string_view> names_in(const std::vector<const result*>& times, std::string result::*name) {
    std::vector<std::string_view> names;
    for (const auto* time : times)
        if (std::ranges::find(names, time->*name) == names.end()) names.push_back(time->*name);
    return names;
}

std::string text_of(const result& time, bool is_baseline) {
    if (time.status == cell_status::failed) return "failed";
    if (time.status == cell_status::not_run) return "not run";
    if (time.status == cell_status::unsupported || !time.median) return "-";
    if (is_baseline) return human_time(*time.median);
    if (!time.to_baseline) return "-";
    const auto found = time.judged.value_or(verdict::inconclusive);
    const auto mark = found == verdict::equivalent ? "=" : found == verdict::inconclusive ? "?" : " ";
    const auto ratio = time.to_baseline->median;
    return fmt::format("{:.{}f}{}", ratio, ratio < 9.995 ? 2 : 1, mark);
}

/// "loop-round-robin" over three lines: its column is as narrow as its numbers.
std::vector<text_row> headings(const std::vector<std::string_view>& contenders) {
    std::vector<text_row> lines;
    for (std::size_t column = 0; column < contenders.size(); ++column) {
        std::string_view rest = contenders[column];
        for (std::size_t line = 0; !rest.empty(); ++line) {
            const auto part = rest.substr(0, rest.find('-'));
            rest.remove_prefix(std::min(rest.size(), part.size() + 1));
            if (line == lines.size()) lines.emplace_back(contenders.size() + 1);
            lines[line][column + 1] = printable(part);
        }
    }
    return lines;
}

}  // namespace

std::string write_overview(const report& content) {
    const auto times = times_of(content);
    auto contenders = names_in(times, &result::contender);
    const auto baseline = std::ranges::find(contenders, content.baseline);
    if (baseline == contenders.end() || contenders.size() < 2) return "";
    std::rotate(contenders.begin(), baseline, baseline + 1);

    auto rows = headings(contenders);
    for (const auto workload : names_in(times, &result::workload)) {
        text_row cells{printable(workload)};
        for (const auto contender : contenders) {
            const auto cell = std::ranges::find_if(times, [&](const result* time) {
                return time->workload == workload && time->contender == contender;
            });
            cells.push_back(cell == times.end() ? "-" : text_of(**cell, contender == content.baseline));
        }
        rows.push_back(std::move(cells));
    }
    return "overview\n" + aligned(rows, 1) +
           fmt::format(
               "\n{}: time per operation; the others: how many times as fast. = no difference of {:g} % "
               "or more, ? not enough to tell, - not possible (the tables say why).\n",
               printable(content.baseline), content.judged_by.threshold_pct);
}

}  // namespace loopbench::reports
