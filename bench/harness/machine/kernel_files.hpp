// No other file of the harness reads /proc or /sys.
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

// Returns the name of the clock source. This function and the following ones return nothing or false if the
// kernel's file cannot be read.
std::optional<std::string> clock_source();
std::optional<std::string> cpu_governor();  // of the first CPU
std::optional<bool> cpu_turbo();
std::optional<std::string> cpu_model();
std::optional<int> perf_paranoid();
bool may_perf_anyway();  // true with CAP_PERFMON or CAP_SYS_ADMIN, which override perf_event_paranoid
std::optional<int> address_randomisation();
bool tracefs_is_readable();
/// Returns the random ID of the current boot (random(4)), which is the same in all containers of a machine.
/// /etc/machine-id is unsuitable, because all containers from one image can have the same ID.
std::optional<std::string> boot_id();

/// A limit on the CPU time of a control group. When a group has used its time in a period, the kernel stops
/// the group's processes until the next period. A period usually lasts 100 ms
/// (Documentation/admin-guide/cgroup-v2.rst, Documentation/scheduler/sched-bwc.rst).
struct cpu_quota {
    double cores = 0;  // CPU time divided by wall time
    std::filesystem::path file;
};
/// Returns the smallest quota of this process's control groups (v1 or v2) and their parents, or nothing if
/// they have no quota. `root` is the folder that contains /proc and the mount points.
std::optional<cpu_quota> read_cpu_quota(const std::filesystem::path& root = "/");

/// The properties that can differ between CPUs (Documentation/ABI/testing/sysfs-devices-system-cpu).
struct core_facts {
    int cpu = 0;
    std::optional<int> capacity;  // 1024 for the fastest core
    std::optional<int> max_khz;
    std::optional<std::string> kind;   // on a hybrid processor: cpu_core or cpu_atom
    std::vector<int> threads;          // the CPUs of the same physical core, including this CPU
    std::vector<int> sharing_a_cache;  // the CPUs that share the last-level cache, including this CPU

    [[nodiscard]] bool is_like(const core_facts& other) const {
        return capacity == other.capacity && max_khz == other.max_khz && kind == other.kind &&
               threads.size() == other.threads.size();
    }
    [[nodiscard]] bool is_known() const { return capacity || max_khz || kind; }
};
core_facts read_core(int cpu, const std::filesystem::path& devices = "/sys/devices");

/// The times of one CPU, or of all CPUs together, since boot. The kernel counts them in ticks (proc(5)).
struct cpu_times {
    std::int64_t busy_ns = 0;   // time in which any program ran, including this one
    std::int64_t idle_ns = 0;   // includes the time spent waiting for disks
    std::int64_t steal_ns = 0;  // time in which the hypervisor ran another guest
};
/// Returns the times of each CPU under "cpu0" and so on, and their sum under "cpu". Unreadable entries are
/// absent.
std::map<std::string, cpu_times> read_cpu_times();

/// The times of a process's main thread. The kernel counts them in /proc/PID/schedstat
/// (Documentation/scheduler/sched-stats.rst).
struct main_thread_times {
    std::optional<std::int64_t> ran_ns;  // absent if the kernel does not count these times
    std::int64_t run_delay_ns = 0;       // time in which the ready thread waited for a CPU
};
/// Reads the times of the process's main thread. The process can have ended but must not have been reaped.
main_thread_times main_thread_times_of(pid_t pid);

/// Returns the largest possible CPU time of the children that the process has waited for, or 0 if it had
/// none. The kernel rounds their user and system time down to ticks (proc_pid_stat(5)), so the result can be
/// two ticks too large. The process can have ended but must not have been reaped.
std::int64_t most_children_ns_of(pid_t pid);

struct child_facts {
    pid_t pid = -1;
    std::string name, environment;  // empty if unreadable
    std::uint64_t started_ticks = 0;
};

/// Returns the children of this thread. Includes processes that have ended but have not been reaped. Returns
/// an empty vector if the kernel does not list children.
std::vector<child_facts> children_of_this_thread();

/// Returns the time since boot in clock ticks (usually of 10 ms), the unit of child_facts::started_ticks.
std::uint64_t ticks_since_boot();

/// Returns the path of an installed file. Searches in ../libexec/loopbench (relative to the folder of this
/// executable) and then beside the executable. Throws std::runtime_error if /proc is not mounted.
std::filesystem::path installed_file(std::string_view name);

}  // namespace loopbench::bench
