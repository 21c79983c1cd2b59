// The parts of Google Benchmark that a program with a single benchmark needs: the flags that the harness
// passes, the choice of the number of runs, and the JSON output. Therefore loopbench-command does not need
// Google Benchmark, and the loopbench command can be built without it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bench/suite/client/measured_command.hpp"

namespace loopbench::bench {

struct benchmark_flags {
    bool only_list = false;
    /// A regular expression that searches in the name. An empty one selects every name.
    std::string filter = {};
    double min_time_s = 0.5;
    int repetitions = 1;
};

/// Reads the flags of Google Benchmark that the harness passes. Ignores the flags that choose the format of
/// the output and the log. Throws std::invalid_argument for other flags and for wrong values.
benchmark_flags read_benchmark_flags(std::span<const char* const> arguments);

/// Consecutive runs, and the sum of their costs. The peak memory is that of the largest run.
struct batch_cost {
    std::uint64_t runs = 0;
    command_cost all = {};
};

/// Makes batches of more and more runs until one takes the minimum time, and returns that one. The earlier
/// batches warm up caches. With `fixed_runs`, makes a single batch.
batch_cost measure_batch(double min_time_s, std::optional<std::uint64_t> fixed_runs,
                         const std::function<command_cost()>& run);

/// Lists or runs the benchmark `name` as the flags say, and returns the text for the standard output. If
/// `run` throws std::runtime_error, its text becomes the error of the benchmark.
std::string benchmark_output(const benchmark_flags& flags, const std::string& name,
                             std::optional<std::uint64_t> fixed_runs,
                             const std::function<command_cost()>& run);

}  // namespace loopbench::bench
