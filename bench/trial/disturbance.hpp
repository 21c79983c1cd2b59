// Whether a trial had the machine to itself. What the kernel itself counts is looked at before and after.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "bench/machine/kernel_files.hpp"
#include "bench/trial/process/child_process.hpp"

namespace loopbench::bench {

struct machine_sample {
    std::map<std::string, cpu_times> cpus;  // by the kernel's names
    std::string clocksource;                // the kernel leaves the TSC when it finds it unstable
};

/// What cannot be read is 0 or empty.
machine_sample read_machine();

/// What disturbed a trial that took `wall` between the samples: the hypervisor took more than 5 % of the time
/// of its CPU, or of any CPU where it was kept on none; or it waited for one for more than 5 % of its time;
/// either for more than 10 ms (the tick in which the kernel counts steal); or the clock source changed. Empty
/// when nothing did.
std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall, std::optional<int> cpu);

}  // namespace loopbench::bench
