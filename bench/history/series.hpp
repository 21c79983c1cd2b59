// What was found again and again: one metric of one workload, measured in one way, by one contender on one
// machine, run by run, and where it changed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/history/store.hpp"
#include "bench/statistics/median.hpp"

namespace loopbench::bench {

struct series_point {
    const kept_run* run = nullptr;
    double value = 0;
};

struct point_interval {
    std::optional<double> low, high;
};

/// Runs at another size, or against another baseline, are another series: their numbers are of something
/// else.
struct series {
    subject of;
    std::string contender;
    kept_machine machine;
    std::string size, baseline;  // empty: values, and not ratios to a baseline
    std::vector<series_point> points;
    std::vector<point_interval>
        intervals;  // of each point, if they were asked for: they take the most memory

    [[nodiscard]] bool is_ratio() const { return !baseline.empty(); }
};

/// Empty lists are everything, but for metrics: without any, those that a workload is about, and counts.
struct series_choice {
    std::vector<std::string> workloads = {}, contenders = {}, metrics = {};
    bool intervals = false;
};

/// The chosen series, by workload, metric and contender. A run that was interrupted is in none, and one whose
/// machine was unfit is in those of counts alone. Points at `runs`, which are by date. Throws usage_error for
/// a pattern that matches nothing, and database_error.
std::vector<series> read_series(store& from, const std::vector<kept_run>& runs, const series_choice& choice);

/// Values that only spread more, or less, are a change, too, and neither for better nor for worse.
enum class change_direction { better, worse, neither };

constexpr auto names_of(change_direction) {
    return std::to_array<std::string_view>({"better", "worse", "different"});
}

struct series_change {
    const series* in = nullptr;
    std::size_t at = 0;            // the first point of the new level
    double p = 1;                  // of the permutation test, before the correction for many series
    double before = 0, after = 0;  // the levels: medians up to the next change on either side
    /// How much better it became: as a logarithm, or, where is_logarithmic() is false, as a difference.
    estimate better;
    change_direction is = change_direction::neither;  // worse or better only where the interval is

    [[nodiscard]] bool is_worse() const { return is == change_direction::worse; }
};

/// What is compared with what: logarithms, so that twice as much is as far as half, or, of counts and where
/// not every value is above zero, values as they are.
bool is_logarithmic(const series& of);

/// Of the points from `begin` up to `end`, of which there is one at least.
double median_of_points(const series& of, std::size_t begin, std::size_t end);

/// Whether a change of it says something of the contender: ratios do, counts do, and values where no baseline
/// was measured beside them. The value of the baseline itself is the machine's as well.
bool is_judged(const series& each);

/// The changes of all series together (change_points.hpp), by date. They point into `all`.
std::vector<series_change> changes_in(const std::vector<series>& all);

}  // namespace loopbench::bench
