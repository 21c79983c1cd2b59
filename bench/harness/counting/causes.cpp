#include "bench/harness/counting/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace loopbench::bench {

namespace {

using reports::count_kind;
using reports::operation_time;

struct two_counts {
    double before = 0, after = 0;
    [[nodiscard]] double growth() const { return after - before; }
};

/// The counts of both builds that both of them have.
struct counted_pair {
    std::map<count_key, two_counts> counts = {};
    std::set<count_kind> kinds = {};
    double per_event = 0;
    bool set_up_included = false;
    std::optional<std::pair<operation_time, operation_time>> time = {};  // absent if it has no meaning
    bool can_pause = true;  // false if the trials measure all of the time of an operation
};

/// Returns the difference that does not count as a change: a number of events that two equal processes can
/// differ by, and a share of the count. It is larger for context switches, because other programs on the
/// machine cause some of them.
double slack_of(count_kind kind, const two_counts& of, double per_event) {
    const double largest = std::max(std::abs(of.before), std::abs(of.after));
    const auto events = [&](double number) { return std::min(number * per_event, 0.5); };
    switch (kind) {
        case count_kind::allocated_bytes:
            return 2 + 0.005 * largest;
        case count_kind::context_switches:
            return events(50) + 0.05 * largest;
        case count_kind::instructions:
            return 5 + 0.005 * largest;
        default:
            return events(10) + 0.005 * largest;
    }
}

std::set<count_kind> kinds_in(const named_counts& counts) {
    std::set<count_kind> kinds;
    for (const auto& [key, count] : counts) kinds.insert(key.first);
    return kinds;
}

counted_pair compared_pair(const two_builds& builds, const count_tool& with) {
    const auto both = count_both(builds, with);
    const auto &before = both.before, &after = both.after;
    counted_pair found{.per_event = std::max(before.per_event, after.per_event),
                       .set_up_included = before.set_up_included,
                       .can_pause = !builds.before.speed().runs_command};
    // The time of an operation must not include the set-up. Several threads share the measured wall time.
    if (before.time && after.time && !before.set_up_included &&
        std::max(builds.before.threads(), builds.after.threads()) == 1)
        found.time = {*before.time, *after.time};
    const auto some = kinds_in(before.counts), others = kinds_in(after.counts);
    // The counter of a kind can be missing for one of the builds, for example because it is linked
    // statically.
    std::ranges::set_intersection(some, others, std::inserter(found.kinds, found.kinds.end()));
    for (const auto& [counts, side] :
         {std::pair{&before.counts, &two_counts::before}, std::pair{&after.counts, &two_counts::after}})
        for (const auto& [key, count] : *counts)
            if (found.kinds.contains(key.first)) found.counts[key].*side = count;
    return found;
}

std::string name_of_count(const count_key& key) {
    if (key.first == count_kind::system_call) return key.second + "(2)";
    std::string name{reports::name_of(key.first)};
    std::ranges::replace(name, '_', ' ');
    return name;
}

/// Returns true if two counts show the same change: in each build, they differ by at most a quarter of it.
bool is_stable(const two_counts& first, const two_counts& second) {
    constexpr double quarter = 0.25;
    const double spread =
        std::max(std::abs(first.before - second.before), std::abs(first.after - second.after));
    return spread <= quarter * std::abs(first.growth());
}

/// Returns true if a count is so far below 0 that it cannot be right.
bool is_negative(const count_key& key, const two_counts& of, double per_event) {
    return std::min(of.before, of.after) < -slack_of(key.first, of, per_event);
}

/// The shares of their time that the builds are in a CPU.
struct cpu_shares {
    double before = 1, after = 1;
    [[nodiscard]] bool are_whole() const { return before == 1 && after == 1; }
};

/// Returns the share of its time that a counted process is in a CPU. Returns nothing if several threads are
/// in a CPU at once, or if the operations take longer than those that the trials measured, for example
/// because the benchmark pauses its timer.
std::optional<double> share_of(const operation_time& of, double measured_ns, bool can_pause) {
    constexpr double most_in_one_cpu = 1.1, longest_by_noise = 1.25;
    if (!(of.wall_ns > 0) || (can_pause && of.wall_ns > longest_by_noise * measured_ns)) return std::nullopt;
    const double share = std::max(of.cpu_ns(), 0.0) / of.wall_ns;
    return share > most_in_one_cpu ? std::nullopt : std::optional{std::min(share, 1.0)};
}

/// Returns nothing if the shares are unknown. If both builds spend nearly all of their time in a CPU, the
/// rest is noise.
std::optional<cpu_shares> shares_of(const counted_pair& of, const measured_times& times) {
    constexpr double nearly_all = 0.9;
    if (!of.time || !(times.before_ns > 0) || !(times.after_ns > 0)) return std::nullopt;
    if (times.is_cpu_time) return cpu_shares{};
    const auto before = share_of(of.time->first, times.before_ns, of.can_pause),
               after = share_of(of.time->second, times.after_ns, of.can_pause);
    if (!before || !after) return std::nullopt;
    return std::min(*before, *after) >= nearly_all ? cpu_shares{} : cpu_shares{*before, *after};
}

/// Returns the shares that two counts agree on. A disturbance can make a process wait only in one of them.
std::optional<cpu_shares> common_shares(const std::optional<cpu_shares>& first,
                                        const std::optional<cpu_shares>& second) {
    constexpr double tolerance = 0.1;
    for (const auto& each : {first, second})
        if (each && each->are_whole()) return each;
    if (!first || !second || std::abs(first->before - second->before) > tolerance ||
        std::abs(first->after - second->after) > tolerance)
        return std::nullopt;
    return cpu_shares{(first->before + second->before) / 2, (first->after + second->after) / 2};
}

/// Returns the times of an operation that is in a CPU for `share` of its time. A time below 0 is noise.
operation_time time_of(const operation_time& of_process, double wall_ns, double share) {
    const double user = std::max(of_process.user_ns, 0.0), system = std::max(of_process.system_ns, 0.0);
    if (!(user + system > 0)) return {wall_ns, share * wall_ns, 0};
    const double scale = share * wall_ns / (user + system);
    return {wall_ns, user * scale, system * scale};
}

void take_times(reports::slowdown_cause& found, const counted_pair& of, const cpu_shares& shares,
                const measured_times& times) {
    found.time_before = time_of(of.time->first, times.before_ns, shares.before);
    found.time_after = time_of(of.time->second, times.after_ns, shares.after);
}

void take_changes(reports::slowdown_cause& found, const two_builds& builds, const count_tool& with,
                  const measured_times& times) {
    const auto first = compared_pair(builds, with);
    std::vector<count_key> changed;
    for (const auto& [key, count] : first.counts)
        if (std::abs(count.growth()) > slack_of(key.first, count, first.per_event) ||
            is_negative(key, count, first.per_event))
            changed.push_back(key);
    const auto shares = shares_of(first, times);
    const bool may_wait =
        first.time && times.before_ns > 0 && times.after_ns > 0 && !(shares && shares->are_whole());
    // If the time ends during the second count, the counts of this tool are unknown.
    const auto second = changed.empty() && !may_wait ? counted_pair{} : compared_pair(builds, with);
    for (const auto kind : first.kinds) found.compared.push_back(kind);
    found.set_up_included = found.set_up_included || (first.set_up_included && !changed.empty());
    if (const auto common = common_shares(shares, shares_of(second, times)); common && first.time)
        take_times(found, first, *common, times);
    for (const auto& key : changed) {
        const auto& one = first.counts.at(key);
        const auto at = second.counts.find(key);
        const auto other = at == second.counts.end() ? two_counts{} : at->second;
        if (is_stable(one, other) && !is_negative(key, one, first.per_event))
            found.changed.push_back({key.first, key.second, std::max(0.0, (one.before + other.before) / 2),
                                     std::max(0.0, (one.after + other.after) / 2)});
        else
            found.unstable.push_back(name_of_count(key));
    }
}

/// Adds the reason for which nothing was counted.
void add_missing(reports::slowdown_cause& found, const tool_choice& choice, const std::string& why) {
    if (!choice.is_important) return;
    // Another tool would not help if a tool works here, but not with this benchmark.
    const std::string remedy = why.empty() ? choice.remedy : "";
    std::string text = why.empty() ? choice.why_unusable : why;
    if (text.empty()) text = "no tool for them is installed";
    found.missing.push_back(
        fmt::format("{} were not counted: {}{}{}", choice.what, text, remedy.empty() ? "" : "; ", remedy));
}

void compare_with_one_of(reports::slowdown_cause& found, const two_builds& builds, tool_choice& choice,
                         const measured_times& times) {
    std::string why;
    for (std::size_t i = 0; i < choice.tools.size();) {
        try {
            return take_changes(found, builds, *choice.tools[i], times);
        } catch (const out_of_time&) {
            throw;
        } catch (const unusable_tool& error) {
            choice.why_unusable = error.what();
            choice.tools.erase(choice.tools.begin() + static_cast<std::ptrdiff_t>(i));
        } catch (const uncountable& error) {
            why = error.what();
            ++i;
        }
    }
    add_missing(found, choice, why);
}

tool_choice choice_of(std::string what, std::string remedy, bool is_important,
                      std::unique_ptr<count_tool> first, std::unique_ptr<count_tool> second) {
    tool_choice made{
        .what = std::move(what), .tools = {}, .remedy = std::move(remedy), .is_important = is_important};
    for (auto* each : {&first, &second})
        if (*each) made.tools.push_back(std::move(*each));
    return made;
}

using possible_counts = std::optional<counts_per_operation>;

/// Returns true if both builds were counted, and the set-up is separated from the operations of both or of
/// none.
bool are_alike(const std::pair<possible_counts, possible_counts>& both) {
    return both.first && both.second && both.first->set_up_included == both.second->set_up_included;
}

}  // namespace

both_counts count_both(const two_builds& builds, const count_tool& with) {
    const auto &before = builds.before.speed(), &after = builds.after.speed();
    if (before.takes_operations != after.takes_operations || before.is_calibrated != after.is_calibrated)
        throw uncountable{
            "the number of operations is fixed in only one build, so their counts cannot be compared; "
            "measure both builds with the same code of the benchmark"};
    const auto count = [&](const std::vector<amount_of_work>& amounts) {
        return std::pair{count_operations(builds.before, with, amounts),
                         count_operations(builds.after, with, amounts)};
    };
    auto amounts = amounts_for(before.operation_s > after.operation_s ? before : after, with.work());
    auto both = count(amounts);
    const bool have_slopes = both.first && both.second;
    if (!have_slopes) {
        constexpr int repetitions = 3;
        both = count(amounts_by_repetitions(repetitions));
    }
    if (!both.first || !both.second)
        throw uncountable{
            "all processes did the same number of iterations, so the counts of an operation are unknown; "
            "remove ->Iterations(N)->Repetitions(M) from the benchmark"};
    constexpr int most_repeats = 3;
    for (int i = 0; have_slopes && i < most_repeats && !are_alike(both); ++i) {
        // With other times, the batches of iterations have other sizes, so that they can be separated.
        for (auto& each : amounts) each.min_time_s *= 1.3;
        both = count(amounts);
    }
    if (!are_alike(both))
        throw uncountable{
            "the work outside the loop could be separated from the operations of only one build; run the "
            "comparison again"};
    return {std::move(*both.first), std::move(*both.second)};
}

std::vector<tool_choice> tools_of_this_machine(const std::string& counter, bool instructions) {
    std::vector<tool_choice> all;
    all.push_back(choice_of("allocations and context switches", "", true, heap_tool(counter), {}));
    all.push_back(choice_of("system calls", "install strace (apt-get install strace)", true,
                            perf_trace_tool(), strace_tool()));
    all.push_back(choice_of("instructions", "install valgrind (apt-get install valgrind)", instructions,
                            perf_stat_tool(), instructions ? callgrind_tool() : nullptr));
    return all;
}

void compare_counts(reports::slowdown_cause& found, const two_builds& builds,
                    std::vector<tool_choice>& choices, const measured_times& times) {
    for (auto& choice : choices) compare_with_one_of(found, builds, choice, times);
    const auto is_known = [&](count_kind kind) {
        return std::ranges::find(found.compared, kind) != found.compared.end();
    };
    if (is_known(count_kind::context_switches) && !is_known(count_kind::allocations))
        found.missing.emplace_back(
            "allocations were not counted: a build is linked statically or contains its own allocator, or "
            "loopbench is not installed completely; link both builds dynamically");
}

}  // namespace loopbench::bench
