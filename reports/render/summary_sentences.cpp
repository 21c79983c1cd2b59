#include "reports/render/summary_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

constexpr double burns_from = 0.5;  // the share of a core that counts as burning CPU while nothing happens
constexpr std::size_t names_shown = 4;

/// Returns true if a measured contender that could be the latest is missing from the standings. A contender
/// cannot be the latest if it is early, or if it is significantly nearer to its deadlines than the baseline.
bool latest_may_be_missing(const places& all, const sources& measured) {
    return std::ranges::any_of(measured, [&](const result* item) {
        const bool is_ahead = item->from_baseline && item->judged == verdict::faster;
        return *item->median > 0 && !is_ahead && std::ranges::find(all, item, &standing::item) == all.end();
    });
}

std::string cut(std::string_view text, std::size_t most = 60) {
    return text.size() <= most ? std::string{text} : shown(text);
}

/// Returns a list like "a, b and c". Names at most `most` items, and counts the others.
std::string listed(const names& all, std::size_t most = names_shown) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < all.size() && i < most; ++i) parts.push_back(cut(all[i]));
    if (all.size() > most) parts.push_back(fmt::format("{} more", all.size() - most));
    if (parts.size() < 2) return fmt::format("{}", fmt::join(parts, ""));
    const auto last = std::move(parts.back());
    parts.pop_back();
    return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

/// Returns "yield", "the other 3 workloads" or "2 of the other 3 workloads".
std::string which_others(const names& those, std::size_t all) {
    if (all == 1) return cut(those.front());
    const auto others = fmt::format("the other {} workloads", all);
    return those.size() == all ? others : fmt::format("{} of {}", those.size(), others);
}

std::string_view is_or_are(const names& those) {
    return those.size() == 1 ? "is" : "are";
}

std::string_view burn_or_burns(const names& those) {
    return those.size() == 1 ? "burns" : "burn";
}

/// Formats a ratio: "1.27×".
std::string times(double value) {
    return three_digits(value) + "×";
}

/// Returns a text like " (2.36 to 2.67)", or "" if an end of the interval is missing.
std::string in_brackets(const std::optional<double>& low, const std::optional<double>& high) {
    return low && high ? fmt::format(" ({} to {})", three_digits(*low), three_digits(*high)) : "";
}

std::string share(double value) {
    return fmt::format("{:.{}f} %", 100 * value, value < 0.0995 ? 1 : 0);
}

struct range {
    std::optional<double> least, most;

    void add(double value) {
        least = std::min(value, least.value_or(value));
        most = std::max(value, most.value_or(value));
    }
    [[nodiscard]] std::string text(std::string (*format)(double)) const {
        const auto from = format(*least), to = format(*most);
        if (from == to) return from;
        const auto unit = from.find(' ');
        const bool same_unit = unit != std::string::npos && to.ends_with(from.substr(unit));
        return fmt::format("{} to {}", same_unit ? from.substr(0, unit) : from, to);
    }
};

/// Returns a text like "on yield", "on all 7 workloads" or "on 6 of 7 workloads". If some of the compared
/// workloads are undecided, the text is like "on both decided workloads (of 7)".
std::string on_how_many(const names& those, std::size_t decided, std::size_t compared) {
    const bool all_decided = decided >= compared;
    const std::string_view kind = all_decided ? "workloads" : "decided workloads";
    const auto whole = all_decided ? std::string{} : fmt::format(" (of {})", compared);
    if (those.size() < decided) return fmt::format("on {} of {} {}{}", those.size(), decided, kind, whole);
    if (decided == 1)
        return fmt::format(
            "on {}{}", cut(those.front()),
            all_decided ? "" : fmt::format(", the only decided one of {} workloads", compared));
    if (decided == 2) return fmt::format("on both {}{}", kind, whole);
    return fmt::format("on all {} {}{}", decided, kind, whole);
}

/// Returns a text about the leaders, for example "a and b are 1.40× to 1.50× as fast as asio-epoll on yield".
/// Uses the ratios of the leaders that are significantly faster than the baseline. A single ratio has its
/// interval. If no leader is significantly faster, the text only names the leaders.
std::string speed_of_leaders(const indexed_report& in, const lead& those, std::string_view where) {
    const auto baseline = cut(in.whole().baseline);
    range ratios;
    std::vector<const ratio*> significant;
    bool some_are_level = false;
    for (const auto* item : those.from) {
        if (item->contender == in.whole().baseline) continue;
        if (item->judged == verdict::faster && item->to_baseline) {
            ratios.add(item->to_baseline->median);
            significant.push_back(&*item->to_baseline);
        } else {
            some_are_level = true;
        }
    }
    constexpr std::string_view unbeaten = "no contender is significantly faster";
    if (!ratios.least && !some_are_level)
        return fmt::format("{} than {}, the baseline, {}", unbeaten, listed(those.who), where);
    if (!ratios.least)
        return fmt::format("{} than {} {}; no difference from {} is significant", unbeaten, listed(those.who),
                           where, baseline);
    const auto interval =
        significant.size() == 1 ? in_brackets(significant.front()->low, significant.front()->high) : "";
    return fmt::format("{} {} {} as fast as {} {}{}{}; {}", listed(those.who), is_or_are(those.who),
                       ratios.text(times), baseline, where, interval,
                       some_are_level ? " where the difference is significant" : "", unbeaten);
}

void find_cost(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto table = leads_by_time(in);
    if (table.empty()) return;
    const auto first = widest_lead(table);
    summary_sentence found{
        topic::cost, "Speed",
        speed_of_leaders(in, first, on_how_many(first.on, table.size(), in.compared("time"))) + ".",
        first.from};
    lead_table rest = table;
    std::erase_if(
        rest, [&](const auto& each) { return std::ranges::find(first.on, each.first) != first.on.end(); });
    if (!rest.empty()) {
        const auto second = widest_lead(rest);
        found.text += fmt::format(" On {}, no contender is significantly faster than {}.",
                                  which_others(second.on, rest.size()), listed(second.who));
        found.from.insert(found.from.end(), second.from.begin(), second.from.end());
    }
    all.push_back(std::move(found));
}

void find_limit(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto table = leads_by_time(in);
    if (table.empty()) return;
    const auto first = widest_lead(table).who.front();
    range multiples;
    summary_sentence found{topic::limit, "Limit", "", {}};
    for (const auto workload : in.about("time")) {
        const auto* const item = in.number(workload, first, "time");
        if (item == nullptr || !item->times_floor || item->times_floor->floor == first) continue;
        multiples.add(item->times_floor->median);
        found.from.push_back(item);
    }
    if (found.from.empty()) return;
    const auto& one = *found.from.front();
    found.text = fmt::format(
        "{} takes {} as long as the fastest floor (no loop) on {}.", cut(first), multiples.text(times),
        found.from.size() == 1 ? cut(one.workload) + in_brackets(one.times_floor->low, one.times_floor->high)
                               : fmt::format("{} workloads", found.from.size()));
    all.push_back(std::move(found));
}

/// Returns the number of connections: 1000 for "echo/rtt/tcp/conns:1000/bytes:64", and 0 without this
/// parameter.
std::uint64_t connections_of(std::string_view workload) {
    constexpr std::string_view key = "/conns:";
    const auto at = workload.find(key);
    std::uint64_t count = 0;
    if (at != std::string_view::npos)
        std::from_chars(workload.data() + at + key.size(), workload.data() + workload.size(), count);
    return count;
}

/// Returns the verdict of the direct comparison of two contenders, or nothing without such a comparison.
std::optional<verdict> verdict_as_drivers(const standing& one, const standing& other) {
    const auto said = [](const standing& ours, const standing& theirs) {
        return ours.item->to_epoll && ours.item->to_epoll->to == theirs.item->contender;
    };
    const auto* const found = said(one, other) ? &one : said(other, one) ? &other : nullptr;
    if (found == nullptr) return std::nullopt;
    return found->item->to_epoll->judged;
}

/// Returns true if neither contender can be called better. The direct comparison decides. If the contenders
/// were not compared directly, the intervals and the verdicts decide.
bool level(const standing& one, const standing& other, std::string_view baseline) {
    const auto no_difference = [](const standing& each) { return !is_difference(each.item->judged); };
    if (const auto judged = verdict_as_drivers(one, other)) return !is_difference(judged);
    return touch(one, other) || (one.item->contender == baseline && no_difference(other)) ||
           (other.item->contender == baseline && no_difference(one));
}

/// The best contender on io_uring and the best contender on epoll, from standings that are sorted by speed.
struct driver_pair {
    standing ours, theirs;

    /// Returns the ratio that was measured in pairs. If the report does not contain this ratio, returns the
    /// quotient of the two ratios to the baseline.
    [[nodiscard]] double times_as_fast() const {
        const auto& measured = ours.item->to_epoll;
        return measured && measured->to == theirs.item->contender ? measured->median
                                                                  : ours.ratio / theirs.ratio;
    }
};

std::optional<driver_pair> uring_and_epoll(const indexed_report& in, const places& order) {
    const auto best_on = [&](std::string_view driver) {
        return std::ranges::find_if(order, [&](const standing& each) {
            const auto found = in.drivers.find(each.item->contender);
            return found != in.drivers.end() && found->second == driver;
        });
    };
    const auto ours = best_on("io_uring"), theirs = best_on("epoll");
    if (ours == order.end() || theirs == order.end()) return std::nullopt;
    return driver_pair{*ours, *theirs};
}

std::string_view how_sure(const standing& one, const standing& other, std::string_view baseline) {
    if (verdict_as_drivers(one, other) == verdict::equivalent) return "equivalent";
    return level(one, other, baseline) ? "undecided" : "significant";
}

/// Returns a text with the CPU time per operation of both contenders and the certainty of the difference, or
/// "" if one of the contenders did not report CPU time.
std::string cpu_compared(const indexed_report& in, const driver_pair& of, sources& from) {
    const auto& workload = of.ours.item->workload;
    const auto* const ours = in.number(workload, of.ours.item->contender, "cpu");
    const auto* const theirs = in.number(workload, of.theirs.item->contender, "cpu");
    if (ours == nullptr || theirs == nullptr) return "";
    from.insert(from.end(), {ours, theirs});
    const auto all = in.standings(workload, "cpu");
    const auto one = std::ranges::find(all, ours, &standing::item);
    const auto other = std::ranges::find(all, theirs, &standing::item);
    const bool is_judged = one != all.end() && other != all.end();
    return fmt::format("; CPU per operation: {} against {}{}", human_time(*ours->median),
                       human_time(*theirs->median),
                       is_judged ? fmt::format(" ({})", how_sure(*one, *other, in.whole().baseline)) : "");
}

/// Adds the comparison of io_uring with epoll, for the workload that has contenders on both drivers and the
/// most connections.
void find_connections(std::vector<summary_sentence>& all, const indexed_report& in) {
    std::uint64_t most = 1;
    std::optional<driver_pair> busiest;
    for (const auto workload : in.about("time")) {
        if (connections_of(workload) <= most) continue;
        if (auto pair = uring_and_epoll(in, in.standings(workload, "time"))) {
            most = connections_of(workload);
            busiest = pair;
        }
    }
    if (!busiest) return;
    const auto& [ours, theirs] = *busiest;
    summary_sentence found{topic::connections, "io_uring or epoll", "", {ours.item, theirs.item}};
    found.text =
        fmt::format("{} (io_uring) is {} as fast as {} (epoll) on {} ({}){}.", cut(ours.item->contender),
                    times(busiest->times_as_fast()), cut(theirs.item->contender), cut(ours.item->workload),
                    how_sure(ours, theirs, in.whole().baseline), cpu_compared(in, *busiest, found.from));
    all.push_back(std::move(found));
}

/// Returns true if the contender burns CPU while it waits. A contender without a number is assumed to sleep.
bool burns(const indexed_report& in, std::string_view workload, std::string_view who) {
    const auto* const spin = in.number(workload, who, "spin");
    return spin != nullptr && spin->low.value_or(*spin->median) >= burns_from;
}

/// Returns the workloads in which loops wait, and can thus waste CPU time.
names workloads_that_wait(const indexed_report& in) {
    names all;
    for (const auto workload : in.workloads())
        if ((in.is_about(workload, "late_p50") && in.is_about(workload, "cpu")) ||
            in.is_about(workload, "wakeups"))
            all.push_back(workload);
    return all;
}

std::string lateness(const sources& those) {
    range late;
    for (const auto* item : those) late.add(*item->median);
    return late.text(human_time);
}

/// Returns the workload with the most contenders. The sentence quotes only one workload, because costs differ
/// between workloads.
std::string_view most_measured(const indexed_report& in, const names& workloads) {
    return *std::ranges::max_element(
        workloads, {}, [&](std::string_view each) { return in.measured(each, "late_p50").size(); });
}

/// Returns the median lateness of the leaders, for example "34.9 to 37.2 µs late on sleep/serial".
std::string how_late(const lead& those, std::string_view workload) {
    sources there;
    std::ranges::copy_if(those.from, std::back_inserter(there),
                         [&](const result* item) { return item->workload == workload; });
    return fmt::format("{} late on {}", lateness(there), cut(workload));
}

/// Returns a text like " with 36.0 to 56.6 µs of CPU per operation", or "" if no leader reported its CPU
/// time.
std::string cpu_of_leaders(const indexed_report& in, const lead& those, std::string_view workload,
                           sources& from) {
    range cpu;
    for (const auto who : those.who)
        if (const auto* const spent = in.number(workload, who, "cpu")) {
            cpu.add(*spent->median);
            from.push_back(spent);
        }
    return cpu.least ? fmt::format(" with {} of CPU per operation", cpu.text(human_time)) : "";
}

/// Returns the contender that is significantly the latest, and the workloads on which it is the latest.
std::optional<lead> latest(const indexed_report& in) {
    lead_table last;
    for (const auto workload : in.about("late_p50")) {
        const auto all = in.standings(workload, "late_p50");
        if (latest_may_be_missing(all, in.measured(workload, "late_p50"))) continue;
        if (all.size() <= 2 || all.back().item->judged != verdict::slower) continue;
        const auto is_apart = [&](const standing& other) { return !touch(all.back(), other); };
        if (std::all_of(all.begin(), std::prev(all.end()), is_apart))  // a farther interval can be wider
            last.emplace_back(workload, places{all.back()});
    }
    if (last.empty()) return std::nullopt;
    return widest_lead(last);
}

/// Returns the leaders by lateness. Considers only the results for which `counts` returns true.
lead_table leads_by_lateness(const indexed_report& in, auto&& counts) {
    lead_table table;
    for (const auto workload : in.about("late_p50")) {
        auto all = in.standings(workload, "late_p50");
        auto measured = in.measured(workload, "late_p50");
        std::erase_if(measured, [&](const result* item) { return !counts(*item); });
        std::erase_if(all, [&](const standing& each) { return !counts(*each.item); });
        if (first_may_be_missing(all, measured)) continue;
        if (auto group = leaders(all, in.whole().baseline); tells_something(all, group))
            table.emplace_back(workload, std::move(group));
    }
    return table;
}

/// Returns the range of the shares of a core that the leaders burn while they wait. The range is empty if any
/// leader sleeps.
range burnt_by(const indexed_report& in, const lead& those) {
    range burnt;
    for (const auto* item : those.from) {
        if (!burns(in, item->workload, item->contender)) return {};
        burnt.add(*in.number(item->workload, item->contender, "spin")->median);
    }
    return burnt;
}

/// Adds the contenders with the most accurate timers, and their CPU time. Contenders that burn a core and
/// contenders that sleep are named separately, for the same workload if possible.
void find_timers(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto sleeps = [&](const result& item) { return !burns(in, item.workload, item.contender); };
    const auto table = leads_by_lateness(in, sleeps);
    if (table.empty()) return;
    summary_sentence found{topic::timers, "Timers", "", {}};
    const auto first = widest_lead(table);
    const auto of_all = leads_by_lateness(in, [](const result&) { return true; });
    const auto first_of_all = of_all.empty() ? lead{} : widest_lead(of_all);
    auto shown_on = most_measured(in, first.on);
    if (const auto burnt = burnt_by(in, first_of_all); burnt.least) {
        names both;
        std::ranges::copy_if(first.on, std::back_inserter(both), [&](std::string_view each) {
            return std::ranges::find(first_of_all.on, each) != first_of_all.on.end();
        });
        if (!both.empty()) shown_on = most_measured(in, both);
        found.text +=
            fmt::format("{} {} the most accurate ({}) and {} {} of a core. ", listed(first_of_all.who),
                        is_or_are(first_of_all.who),
                        how_late(first_of_all, both.empty() ? most_measured(in, first_of_all.on) : shown_on),
                        burn_or_burns(first_of_all.who), burnt.text(share));
        found.from = first_of_all.from;
    }
    const bool some_burn = std::ranges::any_of(table, [&](const auto& each) {
        const auto measured = in.measured(each.first, "late_p50");
        return std::ranges::any_of(measured, [&](const result* item) { return !sleeps(*item); });
    });
    if (some_burn) found.text += "Among contenders that sleep, ";
    found.from.insert(found.from.end(), first.from.begin(), first.from.end());
    found.text += fmt::format("{} {} {}{}; {}, {} is significantly more accurate.", listed(first.who),
                              is_or_are(first.who), how_late(first, shown_on),
                              cpu_of_leaders(in, first, shown_on, found.from),
                              on_how_many(first.on, table.size(), in.compared("late_p50")),
                              some_burn ? "no other one" : "no contender");
    if (const auto last = latest(in)) {
        found.text +=
            fmt::format(" {} is significantly the latest ({}).", listed(last->who), lateness(last->from));
        found.from.insert(found.from.end(), last->from.begin(), last->from.end());
    }
    all.push_back(std::move(found));
}

/// Returns "" if all contenders that were measured on waiting workloads reported their CPU share. Otherwise
/// returns a text with the number of contenders that did. This counter is optional for contenders.
std::string among_those_that_report(const indexed_report& in) {
    std::set<std::string_view> waiting, silent;
    for (const auto workload : workloads_that_wait(in))
        for (const auto* const item : in.measured(workload, "time")) {
            waiting.insert(item->contender);
            if (in.number(workload, item->contender, "spin") == nullptr) silent.insert(item->contender);
        }
    if (silent.empty()) return "";
    return fmt::format(" among the {} of {} contenders that report it", waiting.size() - silent.size(),
                       waiting.size());
}

/// Adds the contenders that burn CPU on any waiting workload, and the highest CPU share of the contenders
/// that do not.
void find_waiting(std::vector<summary_sentence>& all, const indexed_report& in) {
    names burners;
    range burnt;
    const result* others = nullptr;  // the highest share of the contenders that do not burn
    summary_sentence found{topic::waiting, "Waiting", "", {}};
    sources not_burning;
    const auto is_a_burner = [&](std::string_view who) {
        return std::ranges::find(burners, who) != burners.end();
    };
    for (const auto workload : workloads_that_wait(in)) {
        for (const auto* spin : in.measured(workload, "spin")) {
            if (!burns(in, workload, spin->contender)) {
                not_burning.push_back(spin);
                continue;
            }
            burnt.add(*spin->median);
            found.from.push_back(spin);
            if (!is_a_burner(spin->contender)) burners.push_back(spin->contender);
        }
    }
    for (const auto* spin : not_burning)
        if (!is_a_burner(spin->contender) && (others == nullptr || *spin->median > *others->median))
            others = spin;
    if (burners.empty() && others == nullptr) return;
    if (others != nullptr) found.from.push_back(others);
    const bool others_may_burn = others != nullptr && *others->median >= burns_from;
    const auto who_of_others = others == nullptr
                                   ? std::string{}
                                   : fmt::format("{} ({})", share(*others->median), cut(others->contender));
    const auto reported = among_those_that_report(in);
    if (burners.empty()) {
        found.text = others_may_burn
                         ? fmt::format("undecided; the highest CPU share is {}{}.", who_of_others, reported)
                         : fmt::format("no contender burns a core; the highest CPU share is {}{}.",
                                       who_of_others, reported);
    } else {
        found.text =
            fmt::format("{} {} {} of a core", listed(burners), burn_or_burns(burners), burnt.text(share));
        if (others != nullptr)
            found.text += fmt::format(
                "; {} {}{}",
                others_may_burn ? "the others are undecided, with up to" : "the others use at most",
                who_of_others, reported);
        found.text += ".";
    }
    all.push_back(std::move(found));
}

/// Returns true if the run was too short for an interval and the cores were busy when the run began.
bool was_too_busy(const report& content) {
    const auto warns = [&](std::string_view code) {
        return std::ranges::find(content.warnings, code, &warning::code) != content.warnings.end();
    };
    return warns("budget") && warns("few_trials") && content.where.cores > 0 &&
           content.where.load_average[0] > static_cast<double>(content.where.cores);
}

void find_cautions(std::vector<summary_sentence>& all, const report& content) {
    if (was_too_busy(content))
        all.push_back(
            {topic::caution,
             "Too few blocks",
             fmt::format("the machine was busy (load {:.1f} on {} cores); stop the other programs, or "
                         "allow more time, for example `loopbench run --quick --budget 2min`.",
                         content.where.load_average[0], content.where.cores),
             {}});
    if (!content.complete) all.push_back({topic::caution, "Incomplete", why_incomplete(content), {}});
    if (const auto why = why_unreliable(content))
        all.push_back({topic::caution,
                       "Unreliable",
                       fmt::format("no verdict of this session counts; {}.", cut(*why, 200)),
                       {}});
    if (content.aa && content.aa->found == reliability::unknown)
        all.push_back(
            {topic::caution,
             "Preliminary",
             fmt::format("the noise of this machine is unknown; {}.",
                         cut(content.aa->reason.value_or("the A/A comparison has too few blocks"), 200)),
             {}});
}

void find_failures(std::vector<summary_sentence>& all, const report& content) {
    sources failed;
    std::size_t not_run = 0;
    for (const auto& item : content.results) {
        if (item.status == result_status::failed) failed.push_back(&item);
        if (item.status == result_status::not_run) ++not_run;
    }
    if (!failed.empty()) {
        const auto& first = *failed.front();
        all.push_back({topic::failed, "Failed",
                       fmt::format("{} on {}{}.", cut(first.contender), cut(first.workload),
                                   failed.size() > 1 ? fmt::format(", and {} more {}", failed.size() - 1,
                                                                   failed.size() == 2 ? "result" : "results")
                                                     : ""),
                       failed});
    }
    if (not_run > 0)
        all.push_back(
            {topic::failed,
             "Not run",
             fmt::format("{} {}; the run ended first.", not_run, not_run == 1 ? "result" : "results"),
             {}});
}

/// The number of comparisons for a metric, and the undecided ones. Floors are left out, because users cannot
/// choose a floor as their runtime.
struct tally {
    std::size_t compared = 0;
    sources undecided;
};

std::vector<std::pair<std::string_view, tally>> tallies(const indexed_report& in) {
    std::vector<std::pair<std::string_view, tally>> all;
    for (const auto& item : in.whole().results) {
        if (!item.judged || in.is_floor(item.contender) || !in.is_about(item)) continue;
        auto found =
            std::ranges::find(all, std::string_view{item.metric}, [](auto& each) { return each.first; });
        if (found == all.end()) found = all.insert(found, {item.metric, {}});
        ++found->second.compared;
        if (item.judged == verdict::inconclusive) found->second.undecided.push_back(&item);
    }
    const auto time = std::ranges::find(all, "time", [](const auto& each) { return each.first; });
    if (time != all.end()) std::rotate(all.begin(), time, std::next(time));
    return all;
}

/// Returns the metric's title without "per operation", which has no meaning for a number of comparisons.
std::string_view short_title(std::string_view metric) {
    constexpr std::string_view each = " per operation";
    auto title = title_of_metric(metric);
    if (title.ends_with(each)) title.remove_suffix(each.size());
    return title;
}

void find_undecided(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto counted = tallies(in);
    if (counted.empty() && std::ranges::any_of(in.whole().results, [](const result& each) {
            return each.judged.has_value();  // a verdict on a floor, or on a metric that is not primary
        }))
        return;
    const auto baseline = cut(in.whole().baseline);
    if (counted.empty())
        return all.push_back({topic::undecided,
                              "Not compared",
                              fmt::format("no contender has a verdict against {}.", baseline),
                              {}});
    summary_sentence found{topic::undecided, "Undecided", "", {}};
    std::size_t compared = 0;
    std::vector<std::string> parts;
    for (const auto& [metric, of] : counted) {
        compared += of.compared;
        if (of.undecided.empty()) continue;
        parts.push_back(
            fmt::format("{} {} of {}", cut(short_title(metric)), of.undecided.size(), of.compared));
        found.from.insert(found.from.end(), of.undecided.begin(), of.undecided.end());
    }
    found.text = parts.empty() ? fmt::format("none of {} comparisons with {}.", compared, baseline)
                               : fmt::format("{} of {} comparisons with {} (marked ?, without floors): {}.",
                                             found.from.size(), compared, baseline, fmt::join(parts, ", "));
    all.push_back(std::move(found));
}

/// Adds a statement about the reliability of the verdicts. If the reliability is unknown, find_cautions() has
/// already added this statement.
void find_trust(std::vector<summary_sentence>& all, const report& content) {
    summary_sentence found{topic::trust, "A/A", "", {}};
    if (!content.aa)
        found.text = fmt::format("not measured; {} has no A/A copy in this report.", cut(content.baseline));
    else if (content.aa->found == reliability::reliable)
        found.text = fmt::format(
            "{} and its copy do not differ significantly; equivalent on {} of {} workloads.",
            cut(content.baseline),
            std::ranges::count(content.aa->comparisons, verdict::equivalent, &self_comparison::judged),
            content.aa->comparisons.size());
    else
        return;
    all.push_back(std::move(found));
}

}  // namespace

std::vector<summary_sentence> summary_sentences_of(const report& content) {
    std::vector<summary_sentence> all;
    const indexed_report in{content};
    find_cautions(all, content);
    find_failures(all, content);
    const bool unreliable = why_unreliable(content).has_value();
    if (!unreliable) {
        find_cost(all, in);
        find_limit(all, in);
        find_connections(all, in);
        find_timers(all, in);
    }
    find_waiting(all, in);
    if (!unreliable) find_undecided(all, in);
    if (!content.results.empty()) find_trust(all, content);
    return all;
}

}  // namespace loopbench::reports
