#include "bench/harness/profiling/profile.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

namespace {

constexpr std::string_view others = "[others]";
// The limits keep a line of the journal, which contains all profiles, below its maximum size.
constexpr std::size_t functions_max = 500, stacks_max = 1000, names_bytes_max = std::size_t{512} << 10U;

struct two_times {
    double before_ns = 0, after_ns = 0;
    [[nodiscard]] double larger() const { return std::max(before_ns, after_ns); }
};

using times_by_name = std::map<std::string, two_times, std::less<>>;

std::string_view innermost(std::string_view stack) {
    const auto last = stack.rfind(';');
    return last == std::string_view::npos ? stack : stack.substr(last + 1);
}

/// Sums up the times by the name that `name_of` returns for a stack.
template <class naming>
times_by_name times_of(const profiled_build& before, const profiled_build& after, naming name_of) {
    times_by_name all;
    for (const auto& [build, time] :
         {std::pair{&before, &two_times::before_ns}, std::pair{&after, &two_times::after_ns}}) {
        const double whole = total_weight(build->stacks);
        for (const auto& [stack, weight] : build->stacks)
            all[std::string{name_of(stack)}].*time += weight / whole * build->operation_ns;
    }
    return all;
}

/// Returns at most `most` names, those with the largest times, and "[others]" for the rest.
std::vector<std::pair<std::string, two_times>> largest(const times_by_name& all, std::size_t most) {
    std::vector<std::pair<std::string, two_times>> sorted{all.begin(), all.end()};
    std::ranges::sort(sorted, {}, [](const auto& each) {
        return std::pair{-each.second.larger(), std::string_view{each.first}};
    });
    two_times rest;
    std::size_t kept = 0, bytes = 0;
    for (const auto& [name, time] : sorted) {
        bytes += name.size();
        if (kept < most && bytes <= names_bytes_max) {
            ++kept;
            continue;
        }
        rest.before_ns += time.before_ns;
        rest.after_ns += time.after_ns;
    }
    if (kept == sorted.size()) return sorted;
    sorted.resize(kept);
    sorted.emplace_back(others, rest);
    return sorted;
}

double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

}  // namespace

reports::profile compare_profiles(std::string profiler, const profiled_build& before,
                                  const profiled_build& after) {
    reports::profile found{std::move(profiler), {}, {}};
    for (const auto& [name, time] : largest(times_of(before, after, innermost), functions_max))
        found.functions.push_back({name, percent(time.before_ns, before.operation_ns),
                                   percent(time.after_ns, after.operation_ns),
                                   time.after_ns - time.before_ns});
    std::ranges::sort(found.functions, {}, [](const reports::profiled_function& each) {
        return std::pair{-each.more_ns, std::string_view{each.name}};
    });
    const auto whole_stack = [](std::string_view stack) { return stack; };
    for (const auto& [stack, time] : largest(times_of(before, after, whole_stack), stacks_max))
        found.stacks.push_back({stack, time.before_ns, time.after_ns});
    return found;
}

}  // namespace loopbench::bench
