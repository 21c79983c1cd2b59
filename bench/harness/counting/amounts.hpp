// The amounts of work that the counted processes are asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace loopbench::bench {

/// A minimum time with which a Google Benchmark program runs only one iteration.
inline constexpr double shortest_min_time_s = 1e-9;

/// The amount of work that a process is asked for.
struct amount_of_work {
    double min_time_s = shortest_min_time_s;
    std::optional<std::uint64_t> operations = {};  // only for programs that take LOOPBENCH_OPERATIONS
    int repetitions = 1;
    bool operator==(const amount_of_work&) const = default;
};

/// The properties of a benchmark that determine its amounts of work.
struct benchmark_speed {
    bool takes_operations = false;  // with LOOPBENCH_OPERATIONS
    bool is_calibrated = true;      // false if its number of operations is fixed
    double operations_of_probe = 1;
    double operation_s = 0;     // as the library compares it with --benchmark_min_time
    bool runs_command = false;  // takes any number of operations, which are runs of a command
};

/// The work that a tool needs.
struct wanted_work {
    std::chrono::duration<double> least = std::chrono::milliseconds{30};
    double slowdown = 1;  // the factor by which the tool slows the program down
};

/// Returns two or three different amounts of work, in ascending order. The counts of processes that do these
/// amounts give the count per operation (slope_of()). Slow benchmarks get small amounts, because the counts
/// would take too long.
std::vector<amount_of_work> amounts_for(const benchmark_speed& of, const wanted_work& wanted);

/// Returns amounts that differ even if the program does not follow --benchmark_min_time.
std::vector<amount_of_work> amounts_by_repetitions(int most);

}  // namespace loopbench::bench
