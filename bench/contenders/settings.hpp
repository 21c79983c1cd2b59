// What a contender is told by its environment, beside Google Benchmark's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/workloads/trial.hpp"

namespace loopbench::bench {

struct contender_settings {
    // LOOPBENCH_SIZE, smoke or real: the size of workloads that are not calibrated.
    trial_size size = trial_size::real;

    // LOOPBENCH_OPERATIONS, a number: every workload does so many operations, once, and none is calibrated.
    // For the counting pass, which needs to know how much was done; and for a debugger.
    std::optional<std::uint64_t> operations;

    // LOOPBENCH_RECORD, on or off: whether latencies are recorded. What they cost is the difference.
    bool recording = true;

    // LOOPBENCH_SIDE_FILE, a path: where the histograms go (side_file.hpp). Empty: nowhere.
    std::string side_file;
};

/// Throws std::invalid_argument that names the variable, its value and the remedy.
contender_settings settings_from_environment();

}  // namespace loopbench::bench
