#include "bench/harness/profiling/profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

namespace {

// The limits keep a line of the journal, which contains all profiles, below its maximum size.
constexpr std::size_t functions_max = 500, stacks_max = 1000, names_bytes_max = std::size_t{512} << 10U;

struct two_times {
    double before_ns = 0, after_ns = 0, variance = 0;
    [[nodiscard]] double larger() const { return std::max(before_ns, after_ns); }
};

using times_by_name = std::map<std::string, two_times, std::less<>>;

std::string_view innermost(std::string_view stack) {
    const auto last = stack.rfind(';');
    return last == std::string_view::npos ? stack : stack.substr(last + 1);
}

double seen_ns(const profiled_build& of) {
    return of.sees_kernel ? of.time.cpu_ns() : of.time.user_ns;
}

/// Returns the variance of a name's share of the weights, multiplied by the square of all weights. The
/// weights of different names are independent, and the sum of all times is known, so only the share is
/// uncertain: a function with all of the time has no error. (This is the delta method for w / (w + rest).)
double variance_of_share(double share, double variance, double all_variances) {
    return variance * (1 - share) * (1 - share) + (all_variances - variance) * share * share;
}

/// Sums up the times by the name that `name_of` returns for a stack. A weight below 0 is noise.
template <class naming>
times_by_name times_of(const profiled_build& before, const profiled_build& after, naming name_of) {
    times_by_name all;
    for (const auto& [build, time] :
         {std::pair{&before, &two_times::before_ns}, std::pair{&after, &two_times::after_ns}}) {
        const double whole = total_weight(build->stacks), all_variances = total_weight(build->variances);
        const double scale = seen_ns(*build) / whole;
        std::map<std::string, double, std::less<>> weights, variances;
        for (const auto& [stack, weight] : build->stacks) weights[std::string{name_of(stack)}] += weight;
        for (const auto& [stack, variance] : build->variances)
            variances[std::string{name_of(stack)}] += variance;
        for (const auto& [name, weight] : weights) all[name].*time += weight * scale;
        for (const auto& [name, variance] : variances) {
            const double share = weights[name] / whole;
            all[name].variance += scale * scale * variance_of_share(share, variance, all_variances);
        }
        if (!build->sees_kernel) all[std::string{reports::in_kernel}].*time += build->time.system_ns;
        if (const double waiting = build->time.waiting_ns(); waiting > 0)
            all[std::string{reports::while_waiting}].*time += waiting;
    }
    for (auto& [name, time] : all) {
        time.before_ns = std::max(time.before_ns, 0.0);
        time.after_ns = std::max(time.after_ns, 0.0);
    }
    return all;
}

/// Returns at most `most` names, those with the largest times, and "[others]" for the rest.
std::vector<std::pair<std::string, two_times>> largest(const times_by_name& all, std::size_t most) {
    std::vector<std::pair<std::string, two_times>> sorted{all.begin(), all.end()}, kept;
    std::ranges::sort(sorted, {}, [](const auto& each) {
        return std::pair{-each.second.larger(), std::string_view{each.first}};
    });
    two_times rest;
    std::size_t bytes = 0;
    for (auto& [name, time] : sorted) {
        if (kept.size() < most && bytes + name.size() <= names_bytes_max) {
            bytes += name.size();
            kept.emplace_back(std::move(name), time);
            continue;
        }
        rest.before_ns += time.before_ns;
        rest.after_ns += time.after_ns;
        rest.variance += time.variance;
    }
    if (kept.size() < sorted.size()) kept.emplace_back(reports::other_functions, rest);
    return kept;
}

double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

}  // namespace

reports::profile compare_profiles(std::string profiler, const profiled_build& before,
                                  const profiled_build& after) {
    reports::profile found{std::move(profiler), {}, {}};
    const bool is_exact = before.variances.empty() && after.variances.empty();
    for (const auto& [name, time] : largest(times_of(before, after, innermost), functions_max))
        found.functions.push_back({name, percent(time.before_ns, before.time.wall_ns),
                                   percent(time.after_ns, after.time.wall_ns), time.after_ns - time.before_ns,
                                   is_exact ? std::nullopt : std::optional{std::sqrt(time.variance)}});
    std::ranges::sort(found.functions, {}, [](const reports::profiled_function& each) {
        return std::pair{-each.more_ns, std::string_view{each.name}};
    });
    const auto whole_stack = [](std::string_view stack) { return stack; };
    for (const auto& [stack, time] : largest(times_of(before, after, whole_stack), stacks_max))
        found.stacks.push_back({stack, time.before_ns, time.after_ns});
    return found;
}

}  // namespace loopbench::bench
