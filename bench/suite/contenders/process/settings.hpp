// The settings that a contender receives in environment variables, in addition to Google Benchmark's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

struct contender_settings {
    // LOOPBENCH_SIZE, small or full: the amount of work of workloads whose number of operations Google
    // Benchmark does not calibrate.
    workload_size size = workload_size::full;

    // LOOPBENCH_OPERATIONS, a number: every workload does this number of operations once, without
    // calibration. The harness sets this variable when it counts instructions and system calls, because the
    // counts are per operation. The variable is also useful in a debugger.
    std::optional<std::uint64_t> operations;

    // LOOPBENCH_RECORD, on or off: with "on", latencies are recorded. The time that recording adds is the
    // measurement overhead.
    bool recording = true;

    // LOOPBENCH_SLOWDOWN, from 0 to 1: the share by which every timed section is lengthened (0.03 is 3 %).
    // The contender adds the time by busy waiting, which counts as wall time and CPU time like any other
    // work. `loopbench calibrate` sets this variable to test whether a slowdown is detected. The context
    // states the slowdown, so that such numbers cannot be mistaken for real results.
    double slowdown = 0;

    // LOOPBENCH_SLICES: the timed section is divided into slices, which alternate with the slices of other
    // contenders (see bench/suite/workloads/trial/slices.hpp). A calibrated workload then continues until the
    // harness ends the section.
    std::optional<slice_settings> slices;

    // LOOPBENCH_HISTOGRAM_FILE, a path: the histograms are written to this file (histogram_file.hpp). No file
    // is written if the path is empty.
    std::string histogram_file;
};

/// Returns the settings from the environment. Throws std::invalid_argument with the variable, its value and
/// the remedy.
contender_settings settings_from_environment();

}  // namespace loopbench::bench
