#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "bench/harness/statistics/change_points.hpp"
#include "chance.hpp"

namespace loopbench::tests {

using run_series = std::vector<double>;

/// A function that returns the random part of a run's value, as the logarithm of a ratio.
using noise = std::function<double(generator&)>;

inline noise normal_noise(double spread) {
    return [spread](generator& random) { return std::normal_distribution<double>{0, spread}(random); };
}

inline noise median_of_blocks(double spread, std::size_t blocks) {
    return [spread, blocks](generator& random) {
        std::vector<double> all(blocks);
        for (auto& each : all) each = std::normal_distribution<double>{0, spread}(random);
        std::ranges::sort(all);
        return (all[(blocks - 1) / 2] + all[blocks / 2]) / 2;
    };
}

inline run_series unchanged(generator& random, const noise& of, std::size_t runs) {
    run_series all(runs);
    for (auto& value : all) value = of(random);
    return all;
}

inline run_series with_step(generator& random, const noise& of, std::size_t runs, std::size_t at,
                            double step_pct) {
    auto all = unchanged(random, of, runs);
    for (auto i = at; i < runs; ++i) all[i] -= std::log1p(step_pct / 100);
    return all;
}

inline std::vector<bench::change_point> changes_in(run_series series, std::size_t runs,
                                                   const bench::change_rule& rule = {}) {
    series.resize(runs);
    const std::vector<run_series> one{std::move(series)};
    return bench::change_points(one, rule).front();
}

/// Searches for changes after each run, from run `at` on and at most `most` times. Returns the number of runs
/// until a search reports a change within two runs of `at`.
inline std::optional<std::size_t> delay_of(const run_series& series, std::size_t at, std::size_t most,
                                           const bench::change_rule& rule = {}) {
    for (std::size_t after = 1; after <= most && at + after <= series.size(); ++after)
        for (const auto& change : changes_in(series, at + after, rule))
            if (change.at + 2 >= at && change.at <= at + 2) return after;
    return std::nullopt;
}

}  // namespace loopbench::tests
