// To JSON and back, to a sentence, to a table.
#include "reports/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/columns.hpp"
#include "reports/fixed_width.hpp"
#include "reports/json.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

json to_json(const detection_rate& item) {
    return {{"slowdown_pct", item.slowdown_pct},       {"measured", item.measured},
            {"measured_slower", item.measured_slower}, {"low", number_or_null(item.low)},
            {"high", number_or_null(item.high)},       {"replayed", item.replayed},
            {"replayed_slower", item.replayed_slower}, {"faster", item.faster}};
}

detection_rate read_rate(const node& from) {
    detection_rate item;
    item.slowdown_pct = from.at("slowdown_pct").number();
    item.measured = from.at("measured").natural();
    item.measured_slower = from.at("measured_slower").natural();
    item.low = from.at("low").maybe(&node::number);
    item.high = from.at("high").maybe(&node::number);
    item.replayed = from.at("replayed").natural();
    item.replayed_slower = from.at("replayed_slower").natural();
    item.faster = from.at("faster").natural();
    return item;
}

std::string of(std::uint64_t some, std::uint64_t all) {
    return all == 0 ? "-" : fmt::format("{} of {}", some, all);
}

std::vector<std::string> row_of(const detection_rate& item) {
    const auto bounds =
        item.low && item.high ? fmt::format("{:.0f} to {:.0f} %", 100 * *item.low, 100 * *item.high) : "-";
    return {item.slowdown_pct > 0 ? fmt::format("{:g} % slower", item.slowdown_pct) : "itself",
            of(item.measured_slower, item.measured), bounds, of(item.replayed_slower, item.replayed),
            of(item.faster, item.measured + item.replayed)};
}

}  // namespace

json to_json(const calibration& found) {
    auto slowdowns = json::array();
    for (const auto& item : found.slowdowns) slowdowns.push_back(to_json(item));
    return {{"date", found.date},
            {"complete", found.complete},
            {"contender", found.contender},
            {"workloads", found.workloads},
            {"threshold_pct", found.threshold_pct},
            {"aa",
             {{"blocks", found.aa_blocks},
              {"tries", found.aa_tries},
              {"different", found.aa_different},
              {"at_most_pct", found.aa_at_most_pct}}},
            {"blocks", found.blocks},
            {"try_s", found.try_s},
            {"slowdowns", std::move(slowdowns)}};
}

calibration read_calibration(const node& from) {
    calibration found;
    found.date = from.at("date").text();
    found.complete = from.at("complete").flag();
    found.contender = from.at("contender").text();
    found.workloads = from.at("workloads").each([](const node& name) { return name.text(); });
    found.threshold_pct = from.at("threshold_pct").number();
    const auto aa = from.at("aa");
    found.aa_blocks = aa.at("blocks").natural();
    found.aa_tries = aa.at("tries").natural();
    found.aa_different = aa.at("different").natural();
    found.aa_at_most_pct = aa.at("at_most_pct").number();
    found.blocks = from.at("blocks").natural();
    found.try_s = from.at("try_s").number();
    found.slowdowns = from.at("slowdowns").each(read_rate);
    return found;
}

std::string calibration_text(const calibration& found) {
    std::vector<std::string> parts;
    for (const auto& item : found.slowdowns)
        if (item.slowdown_pct > 0)
            parts.push_back(
                fmt::format("{:g} % in {}", item.slowdown_pct,
                            of(item.measured_slower + item.replayed_slower, item.measured + item.replayed)));
    return printable(fmt::format(
        "On this machine {} of {} A/A comparisons were called different (at most {:.1f} %), and a slowdown "
        "of {} tries of {} blocks ({}, calibrated {}).",
        found.aa_different, found.aa_tries, found.aa_at_most_pct, fmt::join(parts, ", "), found.blocks,
        fmt::join(found.workloads, ", "), found.date.substr(0, found.date.find('T'))));
}

std::string calibration_table(const calibration& found) {
    auto out = fmt::format(
        "{} on {}\n\nA/A: {} of {} comparisons of {} blocks were called different; with 95 % confidence at "
        "most {:.2f} % are.\n\nTries of {} blocks ({:.0f} s with an A/A of their own) against itself slowed "
        "down:\n\n",
        printable(found.contender), printable(fmt::format("{}", fmt::join(found.workloads, ", "))),
        found.aa_different, found.aa_tries, found.aa_blocks, found.aa_at_most_pct, found.blocks, found.try_s);
    std::vector<std::vector<std::string>> rows{
        {"against", "called slower", "95 % bounds", "replayed: slower", "called faster"}};
    std::ranges::transform(found.slowdowns, std::back_inserter(rows), row_of);
    return out + aligned(rows, 1) +
           fmt::format(
               "\nA difference is one of more than {:g} %. A replayed try draws its blocks from all that "
               "were measured.\n",
               found.threshold_pct);
}

}  // namespace loopbench::reports
