// Series of results: one metric of one workload, measured with one pairing, by one contender on one machine,
// run by run, and the points where it changed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/history/store.hpp"
#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

struct series_point {
    const kept_run* run = nullptr;
    double value = 0;
};

struct point_interval {
    std::optional<double> low, high;
};

/// A series. Runs with another size or another baseline belong to another series, because their numbers mean
/// something else.
struct series {
    subject of;
    std::string contender;
    kept_machine machine;
    std::string size, baseline;  // empty: values, and not ratios to a baseline
    std::vector<series_point> points;
    std::vector<point_interval> intervals;  // one per point if requested: they take most of the memory

    [[nodiscard]] bool is_ratio() const { return !baseline.empty(); }
};

/// The chosen series. An empty list selects everything, except for metrics: primary metrics and counts.
struct series_choice {
    std::vector<std::string> workloads = {}, contenders = {}, metrics = {};
    bool intervals = false;
};

/// Returns the chosen series, sorted by workload, metric and contender. An interrupted run is in none of
/// them; a run on an unreliable machine is only in those of counts. The points refer to `runs`, which must be
/// sorted by date. Throws usage_error for a pattern that matches nothing, and database_error.
std::vector<series> read_series(store& from, const std::vector<kept_run>& runs, const series_choice& choice);

/// Direction of a change. If only the spread of the values changed, it is neither better nor worse.
enum class change_direction { better, worse, neither };

constexpr auto names_of(change_direction) {
    return std::to_array<std::string_view>({"better", "worse", "different"});
}

struct series_change {
    const series* in = nullptr;
    std::size_t at = 0;            // the first point of the new level
    double p = 1;                  // of the permutation test, before the correction for many series
    double before = 0, after = 0;  // the levels: medians up to the next change on either side
    /// The improvement: as a logarithm, or, if is_logarithmic() is false, as a difference.
    estimate better;
    change_direction is = change_direction::neither;  // better or worse only if the whole interval is

    [[nodiscard]] bool is_worse() const { return is == change_direction::worse; }
};

/// Returns whether changes are judged by logarithms, so that doubling and halving are equally large.
/// Otherwise (for counts, and if a value is not above zero) the values themselves are compared.
bool is_logarithmic(const series& of);

/// Returns the median of the points from `begin` up to `end`, which must not be empty.
double median_of_points(const series& of, std::size_t begin, std::size_t end);

/// Returns whether a change tells something about the contender. That holds for ratios, for counts, and for
/// values of runs without a baseline. The values of the baseline itself also depend on the machine.
bool is_judged(const series& each);

/// Returns the changes of all series together (change_points.hpp), sorted by date. They point into `all`.
std::vector<series_change> changes_in(const std::vector<series>& all);

}  // namespace loopbench::bench
