// Detects whether other work disturbed a trial. Compares the kernel's counters before and after the trial.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

struct machine_sample {
    std::map<std::string, cpu_times> cpus;  // the times of each CPU, by its name in /proc/stat
    std::string clocksource;                // the kernel replaces the TSC if the TSC is unstable
};

/// Returns the current counters. Unreadable counters are absent or empty.
machine_sample read_machine();

/// Returns a description of the disturbance of a trial, or an empty text if the trial was not disturbed.
/// `wall` is the time between the two samples. A trial is disturbed if the clock source changed, if the
/// hypervisor took more than 5 % of the time of the trial's CPU (of any CPU, if the trial was not pinned), or
/// if the trial waited for a CPU for more than 5 % of its time. Ignores times of 10 ms or less, because the
/// kernel counts steal time in ticks of 10 ms.
std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall, std::optional<int> cpu);

}  // namespace loopbench::bench
