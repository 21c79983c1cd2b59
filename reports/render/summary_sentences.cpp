#include "reports/render/summary_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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
#include "reports/render/asio_loops.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/scaling_text.hpp"
#include "reports/render/sentence_parts.hpp"

namespace loopbench::reports {

namespace {

constexpr double burns_from = 0.5;  // from this share of a core on, a contender that waits burns CPU
constexpr std::size_t names_of_timers_shown = 12;

/// Returns true if a contender that is missing in `all` might have the greatest lateness. A contender whose
/// timers fire early, or significantly nearer to their deadlines than those of the baseline, cannot have the
/// greatest lateness.
bool latest_may_be_missing(const places& all, const sources& measured) {
    return std::ranges::any_of(measured, [&](const result* item) {
        const bool is_ahead = item->from_baseline && item->judged == verdict::faster;
        return *item->median > 0 && !is_ahead && std::ranges::find(all, item, &standing::item) == all.end();
    });
}

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

/// Returns for example "on all 7 workloads", or "on both decided workloads (of 7)" if some are undecided.
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

/// Returns for example "a and b are 1.40× to 1.50× as fast as asio-epoll on yield", with the ratios of
/// leaders that are significantly faster than the baseline. A single ratio is followed by its interval.
std::string speed_of_leaders(const indexed_report& in, const lead& those, std::string_view where) {
    const auto baseline = cut(in.whole().baseline);
    const auto parts = split(those);
    range ratios;
    std::vector<const ratio*> significant;
    bool some_are_level = false;  // of the contenders that are significantly faster elsewhere
    for (const auto* item : those.from) {
        if (std::ranges::find(parts.faster, item->contender) == parts.faster.end()) continue;
        if (item->judged == verdict::faster && item->to_baseline) {
            ratios.add(item->to_baseline->median);
            significant.push_back(&*item->to_baseline);
        } else {
            some_are_level = true;
        }
    }
    constexpr std::string_view unbeaten = "no contender is significantly faster";
    const bool only_baseline = std::ranges::all_of(
        those.from, [&](const result* item) { return item->contender == in.whole().baseline; });
    if (!ratios.least && only_baseline)
        return fmt::format("{} than {}, the baseline, {}", unbeaten, listed(those.who), where);
    if (!ratios.least)
        return fmt::format("{} than {} {}; no difference from {} is significant", unbeaten, listed(those.who),
                           where, baseline);
    const auto interval = significant.size() == 1 && !some_are_level
                              ? in_brackets(significant.front()->low, significant.front()->high)
                              : "";
    const auto level = parts.level.empty()
                           ? ""
                           : fmt::format(", and {} {} not significantly slower than {}", listed(parts.level),
                                         is_or_are(parts.level), parts.faster.size() == 1 ? "it" : "these");
    return fmt::format("{} {} {} as fast as {} {}{}{}; {}{}", listed(parts.faster), is_or_are(parts.faster),
                       ratios.text(times), baseline, where, interval,
                       some_are_level ? " where the difference is significant" : "", unbeaten, level);
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

/// Returns the number of connections: 1000 for "echo/rtt/tcp/conns:1000/bytes:64", and 0 if the name does not
/// contain it.
std::uint64_t connections_of(std::string_view workload) {
    constexpr std::string_view key = "/conns:";
    const auto at = workload.find(key);
    std::uint64_t count = 0;
    if (at != std::string_view::npos)
        std::from_chars(workload.data() + at + key.size(), workload.data() + workload.size(), count);
    return count;
}

std::string paired_ratio(const result& ours) {
    const auto& to = *ours.to_epoll;
    const auto sure = is_difference(to.judged)           ? ""
                      : to.judged == verdict::equivalent ? " (equivalent)"
                                                         : " (undecided)";
    return fmt::format("{}{} on {}", times(to.median), sure, cut(ours.workload));
}

sources compared_with_epoll(const indexed_report& in, std::string_view metric) {
    sources all;
    for (const auto workload : in.workloads())
        if (connections_of(workload) > 0)
            for (const auto* item : in.of(workload, metric))
                if (item->to_epoll && item->median) all.push_back(item);
    std::ranges::sort(all, {}, [](const result* item) {
        return std::pair{connections_of(item->workload), item};
    });
    return all;
}

void find_connections(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto compared = compared_with_epoll(in, "time");
    if (compared.empty()) return;
    constexpr std::size_t most = 6;
    summary_sentence found{topic::connections, "io_uring or epoll", "", compared};
    std::map<std::pair<std::string_view, std::string_view>, std::vector<std::string>> pairs;
    for (const auto* item : compared)
        pairs[{item->contender, item->to_epoll->to}].push_back(paired_ratio(*item));
    std::vector<std::string> parts;
    for (auto& [pair, ratios] : pairs) {
        const auto left_out = ratios.size() > most ? ratios.size() - most : 0;
        ratios.erase(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(left_out));
        parts.push_back(fmt::format("{} (io_uring) against {} (epoll), times as fast: {}{}", cut(pair.first),
                                    cut(pair.second), fmt::join(ratios, ", "),
                                    left_out > 0 ? fmt::format(" ({} more)", left_out) : ""));
    }
    found.text = fmt::format("{}", fmt::join(parts, "; "));
    if (const auto cpu = compared_with_epoll(in, "cpu"); !cpu.empty()) {
        found.text += fmt::format("; CPU: {}", paired_ratio(*cpu.back()));
        found.from.push_back(cpu.back());
    }
    found.text += ".";
    all.push_back(std::move(found));
}

void find_threads(std::vector<summary_sentence>& all, const indexed_report& in) {
    if (auto found = summary_of_threads(in); !found.text.empty())
        all.push_back({topic::threads, "Threads", std::move(found.text), std::move(found.from)});
}

/// Returns true if the contender burns CPU on the workload. A contender without a CPU share is assumed to
/// sleep.
bool burns(const indexed_report& in, std::string_view workload, std::string_view who) {
    const auto* const spin = in.number(workload, who, "spin");
    return spin != nullptr && spin->low.value_or(*spin->median) >= burns_from;
}

/// Returns the idle workloads. If the report has none, returns its timer workloads, in which loops wait most
/// of the time.
names workloads_that_wait(const indexed_report& in) {
    auto idle = in.about("wakeups");
    if (!idle.empty()) return idle;
    auto timed = in.about("late_p50");
    std::erase_if(timed, [&](std::string_view each) { return !in.is_about(each, "cpu"); });
    return timed;
}

std::string lateness(const sources& those) {
    range late;
    for (const auto* item : those) late.add(*item->median);
    return late.text(human_time);
}

struct accurate {
    std::string_view workload;
    places leaders;
    places others;  // their lateness is significantly greater than that of a leader
};

std::optional<accurate> accurate_on(const indexed_report& in, std::string_view workload, auto&& counts) {
    auto all = in.standings(workload, "late_p50");
    auto measured = in.measured(workload, "late_p50");
    std::erase_if(measured, [&](const result* item) { return !counts(*item); });
    std::erase_if(all, [&](const standing& each) { return !counts(*each.item); });
    if (all.empty() || first_may_be_missing(all, measured)) return std::nullopt;
    accurate found{workload, leaders(all, in.whole().baseline), {}};
    std::ranges::copy_if(all, std::back_inserter(found.others), [&](const standing& each) {
        return std::ranges::find(found.leaders, each.item, &standing::item) == found.leaders.end();
    });
    return found;
}

names names_of_places(const places& those) {
    names all;
    for (const auto& each : those) all.push_back(each.item->contender);
    return all;
}

/// Returns for example "34.9 to 37.2 µs late, with 36.0 to 56.6 µs of CPU per operation". Adds the quoted
/// results to `from`.
std::string how_late(const indexed_report& in, const places& those, sources& from) {
    sources late;
    range cpu;
    for (const auto& each : those) {
        late.push_back(each.item);
        if (const auto* const spent = in.number(each.item->workload, each.item->contender, "cpu")) {
            cpu.add(*spent->median);
            from.push_back(spent);
        }
    }
    from.insert(from.end(), late.begin(), late.end());
    return fmt::format("{} late{}", lateness(late),
                       cpu.least ? fmt::format(", with {} of CPU per operation", cpu.text(human_time)) : "");
}

std::optional<standing> latest_on(const indexed_report& in, std::string_view workload) {
    const auto all = in.standings(workload, "late_p50");
    if (latest_may_be_missing(all, in.measured(workload, "late_p50"))) return std::nullopt;
    if (all.size() <= 2 || all.back().item->judged != verdict::slower) return std::nullopt;
    const auto is_apart = [&](const standing& other) { return !touch(all.back(), other); };
    // The contender with the greatest lateness is compared with all others, because one with less lateness
    // can have a wide interval that touches the interval of the last one.
    if (!std::all_of(all.begin(), std::prev(all.end()), is_apart)) return std::nullopt;
    return all.back();
}

std::string accurate_burners(const indexed_report& in, std::string_view workload, sources& from) {
    const auto best = accurate_on(in, workload, [](const result&) { return true; });
    if (!best || best->others.empty()) return "";
    range burnt;
    for (const auto& each : best->leaders) {
        if (!burns(in, workload, each.item->contender)) return "";
        burnt.add(*in.number(workload, each.item->contender, "spin")->median);
    }
    const auto who = names_of_places(best->leaders);
    sources late;
    for (const auto& each : best->leaders) late.push_back(each.item);
    from.insert(from.end(), late.begin(), late.end());
    return fmt::format("{} {} the most accurate ({} late) and {} {} of a core; ", listed(who), is_or_are(who),
                       lateness(late), burn_or_burns(who), burnt.text(share_text));
}

/// Adds a sentence about the most accurate contender that sleeps, and all contenders that cannot be told
/// apart from it. The sentence names contenders that burn a core and are more accurate separately.
void find_timers(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto sleeps = [&](const result& item) { return !burns(in, item.workload, item.contender); };
    std::optional<accurate> shown;
    for (const auto workload : in.about("late_p50")) {
        auto found = accurate_on(in, workload, sleeps);
        const auto size = [](const accurate& of) { return of.leaders.size() + of.others.size(); };
        if (found && !found->others.empty() && (!shown || size(*found) > size(*shown)))
            shown = std::move(found);
    }
    if (!shown) return;
    summary_sentence found{topic::timers, "Timers", "", {}};
    const auto who = names_of_places(shown->leaders);
    const auto burners = accurate_burners(in, shown->workload, found.from);
    found.text = fmt::format("on {}, {}{}{} {} {}", cut(shown->workload), burners,
                             burners.empty() ? "" : "among contenders that sleep, ",
                             listed(who, names_of_timers_shown), is_or_are(who),
                             how_late(in, shown->leaders, found.from));
    found.text += who.size() == 1 ? ", and every other one is significantly later"
                                  : " (no significant difference between them)";
    if (const auto last = latest_on(in, shown->workload)) {
        found.text += fmt::format("; {} is significantly the latest ({})", cut(last->item->contender),
                                  lateness({last->item}));
        found.from.push_back(last->item);
    }
    found.text += ".";
    all.push_back(std::move(found));
}

/// Returns for example " among the 5 of 7 contenders that report it", or "" if all contenders report their
/// CPU share. (A report need not contain it.)
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

void find_waiting(std::vector<summary_sentence>& all, const indexed_report& in) {
    names burners;
    range burnt;
    const result* others = nullptr;
    summary_sentence found{topic::waiting, "Waiting", "", {}};
    sources not_burning;
    const auto is_a_burner = [&](std::string_view who) {
        return std::ranges::find(burners, who) != burners.end();
    };
    const auto waiting = workloads_that_wait(in);
    for (const auto workload : waiting) {
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
    const bool names_workload =
        others != nullptr && (waiting.size() > 1 || !others->workload.starts_with("idle/"));
    const auto who_of_others =
        others == nullptr ? std::string{}
                          : fmt::format("{} ({}{})", share_text(*others->median), cut(others->contender),
                                        names_workload ? " on " + cut(others->workload) : "");
    const auto reported = among_those_that_report(in);
    if (burners.empty()) {
        found.text = others_may_burn
                         ? fmt::format("undecided; the highest CPU share is {}{}.", who_of_others, reported)
                         : fmt::format("no contender burns a core; the highest CPU share is {}{}.",
                                       who_of_others, reported);
    } else {
        found.text = fmt::format("{} {} {} of a core", listed(burners), burn_or_burns(burners),
                                 burnt.text(share_text));
        if (others != nullptr)
            found.text += fmt::format(
                "; {} {}{}", others_may_burn ? "the others are undecided, with up to" : "others up to",
                who_of_others, reported);
        found.text += ".";
    }
    all.push_back(std::move(found));
}

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
                       fmt::format("ignore all verdicts of this session; {}.", cut(*why, 200)),
                       {}});
    if (content.aa && content.aa->found == reliability::unknown && !was_too_busy(content))
        all.push_back(
            {topic::caution,
             "Preliminary",
             fmt::format("the noise of this machine is unknown; {}.",
                         cut(content.aa->reason.value_or("the A/A comparison has too few blocks"), 200)),
             {}});
}

void find_swaps_without_effect(std::vector<summary_sentence>& all, const report& content) {
    for (const auto& item : content.warnings)
        if (item.code == swap_without_effect_code)
            all.push_back({topic::caution,
                           "Not swapped",
                           fmt::format("{}; {}.", cut(item.message, 400), item.remedy),
                           {}});
}

void find_loops(std::vector<summary_sentence>& all, const report& content) {
    if (auto text = asio_loops_text(content); !text.empty())
        all.push_back({topic::loops, "Loops", cut(text, 1000), {}});
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

/// The number of comparisons of one metric, and the undecided results among them. Floors are left out,
/// because users cannot choose a floor.
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

std::string_view short_title(std::string_view metric) {
    constexpr std::string_view each = " per operation";
    auto title = title_of_metric(metric);
    if (title.ends_with(each)) title.remove_suffix(each.size());
    return title;
}

void find_undecided(std::vector<summary_sentence>& all, const indexed_report& in) {
    const auto counted = tallies(in);
    if (counted.empty() && std::ranges::any_of(in.whole().results, [](const result& each) {
            return each.judged.has_value();  // only floors, or metrics that are not primary, have verdicts
        }))
        return;
    const auto baseline = cut(in.whole().baseline);
    if (counted.empty())
        return all.push_back({topic::undecided,
                              "Not compared",
                              baseline.empty()
                                  ? std::string{"the report has no baseline."}
                                  : fmt::format("no contender has a verdict against {}.", baseline),
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

}  // namespace

std::string largest_deviation(const self_check& aa) {
    const auto of = [](const self_comparison& each) { return std::abs(std::log(each.to_itself.median)); };
    const auto most = std::ranges::max_element(aa.comparisons, {}, of);
    if (most == aa.comparisons.end()) return "no value to compare";
    if (!(most->to_itself.median > 0) || !std::isfinite(of(*most))) return "no ratio to compare";
    const auto percent = 100 * std::expm1(of(*most));
    return fmt::format("up to {} % apart ({}{})", fixed_point(percent, percent < 9.95 ? 1 : 0),
                       cut(most->workload), is_difference(most->judged) ? "" : ", not significant");
}

namespace {

void find_trust(std::vector<summary_sentence>& all, const report& content) {
    summary_sentence found{topic::trust, "A/A", "", {}};
    if (!content.aa)
        found.text =
            content.baseline.empty()
                ? std::string{"not measured, because the report has no baseline."}
                : fmt::format("not measured; {} has no A/A copy in this report.", cut(content.baseline));
    else if (content.aa->found == reliability::reliable)
        found.text =
            fmt::format("{} was measured twice: {}.", cut(content.baseline), largest_deviation(*content.aa));
    else
        return;
    all.push_back(std::move(found));
}

}  // namespace

std::vector<summary_sentence> summary_sentences_of(const report& content) {
    std::vector<summary_sentence> all;
    const indexed_report in{content};
    find_cautions(all, content);
    find_swaps_without_effect(all, content);
    find_failures(all, content);
    const bool unreliable = why_unreliable(content).has_value();
    if (!unreliable) {
        find_threads(all, in);  // first, because only runs about threads have it
        find_cost(all, in);
        find_limit(all, in);
        find_connections(all, in);
        find_timers(all, in);
    }
    find_waiting(all, in);
    if (!unreliable) find_undecided(all, in);
    find_loops(all, content);
    if (!content.results.empty()) find_trust(all, content);
    return all;
}

}  // namespace loopbench::reports
