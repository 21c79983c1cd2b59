#include "bench/harness/counting/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace loopbench::bench {

namespace {

using reports::count_kind;

struct two_counts {
    double before = 0, after = 0;
    [[nodiscard]] double growth() const { return after - before; }
};

/// The counts of both builds that both of them have.
struct counted_pair {
    std::map<count_key, two_counts> counts;
    std::set<count_kind> kinds;
    bool set_up_included = false;
};

/// Returns the difference that does not count as a change. It is larger for context switches, because other
/// programs on the machine cause some of them.
double slack_of(count_kind kind, const two_counts& of) {
    const double largest = std::max(std::abs(of.before), std::abs(of.after));
    switch (kind) {
        case count_kind::allocated_bytes:
            return 2 + 0.005 * largest;
        case count_kind::context_switches:
            return 0.1 + 0.05 * largest;
        case count_kind::instructions:
            return 5 + 0.005 * largest;
        default:
            return 0.02 + 0.005 * largest;
    }
}

std::set<count_kind> kinds_in(const named_counts& counts) {
    std::set<count_kind> kinds;
    for (const auto& [key, count] : counts) kinds.insert(key.first);
    return kinds;
}

counted_pair count_both(const two_builds& builds, const count_tool& with) {
    const auto before = count_operations(builds.before, with), after = count_operations(builds.after, with);
    counted_pair found{{}, {}, before.set_up_included || after.set_up_included};
    const auto some = kinds_in(before.counts), others = kinds_in(after.counts);
    // The counter of a kind can be missing for one of the builds, for example because it is linked
    // statically.
    std::ranges::set_intersection(some, others, std::inserter(found.kinds, found.kinds.end()));
    for (const auto& [key, count] : before.counts)
        if (found.kinds.contains(key.first)) found.counts[key].before = std::max(count, 0.0);
    for (const auto& [key, count] : after.counts)
        if (found.kinds.contains(key.first)) found.counts[key].after = std::max(count, 0.0);
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

void take_changes(reports::slowdown_cause& found, const two_builds& builds, const count_tool& with) {
    const auto first = count_both(builds, with);
    std::vector<count_key> changed;
    for (const auto& [key, count] : first.counts)
        if (std::abs(count.growth()) > slack_of(key.first, count)) changed.push_back(key);
    // If the time ends during the second count, the counts of this tool are unknown.
    const auto second = changed.empty() ? counted_pair{} : count_both(builds, with);
    for (const auto kind : first.kinds) found.compared.push_back(kind);
    found.set_up_included = found.set_up_included || (first.set_up_included && !changed.empty());
    for (const auto& key : changed) {
        const auto& one = first.counts.at(key);
        const auto at = second.counts.find(key);
        const auto other = at == second.counts.end() ? two_counts{} : at->second;
        if (is_stable(one, other))
            found.changed.push_back(
                {key.first, key.second, (one.before + other.before) / 2, (one.after + other.after) / 2});
        else
            found.unstable.push_back(name_of_count(key));
    }
}

void compare_with_one_of(reports::slowdown_cause& found, const two_builds& builds, tool_choice& choice) {
    std::string why = choice.remedy;
    while (!choice.tools.empty()) {
        try {
            return take_changes(found, builds, *choice.tools.front());
        } catch (const out_of_time&) {
            throw;
        } catch (const uncountable& error) {
            why = choice.remedy.empty() ? "" : error.what();
            if (choice.tools.size() == 1 && !why.empty()) break;
            choice.tools.erase(choice.tools.begin());
        }
    }
    if (!why.empty()) found.missing.push_back(fmt::format("{} were not counted: {}", choice.what, why));
}

tool_choice choice_of(std::string what, std::string remedy, std::unique_ptr<count_tool> first,
                      std::unique_ptr<count_tool> second) {
    tool_choice made{std::move(what), {}, std::move(remedy)};
    for (auto* each : {&first, &second})
        if (*each) made.tools.push_back(std::move(*each));
    return made;
}

}  // namespace

std::vector<tool_choice> tools_of_this_machine(const std::string& counter, bool instructions) {
    std::vector<tool_choice> all;
    all.push_back(choice_of("allocations and context switches", "they are unknown", heap_tool(counter), {}));
    all.push_back(choice_of("system calls",
                            "perf and strace are not installed; install strace (apt-get install strace)",
                            perf_trace_tool(), strace_tool()));
    all.push_back(choice_of(
        "instructions",
        instructions ? "this machine has no counter that perf can read, and valgrind is not installed; "
                       "install it (apt-get install valgrind)"
                     : "",
        perf_stat_tool(), instructions ? callgrind_tool() : nullptr));
    return all;
}

void compare_counts(reports::slowdown_cause& found, const two_builds& builds,
                    std::vector<tool_choice>& choices) {
    for (auto& choice : choices) compare_with_one_of(found, builds, choice);
    const auto is_known = [&](count_kind kind) {
        return std::ranges::find(found.compared, kind) != found.compared.end();
    };
    if (is_known(count_kind::context_switches) && !is_known(count_kind::allocations))
        found.missing.emplace_back(
            "allocations were not counted: a build is linked statically or contains its own allocator, or "
            "loopbench is not installed completely; link both builds dynamically");
}

}  // namespace loopbench::bench
