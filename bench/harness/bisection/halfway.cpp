#include "bench/harness/bisection/halfway.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/harness/experiment/samples.hpp"

namespace loopbench::bench {

namespace {

using values_of_blocks = std::vector<std::optional<double>>;

std::optional<double> log_of(const values_of_blocks& values, std::size_t block) {
    if (block >= values.size() || !values[block] || *values[block] <= 0) return std::nullopt;
    return std::log(*values[block]);
}

values_of_blocks values_in(const sample_table& samples, std::size_t contender, std::string_view metric) {
    const auto& of_all = samples.of({0, contender});
    const auto found = of_all.find(metric);
    return found == of_all.end() ? values_of_blocks{} : found->second;
}

/// Returns the distances of interleaved trials, from the ratios of their rounds.
std::vector<double> distances_of_rounds(const values_of_blocks& to_good, const values_of_blocks& to_bad) {
    std::vector<double> all;
    for (std::size_t block = 0; block < std::min(to_good.size(), to_bad.size()); ++block) {
        const auto good = log_of(to_good, block), bad = log_of(to_bad, block);
        if (good && bad) all.push_back(-(*good + *bad) / 2);
    }
    return all;
}

}  // namespace

std::vector<double> distances_from_halfway(const run_plan& plan, const run_outcome& outcome,
                                           const reports::metric_info& metric) {
    const sample_table samples{plan, outcome};
    if (metric.name == "time") {
        const auto to_good = samples.ratios_of_slices({0, commit_place, good_place}),
                   to_bad = samples.ratios_of_slices({0, commit_place, bad_place});
        if (to_good && to_bad) return distances_of_rounds(*to_good, *to_bad);
    }
    const auto good = values_in(samples, good_place, metric.name),
               commit = values_in(samples, commit_place, metric.name),
               bad = values_in(samples, bad_place, metric.name);
    const double sign = metric.better == reports::direction::smaller ? 1 : -1;
    std::vector<double> all;
    for (std::size_t block = 0; block < commit.size(); ++block) {
        const auto fast = log_of(good, block), own = log_of(commit, block), slow = log_of(bad, block);
        if (fast && own && slow) all.push_back(sign * (*own - (*fast + *slow) / 2));
    }
    return all;
}

std::string why_no_distance(const run_plan& plan, const run_outcome& outcome,
                            const reports::metric_info& metric) {
    const sample_table samples{plan, outcome};
    const auto commit = values_in(samples, commit_place, metric.name);
    const auto is_zero = [](const std::optional<double>& value) { return value && *value <= 0; };
    if (std::ranges::any_of(commit, is_zero))
        return fmt::format("its value of {} is 0, but only values above 0 can be bisected", metric.name);
    if (std::ranges::none_of(commit, [](const auto& value) { return value.has_value(); }))
        return fmt::format("the program has no value of {}", metric.name);
    return fmt::format("GOOD or BAD had no value of {} above 0 in its blocks", metric.name);
}

}  // namespace loopbench::bench
