#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

struct contender_settings {
    // LOOPBENCH_SIZE, small or full. It determines how much work a workload does if Google Benchmark does not
    // calibrate the workload.
    workload_size size = workload_size::full;

    // LOOPBENCH_OPERATIONS, a number. Every workload does this number of operations once, without
    // calibration. The harness sets it to count instructions and system calls per operation.
    std::optional<std::uint64_t> operations;

    // LOOPBENCH_RECORD, on or off. Latencies are recorded only if it is on.
    bool recording = true;

    // LOOPBENCH_SLOWDOWN, from 0 to 1. Busy waiting lengthens every timed section by this share (0.03 is 3
    // %). `loopbench calibrate` sets it to test whether a slowdown is detected.
    double slowdown = 0;

    // LOOPBENCH_SLICES. If it is set, the timed section is divided into slices
    // (bench/suite/workloads/trial/slices.hpp). A calibrated workload then continues until the harness ends
    // the section.
    std::optional<slice_settings> slices;

    // LOOPBENCH_HISTOGRAM_FILE, the path of the file to which the histograms are written
    // (histogram_file.hpp).
    std::string histogram_file;
};

/// Returns the settings that the environment variables contain. Throws std::invalid_argument with the
/// variable, its value and the remedy.
contender_settings settings_from_environment();

}  // namespace loopbench::bench
