// The arithmetic that separates the cost of an operation from all other costs of a process.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// The work of one process. A Google Benchmark program runs the benchmark's function in several batches of
/// iterations, until a batch takes long enough, and each batch includes the function's set-up.
struct work_of_process {
    double operations = 0, batches = 0;
    bool operator==(const work_of_process&) const = default;
};

/// Returns the batches that a Google Benchmark program logs with --v=2, in lines such as
/// "-->LOG(2): Running BM_sort/8 for 1000". Each of the benchmark's threads does all iterations of a batch.
work_of_process work_in_log(std::string_view log, int threads);

/// The weights with which the counts of several processes give the count per operation.
struct slope {
    std::vector<double> weights;   // one for each process
    bool set_up_included = false;  // true if the set-up could not be separated from the operations

    [[nodiscard]] double of(std::span<const double> counts) const;
    /// Returns the variance of the slope if the events of the counts are independent of each other.
    [[nodiscard]] double variance_of(std::span<const double> counts) const;
    /// Returns by how much an additional event in one of the processes can change the slope.
    [[nodiscard]] double per_event() const;
};

/// Returns the slope of this model: the count of a process is F + batches * S + operations * C, with unknown
/// F (start-up), S (set-up) and C (operation). If S cannot be determined, the slope is (more batches * S +
/// more operations * C) / more operations, between the processes with the fewest and the most operations.
/// Returns nothing if all processes did the same work.
std::optional<slope> slope_of(std::span<const work_of_process> all);

}  // namespace loopbench::bench
