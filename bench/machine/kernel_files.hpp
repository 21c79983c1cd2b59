// What the kernel tells in files: /proc and /sys are read here and nowhere else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace loopbench::bench {

// Nothing when it cannot be read.
std::optional<std::string> clock_source();
std::optional<std::string> cpu_governor();  // of the first CPU
std::optional<bool> cpu_turbo();
std::optional<std::string> cpu_model();
std::optional<int> perf_paranoid();
bool may_perf_anyway();  // CAP_PERFMON or CAP_SYS_ADMIN, which perf_event_paranoid does not bind
std::optional<int> address_randomisation();
bool tracefs_is_readable();

/// Time of all CPUs together since boot, in the kernel's ticks (man 5 proc); 0 where it cannot be read.
struct cpu_times {
    std::int64_t busy_ns = 0;   // anything ran, this program included
    std::int64_t idle_ns = 0;   // waiting for disks, too
    std::int64_t steal_ns = 0;  // the hypervisor ran somebody else
};
cpu_times read_cpu_times();

/// How long the main thread of a process could have run and had to wait for a CPU: the second number of
/// /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst). The process may have ended, but is not
/// reaped yet. 0 where the kernel does not count it.
std::int64_t run_delay_ns_of(pid_t pid);

/// Where a file or folder of ours is: in ../libexec/loopbench as seen from this executable, if it is there,
/// and beside the executable otherwise.
std::filesystem::path installed_file(std::string_view name);

}  // namespace loopbench::bench
