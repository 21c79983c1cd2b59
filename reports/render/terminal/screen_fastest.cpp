#include "reports/render/terminal/screen_fastest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "reports/render/columns.hpp"
#include "reports/render/summary_sentences.hpp"
#include "reports/render/terminal/fixed_width.hpp"
#include "reports/render/terminal/screen_rows.hpp"
#include "reports/render/trust.hpp"

namespace loopbench::reports {

namespace {

constexpr std::size_t most_sections = 5, longest_section = 20;

std::string_view family_of(std::string_view workload) {
    return workload.substr(0, workload.find('/'));
}

struct section {
    std::string title;
    lead_table table;
};

std::vector<section> sections_of(const indexed_report& in) {
    std::vector<section> all;
    for (auto& row : leads_by_time(in)) {
        const std::string title{is_scheduling(row.first) ? "scheduling" : family_of(row.first)};
        auto found = std::ranges::find(all, title, &section::title);
        if (found == all.end()) found = all.insert(found, {title, {}});
        found->table.push_back(std::move(row));
    }
    if (const auto found = std::ranges::find(all, "scheduling", &section::title); found != all.end())
        std::rotate(found, found + 1, all.end());  // scheduling is last
    return all;
}

std::string ratios_of(const indexed_report& in, const lead& those) {
    std::optional<double> least, most;
    for (const auto* item : those.from) {
        if (item->contender == in.whole().baseline || item->judged != verdict::faster) continue;
        const auto value = item->to_baseline->median;
        least = std::min(value, least.value_or(value));
        most = std::max(value, most.value_or(value));
    }
    if (!least) return "";
    const auto from = three_digits(*least), to = three_digits(*most);
    return from == to ? to + "×" : fmt::format("{}-{}×", from, to);
}

bool others_are_level(const lead_table& table, const lead& first) {
    return std::ranges::any_of(table, [&](const auto& row) {
        const auto& [workload, group] = row;
        return std::ranges::find(first.on, workload) != first.on.end() &&
               std::ranges::any_of(group, [&](const standing& each) {
                   return std::ranges::find(first.who, each.item->contender) == first.who.end();
               });
    });
}

/// Returns true if one of the contenders does not differ significantly from the baseline on one of the lead's
/// workloads.
bool is_partly_level(const lead& those, const names& who) {
    return std::ranges::any_of(those.from, [&](const result* item) {
        return item->judged != verdict::faster && std::ranges::find(who, item->contender) != who.end();
    });
}

std::string short_workload(std::string_view workload) {
    return clipped(workload.substr(0, workload.find('/', workload.find('/') + 1)), longest_section);
}

std::string on_some(const lead& first, std::size_t of) {
    if (first.on.size() == of) return "";
    if (first.on.size() == 1) return " on " + short_workload(first.on.front());
    return fmt::format(" on {} of {}", first.on.size(), of);
}

std::string sentence_of(const indexed_report& in, const section& of, bool names_baseline) {
    const auto first = widest_lead(of.table);
    const auto parts = split(first);
    const auto ratios = ratios_of(in, first);
    const auto who = short_list(ratios.empty() ? first.who : parts.faster);
    const auto where = on_some(first, of.table.size());
    auto text =
        ratios.empty()
            ? fmt::format("{}; no other loop is significantly faster{}", who, where)
            : fmt::format(
                  "{} {}{}{}", who, ratios,
                  names_baseline ? " as fast as " + clipped(in.whole().baseline, longest_section) : "",
                  where);
    if (!ratios.empty() && !parts.level.empty()) text += fmt::format("; {} level", short_list(parts.level));
    if (!ratios.empty() && is_partly_level(first, parts.faster)) {
        text += ", partly level";
    } else if (others_are_level(of.table, first)) {
        text += ", others partly level";
    }
    lead_table rest = of.table;
    std::erase_if(
        rest, [&](const auto& each) { return std::ranges::find(first.on, each.first) != first.on.end(); });
    if (!rest.empty()) {
        const auto second = widest_lead(rest);
        const auto others = ratios_of(in, second);
        text += fmt::format("; on {}: {}{}{}", short_workload(second.on.front()),
                            short_list(others.empty() ? second.who : split(second).faster),
                            others.empty() ? "" : " ", others);
    }
    return text;
}

std::string undecided_in(const report& content) {
    for (const auto& each : summary_sentences_of(content))
        if (each.about == topic::undecided && each.title == "Undecided" && !each.from.empty())
            return fmt::format(", {} undecided", each.from.size());
    return "";
}

}  // namespace

bool is_scheduling(std::string_view workload) {
    constexpr std::array families{"post", "yield", "spawn", "await", "gather"};
    return std::ranges::find(families, family_of(workload)) != families.end();
}

std::vector<fastest> fastest_of(const indexed_report& in) {
    if (is_untrusted(in.whole())) return {};
    const auto sections = sections_of(in);
    std::vector<fastest> all;
    for (const auto& each : sections) {
        const bool is_last = all.size() + 1 == most_sections && sections.size() > most_sections;
        if (is_last)
            all.push_back({fmt::format("{} more", sections.size() - all.size()), "kinds of workloads"});
        else
            all.push_back(
                {clipped(printable(each.title), longest_section), sentence_of(in, each, all.empty())});
        if (is_last) break;
    }
    return all;
}

std::string version_of(const report& content, std::string_view name) {
    const auto found = std::ranges::find(content.contenders, name, &contender::name);
    if (found == content.contenders.end() || !found->library || !found->version) return "";
    return fmt::format("{} {}", found->library->substr(0, found->library->find('.')), *found->version);
}

std::string trust_text(const report& content) {
    const auto found = trust_in(content);
    const auto reasons = fmt::format("{}", fmt::join(found.reasons, "; "));
    if (found.word == trust_word::unreliable)
        return fmt::format("UNRELIABLE: ignore all differences of this session; {}", reasons);
    if (found.word == trust_word::preliminary) return fmt::format("PRELIMINARY: {}", reasons);
    std::string deviation;
    if (content.aa && !content.aa->comparisons.empty()) {
        const auto version = version_of(content, content.aa->contender);
        deviation = fmt::format("; {}{} and its copy: {}", content.aa->contender,
                                version.empty() ? "" : " (" + version + ")", largest_deviation(*content.aa));
    }
    return fmt::format("RELIABLE: {} blocks{}{}", blocks_in(content), undecided_in(content), deviation);
}

bool is_left_to_tables(const warning& item) {
    const bool is_explained = item.code == "faster_than_floor" && item.remedy.starts_with("ignore");
    return is_explained || is_reason_for_trust(item.code);
}

}  // namespace loopbench::reports
