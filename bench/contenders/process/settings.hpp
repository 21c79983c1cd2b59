// What a contender is told by its environment, beside Google Benchmark's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench {

struct contender_settings {
    // LOOPBENCH_SIZE, smoke or real: the size of workloads that are not calibrated.
    trial_size size = trial_size::real;

    // LOOPBENCH_OPERATIONS, a number: every workload does so many operations, once, and none is calibrated.
    // For the counting pass, which needs to know how much was done; and for a debugger.
    std::optional<std::uint64_t> operations;

    // LOOPBENCH_RECORD, on or off: whether latencies are recorded. What they cost is the difference.
    bool recording = true;

    // LOOPBENCH_SLOWDOWN, from 0 to 1: every timed section is made so much longer (0.03 is 3 %) by busy
    // waiting, which wall time and CPU time show like any other work. For `loopbench calibrate`, which asks
    // whether that is found; the context says it, so that such numbers cannot pass for real ones.
    double slowdown = 0;

    // LOOPBENCH_TURNS: the timed section works in turns with other contenders' (see
    // bench/workloads/trial/turns.hpp). A workload that is calibrated then goes on until it is told to end.
    std::optional<turn_settings> turns;

    // LOOPBENCH_SIDE_FILE, a path: where the histograms go (side_file.hpp). Empty: nowhere.
    std::string side_file;
};

/// Throws std::invalid_argument that names the variable, its value and the remedy.
contender_settings settings_from_environment();

}  // namespace loopbench::bench
