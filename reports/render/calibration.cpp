#include "reports/render/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::reports {

namespace {

std::string of(std::uint64_t some, std::uint64_t all) {
    return all == 0 ? "-" : fmt::format("{} of {}", some, all);
}

std::string bounds_of(const detection_rate& item) {
    return item.low && item.high ? fmt::format("{:.0f} to {:.0f} %", 100 * *item.low, 100 * *item.high) : "-";
}

std::vector<std::string> row_of(const pairing_agreement& item) {
    return {printable(item.workload), std::string{name_of(item.referee)},
            fmt::format("{:+.1f} %", item.time_differs_pct), fmt::format("{:+.1f} %", item.ratio_differs_pct),
            item.agrees ? "yes" : "no; use --pairing sequential"};
}

std::vector<std::string> row_of(const detection_rate& item) {
    return {item.slowdown_pct > 0 ? fmt::format("{:g} % slower", item.slowdown_pct) : "A/A copy",
            of(item.measured_slower, item.measured), bounds_of(item), of(item.faster, item.measured)};
}

}  // namespace

std::string calibration_text(const calibration& found) {
    std::vector<std::string> parts;
    for (const auto& item : found.slowdowns)
        if (item.slowdown_pct > 0)
            parts.push_back(fmt::format("{:g} % in {} ({})", item.slowdown_pct,
                                        of(item.measured_slower, item.measured), bounds_of(item)));
    return printable(fmt::format(
        "On this machine, {} of {} A/A comparisons were false alarms (with 95 % confidence, the rate is at "
        "most {:.1f} %). In comparisons of {} blocks, slowdowns of a known size were detected as follows: {} "
        "({}, {}, calibrated on {}; 95 % bounds in brackets).",
        found.aa.different, found.aa.tries, found.aa.at_most_pct, found.blocks, fmt::join(parts, ", "),
        fmt::join(found.workloads, ", "), name_of(found.made), found.date.substr(0, found.date.find('T'))));
}

std::string calibration_table(const calibration& found) {
    auto out = fmt::format(
        "{} on {}, {}\n\nA/A: {} of {} comparisons of {} blocks were false alarms; with 95 % confidence, the "
        "rate is at most {:.2f} %.\n\nComparisons of {} blocks with slowed copies ({:.0f} s each, with an "
        "A/A copy):\n\n",
        printable(found.contender), printable(fmt::format("{}", fmt::join(found.workloads, ", "))),
        name_of(found.made), found.aa.different, found.aa.tries, found.aa.blocks, found.aa.at_most_pct,
        found.blocks, found.try_s);
    std::vector<std::vector<std::string>> rows{{"copy", "verdict slower", "95 % bounds", "verdict faster"}};
    for (const auto& item : found.slowdowns) rows.push_back(row_of(item));
    out +=
        aligned(rows, 1) + fmt::format("\nDifferences of up to {:g} % are ignored.\n", found.threshold_pct);
    if (!found.pairings) return out;
    rows = {{"interleaved", "compared with", "time", "ratio", "within 15 % and 5 %"}};
    for (const auto& item : *found.pairings) rows.push_back(row_of(item));
    return out + "\n" + aligned(rows, 1);
}

}  // namespace loopbench::reports
