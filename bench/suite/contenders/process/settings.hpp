// The settings that a contender receives in its environment, beside Google Benchmark's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

struct contender_settings {
    // LOOPBENCH_SIZE, small or real: the size of workloads that are not calibrated.
    workload_size size = workload_size::full;

    // LOOPBENCH_OPERATIONS, a number: every workload does this number of operations, once, and is not
    // calibrated. For the counting pass, which must know the amount of work; and for a debugger.
    std::optional<std::uint64_t> operations;

    // LOOPBENCH_RECORD, on or off: whether latencies are recorded. The difference is the cost of recording.
    bool recording = true;

    // LOOPBENCH_SLOWDOWN, from 0 to 1: the share by which every timed section is lengthened (0.03 is 3 %) by
    // busy waiting, which wall time and CPU time show like any other work. For `loopbench calibrate`, which
    // tests whether a slowdown is detected; the context states it, so that such numbers cannot pass for real
    // ones.
    double slowdown = 0;

    // LOOPBENCH_SLICES: the timed section is interleaved with other contenders' (see
    // bench/suite/workloads/trial/slices.hpp). A calibrated workload then continues until the suite ends it.
    std::optional<slice_settings> slices;

    // LOOPBENCH_HISTOGRAM_FILE, a path: the file for the histograms (histogram_file.hpp). Empty: no file.
    std::string histogram_file;
};

/// Returns the settings. Throws std::invalid_argument with the variable, its value and the remedy.
contender_settings settings_from_environment();

}  // namespace loopbench::bench
