#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

struct machine_sample {
    std::map<std::string, cpu_times> cpus;  // by the CPU's name in /proc/stat
    std::string clocksource;                // the kernel replaces the TSC if the TSC is unstable
};

/// Returns the machine's counters at this moment. Counters that cannot be read are absent or empty.
machine_sample read_machine();

/// Returns the reason why a trial was disturbed, or an empty text. A trial is disturbed if the clock source
/// changed, or if one of its threads waited for a CPU for more than 5 % of its time. It is also disturbed if
/// the hypervisor took more than 5 % of the time of the trial's CPU, or of any CPU if the trial was not
/// pinned. Ignores times of 10 ms or less, because the kernel counts steal time in ticks of 10 ms. `wall` is
/// the duration of the trial.
std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall, std::optional<int> cpu);

}  // namespace loopbench::bench
