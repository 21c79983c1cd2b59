// A series contains one number for each run: the value of one metric of one workload, measured with one
// pairing, for one contender on one machine.
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

/// The numbers of one metric over many runs. Runs with another size or another baseline belong to another
/// series, because their numbers are not comparable.
struct series {
    subject of;
    std::string contender;
    kept_machine machine;
    std::string size, baseline;  // `baseline` is empty if the points are not ratios
    std::vector<series_point> points;
    std::vector<point_interval> intervals;  // one per point; empty unless requested, to save memory

    [[nodiscard]] bool is_ratio() const { return !baseline.empty(); }
};

/// The choice of the series to read. An empty list of workloads or contenders selects all of them. An empty
/// list of metrics selects the primary metrics and the counts.
struct series_choice {
    std::vector<std::string> workloads = {}, contenders = {}, metrics = {};
    bool intervals = false;
};

/// Returns the chosen series, sorted by workload, metric and contender. Ignores interrupted runs, and all
/// numbers of unreliable runs except counts. The points refer to `runs`, which must be sorted by date. Throws
/// usage_error if a pattern matches nothing, and database_error if the database fails.
std::vector<series> read_series(store& from, const std::vector<kept_run>& runs, const series_choice& choice);

/// The direction of a change. The value `neither` means that only the spread of the values changed.
enum class change_direction { better, worse, neither };

constexpr auto names_of(change_direction) {
    return std::to_array<std::string_view>({"better", "worse", "different"});
}

struct series_change {
    const series* in = nullptr;
    std::size_t at = 0;
    double p = 1;                  // before the correction for many series
    double before = 0, after = 0;  // medians of the points since the previous change and until the next
    /// The size of the change, above 0 for an improvement. It is the difference between the logarithms of the
    /// values if is_logarithmic() is true, otherwise between the values.
    estimate better;
    change_direction is = change_direction::neither;  // `neither` if the interval of `better` contains 0

    [[nodiscard]] bool is_worse() const { return is == change_direction::worse; }
};

/// Returns true if changes are judged by the logarithms of the values, so that doubling and halving are
/// equally large changes. Returns false for counts, and for series with a value that is not above zero.
bool is_logarithmic(const series& of);

/// Returns the median of the points from `begin` to `end` (exclusive). This range must not be empty.
double median_of_points(const series& of, std::size_t begin, std::size_t end);

/// Returns true for ratios, counts, and values of runs without a baseline. The values of the baseline itself
/// are not judged, because the state of the machine also changes them.
bool is_judged(const series& each);

/// Returns the changes of all judged series, sorted by date. The changes point into `all`.
std::vector<series_change> changes_in(const std::vector<series>& all);

}  // namespace loopbench::bench
