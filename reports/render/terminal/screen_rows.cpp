#include "reports/render/terminal/screen_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::reports {

namespace {

constexpr std::size_t longest_label = 30, longest_name = 20;

std::string_view prefix_of(std::string_view name) {
    return name.substr(0, name.find('-') == std::string_view::npos ? name.size() : name.find('-') + 1);
}

bool alike(const indexed_report& in, std::span<const std::string_view> workloads,
           std::span<const std::string_view> metrics, std::string_view one, std::string_view other) {
    constexpr double quarter = 1.25;
    for (const auto workload : workloads)
        for (const auto metric : metrics) {
            const auto *const a = in.number(workload, one, metric), *const b =
                                                                        in.number(workload, other, metric);
            if ((a == nullptr) != (b == nullptr)) return false;
            if (a == nullptr) continue;
            const auto [less, more] = std::minmax(*a->median, *b->median);
            if (!(less > 0) || more > quarter * less) return false;
        }
    return true;
}

bool level(const indexed_report& in, std::span<const std::string_view> workloads, std::string_view metric,
           std::string_view one, std::string_view other) {
    for (const auto workload : workloads) {
        const auto all = in.standings(workload, metric);
        const auto find = [&](std::string_view who) {
            return std::ranges::find_if(all,
                                        [&](const standing& each) { return each.item->contender == who; });
        };
        const auto a = find(one), b = find(other);
        if ((a == all.end()) != (b == all.end())) return false;
        if (a == all.end()) continue;
        const auto& baseline = in.whole().baseline;
        const bool apart = one == baseline     ? is_difference(b->item->judged)
                           : other == baseline ? is_difference(a->item->judged)
                                               : !touch(*a, *b);
        if (apart) return false;
    }
    return true;
}

}  // namespace

names contenders_with_numbers(const indexed_report& in, std::span<const std::string_view> workloads,
                              std::span<const std::string_view> metrics) {
    names all;
    const auto& baseline = in.whole().baseline;
    for (const auto& item : in.whole().results) {
        const bool is_shown = std::ranges::find(workloads, item.workload) != workloads.end() &&
                              (std::ranges::find(metrics, item.metric) != metrics.end() ||
                               item.status == result_status::failed);
        if (!is_shown || in.is_floor(item.contender)) continue;
        if (!item.median && item.status != result_status::failed) continue;
        if (std::ranges::find(all, item.contender) == all.end()) all.push_back(item.contender);
    }
    const auto first = std::ranges::find(all, std::string_view{baseline});
    if (first != all.end()) std::rotate(all.begin(), first, first + 1);
    return all;
}

bool are_select_loops(const indexed_report& in, const names& members) {
    return members.size() > 1 && std::ranges::all_of(members, [&](std::string_view who) {
               const auto found = in.drivers.find(who);
               return found != in.drivers.end() && found->second == "select";
           });
}

std::vector<screen_row> rows_of(const indexed_report& in, std::span<const std::string_view> workloads,
                                std::span<const std::string_view> metrics, share who_shares) {
    std::vector<screen_row> rows;
    const auto can_share = [&](std::string_view one, std::string_view other) {
        if (one == in.whole().baseline) return false;  // the other rows are read against its value
        if (are_select_loops(in, {one, other})) return alike(in, workloads, metrics, one, other);
        return who_shares == share::everything_level && std::ranges::all_of(metrics, [&](auto metric) {
                   return level(in, workloads, metric, one, other);
               });
    };
    for (const auto who : contenders_with_numbers(in, workloads, metrics)) {
        const auto place = std::ranges::find_if(rows, [&](const screen_row& row) {
            return std::ranges::all_of(row.members, [&](auto member) { return can_share(member, who); });
        });
        if (place == rows.end())
            rows.push_back({row_kind::contenders, {who}});
        else
            place->members.push_back(who);
    }
    return rows;
}

std::string short_list(const names& members) {
    std::string text;
    std::string_view before;
    for (const auto who : members) {
        // Only names with one '-' are shortened: after "asio-on-uring", "-uring" could mean "asio-uring" or
        // "asio-on-uring".
        const auto prefix = std::ranges::count(who, '-') == 1 ? prefix_of(who) : std::string_view{};
        const bool repeats = !prefix.empty() && prefix == before;
        text += (text.empty() ? "" : ", ") +
                clipped(printable(repeats ? who.substr(prefix.size() - 1) : who), longest_name);
        before = prefix;
    }
    return text;
}

namespace {

std::string full_label(const names& members, const names& all) {
    std::vector<std::string> parts;
    names rest;
    for (const auto who : members) {
        const auto prefix = prefix_of(who);
        const auto has_prefix = [&](std::string_view other) { return prefix_of(other) == prefix; };
        const auto of_members = std::ranges::count_if(members, has_prefix);
        if (of_members < 2 || !prefix.ends_with('-') || of_members < std::ranges::count_if(all, has_prefix))
            rest.push_back(who);
        else if (const auto part = printable(prefix) + "*"; std::ranges::find(parts, part) == parts.end())
            parts.push_back(part);
    }
    if (!rest.empty()) parts.push_back(short_list(rest));
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

bool names_all(const names& members, const names& all) {
    return members.size() < 2 || width_of(full_label(members, all)) <= longest_label;
}

std::string label_of(const indexed_report& in, const names& members, const names& all) {
    if (are_select_loops(in, members)) return "select loops";
    if (names_all(members, all)) {
        auto text = full_label(members, all);
        if (width_of(text) <= longest_label) return text;
    }
    if (members.size() == 1) return clipped(printable(members.front()), longest_name);
    return fmt::format("{} and {} more", clipped(printable(members.front()), longest_name - 4),
                       members.size() - 1);
}

}  // namespace loopbench::reports
