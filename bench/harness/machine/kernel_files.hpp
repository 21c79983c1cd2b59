// The files of the kernel: /proc and /sys are read only here.
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

// Empty if the file cannot be read.
std::optional<std::string> clock_source();
std::optional<std::string> cpu_governor();  // of the first CPU
std::optional<bool> cpu_turbo();
std::optional<std::string> cpu_model();
std::optional<int> perf_paranoid();
bool may_perf_anyway();  // CAP_PERFMON or CAP_SYS_ADMIN, which override perf_event_paranoid
std::optional<int> address_randomisation();
bool tracefs_is_readable();
/// Returns an id that the kernel draws at random when it starts: the same in all of its containers, whose
/// /etc/machine-id might come from their image, and different on each machine (man 4 random).
std::optional<std::string> boot_id();

/// The properties that distinguish a core from others, as far as the kernel reports them
/// (Documentation/ABI/testing/sysfs-devices-system-cpu).
struct core_facts {
    int cpu = 0;
    std::optional<int> capacity;  // 1024 for the fastest core
    std::optional<int> max_khz;
    std::optional<std::string> kind;   // on a hybrid processor: cpu_core or cpu_atom
    std::vector<int> threads;          // of the same core, including this one
    std::vector<int> sharing_a_cache;  // the last level, including this one

    /// Returns true if the same work takes the same time on both.
    [[nodiscard]] bool is_like(const core_facts& other) const {
        return capacity == other.capacity && max_khz == other.max_khz && kind == other.kind &&
               threads.size() == other.threads.size();
    }
    /// Returns true if the kernel reports anything about the speed.
    [[nodiscard]] bool is_known() const { return capacity || max_khz || kind; }
};
core_facts read_core(int cpu, const std::filesystem::path& devices = "/sys/devices");

/// Time since boot, counted in the kernel's ticks (man 5 proc).
struct cpu_times {
    std::int64_t busy_ns = 0;   // any program ran, including this one
    std::int64_t idle_ns = 0;   // includes waiting for disks
    std::int64_t steal_ns = 0;  // the hypervisor ran another guest
};
/// Returns the times of all CPUs together as "cpu", and of each CPU as "cpu0" and so on; unreadable ones are
/// absent.
std::map<std::string, cpu_times> read_cpu_times();

/// Returns how long the main thread of a process was ready to run but waited for a CPU: the second number of
/// /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst). The process can have ended, but must not be
/// reaped yet. Returns 0 if the kernel does not count it.
std::int64_t run_delay_ns_of(pid_t pid);

struct child_facts {
    pid_t pid = -1;
    std::string name, environment;    // empty if they cannot be read
    std::uint64_t started_ticks = 0;  // see ticks_since_boot()
};

/// Returns this thread's children, including those that have ended and are not reaped yet; none if the kernel
/// does not list them.
std::vector<child_facts> children_of_this_thread();

/// Returns the time in the unit of a process's start time, about hundredths of a second.
std::uint64_t ticks_since_boot();

/// Returns the path of an installed file or folder: in ../libexec/loopbench relative to this executable, if
/// it exists there, otherwise beside the executable. Throws std::runtime_error without /proc.
std::filesystem::path installed_file(std::string_view name);

}  // namespace loopbench::bench
