// What the kernel tells in files: /proc and /sys are read here and nowhere else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// Drawn at random by the kernel when it started: the same in all of its containers, whose /etc/machine-id
/// may be their image's, and another one on each machine (man 4 random).
std::optional<std::string> boot_id();

/// What tells a core from others, as far as the kernel says it
/// (Documentation/ABI/testing/sysfs-devices-system-cpu).
struct core_facts {
    int cpu = 0;
    std::optional<int> capacity;  // 1024 is the fastest core's
    std::optional<int> max_khz;
    std::optional<std::string> kind;   // of a hybrid processor's: cpu_core or cpu_atom
    std::vector<int> threads;          // of the same core, this one included
    std::vector<int> sharing_a_cache;  // its last level, likewise

    /// Whether the same work takes the same time on both.
    [[nodiscard]] bool is_like(const core_facts& other) const {
        return capacity == other.capacity && max_khz == other.max_khz && kind == other.kind &&
               threads.size() == other.threads.size();
    }
    /// Whether the kernel says anything of its speed.
    [[nodiscard]] bool is_known() const { return capacity || max_khz || kind; }
};
core_facts read_core(int cpu, const std::filesystem::path& devices = "/sys/devices");

/// Time since boot, in the kernel's ticks (man 5 proc).
struct cpu_times {
    std::int64_t busy_ns = 0;   // anything ran, this program included
    std::int64_t idle_ns = 0;   // waiting for disks, too
    std::int64_t steal_ns = 0;  // the hypervisor ran somebody else
};
/// Of all CPUs together as "cpu", and of each as "cpu0" and so on; what cannot be read is not there.
std::map<std::string, cpu_times> read_cpu_times();

/// How long the main thread of a process could have run and had to wait for a CPU: the second number of
/// /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst). The process may have ended, but is not
/// reaped yet. 0 where the kernel does not count it.
std::int64_t run_delay_ns_of(pid_t pid);

struct child_facts {
    pid_t pid = -1;
    std::string name, environment;    // empty where they cannot be read
    std::uint64_t started_ticks = 0;  // see ticks_since_boot()
};

/// What this thread has as children, those that ended and are not reaped yet included; none where the kernel
/// does not list them.
std::vector<child_facts> children_of_this_thread();

/// The time by which the kernel says when a process was started, in hundredths of a second or so.
std::uint64_t ticks_since_boot();

/// Where a file or folder of ours is: in ../libexec/loopbench as seen from this executable, if it is there,
/// and beside the executable otherwise. Throws std::runtime_error without /proc.
std::filesystem::path installed_file(std::string_view name);

}  // namespace loopbench::bench
