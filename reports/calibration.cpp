#include "reports/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/columns.hpp"
#include "reports/terminal/fixed_width.hpp"

namespace loopbench::reports {

namespace {

std::string of(std::uint64_t some, std::uint64_t all) {
    return all == 0 ? "-" : fmt::format("{} of {}", some, all);
}

std::string bounds_of(const detection_rate& item) {
    return item.low && item.high ? fmt::format("{:.0f} to {:.0f} %", 100 * *item.low, 100 * *item.high) : "-";
}

std::string_view made_text(reports::pairing made) {
    return made == pairing::interleaved ? "in turns" : name_of(made);
}

std::vector<std::string> row_of(const pairing_agreement& item) {
    return {printable(item.workload), std::string{name_of(item.referee)},
            fmt::format("{:+.1f} %", item.time_differs_pct), fmt::format("{:+.1f} %", item.ratio_differs_pct),
            item.agrees ? "yes" : "no: measure it sequentially (--pairing sequential)"};
}

std::vector<std::string> row_of(const detection_rate& item) {
    return {item.slowdown_pct > 0 ? fmt::format("{:g} % slower", item.slowdown_pct) : "itself",
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
        "On this machine {} of {} A/A comparisons were called different (at most {:.1f} %), and a slowdown "
        "of {} tries of {} blocks ({}, {}, calibrated {}; in brackets 95 % bounds).",
        found.aa.different, found.aa.tries, found.aa.at_most_pct, fmt::join(parts, ", "), found.blocks,
        fmt::join(found.workloads, ", "), made_text(found.made), found.date.substr(0, found.date.find('T'))));
}

std::string calibration_table(const calibration& found) {
    auto out = fmt::format(
        "{} on {}, {}\n\nA/A: {} of {} comparisons of {} blocks were called different; with 95 % confidence "
        "at most {:.2f} % are.\n\nTries of {} blocks ({:.0f} s with an A/A of their own) against itself "
        "slowed down:\n\n",
        printable(found.contender), printable(fmt::format("{}", fmt::join(found.workloads, ", "))),
        made_text(found.made), found.aa.different, found.aa.tries, found.aa.blocks, found.aa.at_most_pct,
        found.blocks, found.try_s);
    std::vector<std::vector<std::string>> rows{{"against", "called slower", "95 % bounds", "called faster"}};
    for (const auto& item : found.slowdowns) rows.push_back(row_of(item));
    out +=
        aligned(rows, 1) + fmt::format("\nA difference is one of more than {:g} %.\n", found.threshold_pct);
    if (!found.pairings) return out;
    rows = {{"interleaved", "compared with", "time", "ratio", "within 15 % and 5 %"}};
    for (const auto& item : *found.pairings) rows.push_back(row_of(item));
    return out + "\n" + aligned(rows, 1);
}

}  // namespace loopbench::reports
