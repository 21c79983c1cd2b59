// Detects whether other work disturbed a trial, from the kernel's counters before and after it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

struct machine_sample {
    std::map<std::string, cpu_times> cpus;  // by the kernel's names
    std::string clocksource;                // the kernel stops using the TSC if it finds it unstable
};

/// Returns the counters; one that cannot be read is 0 or empty.
machine_sample read_machine();

/// Returns what disturbed a trial that took `wall` between the samples; empty if nothing did. The hypervisor
/// took more than 5 % of its CPU's time (or of any CPU's, if the trial was not kept on one); or the trial
/// waited for a CPU for more than 5 % of its time; either for more than 10 ms (the tick in which the kernel
/// counts steal time). Or the clock source changed.
std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall, std::optional<int> cpu);

}  // namespace loopbench::bench
