#include "reports/render/leads.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace loopbench::reports {

indexed_report::indexed_report(const report& content) : report_index{content} {
    for (const auto& who : content.contenders)
        drivers[who.name] = context_text(who.context, "driver").value_or("");
}

names indexed_report::about(std::string_view metric) const {
    names all;
    std::ranges::copy_if(workloads(), std::back_inserter(all),
                         [&](std::string_view each) { return is_about(each, metric); });
    return all;
}

places indexed_report::standings(std::string_view workload, std::string_view metric) const {
    places all;
    // Without the baseline's number, the ratios might be relative to different values. Therefore they are
    // not sorted, and the list stays empty.
    if (baseline(workload, metric) == nullptr) return all;
    for (const auto* item : measured(workload, metric)) {
        if (item->contender == whole().baseline)
            all.push_back({item});
        else if (const auto& ratio = item->to_baseline; ratio && ratio->low && ratio->high)
            all.push_back({item, ratio->median, *ratio->low, *ratio->high});
    }
    std::ranges::sort(all, [](const standing& a, const standing& b) {
        return a.ratio != b.ratio ? a.ratio > b.ratio : a.item < b.item;  // equal ratios: the report's order
    });
    return all;
}

sources indexed_report::measured(std::string_view workload, std::string_view metric) const {
    sources all;
    std::ranges::copy_if(of(workload, metric), std::back_inserter(all),
                         [&](const result* item) { return item->median && !is_floor(item->contender); });
    return all;
}

bool indexed_report::has_shared_cores(std::string_view workload) const {
    return !measured(workload, "threads_per_core").empty();
}

std::size_t indexed_report::compared(std::string_view metric) const {
    const auto all = about(metric);
    return static_cast<std::size_t>(std::ranges::count_if(all, [&](std::string_view workload) {
        return measured(workload, metric).size() > 1 && !has_shared_cores(workload);
    }));
}

bool first_may_be_missing(const places& all, const sources& measured) {
    return std::ranges::any_of(measured, [&](const result* item) {
        const bool is_behind = item->from_baseline && item->judged == verdict::slower;
        return !is_behind && std::ranges::find(all, item, &standing::item) == all.end();
    });
}

lead widest_lead(const lead_table& table) {
    std::map<std::string_view, names> by_name;
    names order;
    for (const auto& [workload, group] : table)
        for (const auto& each : group) {
            if (by_name.try_emplace(each.item->contender).second) order.push_back(each.item->contender);
            by_name[each.item->contender].push_back(workload);
        }
    lead found;
    for (const auto name : order)
        if (by_name[name].size() > found.on.size()) found.on = by_name[name];
    for (const auto name : order)
        if (by_name[name] == found.on) found.who.push_back(name);
    for (const auto& [workload, group] : table)
        for (const auto& each : group)
            if (std::ranges::find(found.on, workload) != found.on.end() &&
                std::ranges::find(found.who, each.item->contender) != found.who.end())
                found.from.push_back(each.item);
    return found;
}

split_lead split(const lead& those) {
    split_lead found;
    for (const auto name : those.who) {
        const bool is_faster = std::ranges::any_of(those.from, [&](const result* item) {
            return item->contender == name && item->judged == verdict::faster;
        });
        (is_faster ? found.faster : found.level).push_back(name);
    }
    return found;
}

bool tells_something(const places& all, const places& group) {
    return all.size() > 1 && group.size() < all.size();
}

lead_table leads_by_time(const indexed_report& in) {
    lead_table table;
    for (const auto workload : in.about("time")) {
        const auto all = in.standings(workload, "time");
        if (in.has_shared_cores(workload)) continue;
        if (first_may_be_missing(all, in.measured(workload, "time"))) continue;
        if (auto group = leaders(all, in.whole().baseline); tells_something(all, group))
            table.emplace_back(workload, std::move(group));
    }
    return table;
}

bool touch(const standing& one, const standing& other) {
    return one.low <= other.high && other.low <= one.high;
}

std::vector<standing> standings(const report& content, std::string_view workload, std::string_view metric) {
    return indexed_report{content}.standings(workload, metric);
}

std::vector<standing> leaders(std::span<const standing> all, std::string_view baseline) {
    places group;
    // The highest lower end is searched among all contenders, because the best contender can have such a wide
    // interval that another contender has the highest lower end.
    auto begins_at = -std::numeric_limits<double>::infinity(), faster_begins_at = begins_at;
    for (const auto& each : all) {
        begins_at = std::max(begins_at, each.low);
        if (each.item->judged == verdict::faster) faster_begins_at = std::max(faster_begins_at, each.low);
    }
    for (const auto& each : all) {
        const bool is_slower = each.item->contender != baseline && each.item->judged == verdict::slower;
        // The best contender always leads, even if a third-party report has an invalid interval for it.
        const bool is_best = &each == &all.front();
        if (is_best || each.high >= (is_slower ? begins_at : faster_begins_at)) group.push_back(each);
    }
    return group;
}

}  // namespace loopbench::reports
