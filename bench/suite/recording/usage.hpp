#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <cstdint>

namespace loopbench::bench {

/// Cumulative counters of all threads of this process, from the kernel.
///
/// - wall: steady_clock (CLOCK_MONOTONIC), in nanoseconds.
/// - cpu: CLOCK_PROCESS_CPUTIME_ID, user and system time together, in nanoseconds.
/// - user, system: getrusage(RUSAGE_SELF), in microseconds. Without CONFIG_VIRT_CPU_ACCOUNTING_GEN, the
///   kernel samples at its tick (1 to 10 ms) how `cpu` is split. The split of a short section is therefore a
///   coarse estimate.
/// - voluntary_switches: the number of times that the process went to sleep in the kernel (getrusage). For a
///   loop, this is the number of its wake-ups.
struct usage {
    std::chrono::nanoseconds wall{};
    std::chrono::nanoseconds cpu{};
    std::chrono::nanoseconds user{};
    std::chrono::nanoseconds system{};
    std::int64_t voluntary_switches = 0;

    /// Reads the counters with two or more system calls, in about a microsecond. Aborts if the kernel refuses
    /// a call, which cannot happen with these arguments.
    static usage now() noexcept;

    friend usage operator+(const usage& a, const usage& b) noexcept {
        return {a.wall + b.wall, a.cpu + b.cpu, a.user + b.user, a.system + b.system,
                a.voluntary_switches + b.voluntary_switches};
    }
    friend usage operator-(const usage& end, const usage& begin) noexcept {
        return {end.wall - begin.wall, end.cpu - begin.cpu, end.user - begin.user, end.system - begin.system,
                end.voluntary_switches - begin.voluntary_switches};
    }
};

/// Returns the total time for which this thread was ready to run but waited for a CPU, or 0 if the kernel
/// does not count this time (/proc/thread-self/schedstat, Documentation/scheduler/sched-stats.rst).
std::chrono::nanoseconds run_delay();

/// A meter for the cost of a section. begin() reads the wall clock last, and end() reads it first, so that
/// `wall` does not include the time to read the other counters.
class usage_meter {
public:
    /// From now on, reports another process's CPU time as `cpu`; the other counters still describe this
    /// process. The CPU time of a process that has ended is read as 0. Throws std::system_error if the
    /// process does not exist.
    void take_cpu_of(pid_t process);
    void begin() noexcept;
    usage end() const noexcept;
    /// Keeps this thread busy for `share` times the time since begin(), without `delay`. `delay` is the time
    /// for which this thread waited for a CPU. It is left out because contenders that share a CPU must not
    /// slow each other down.
    void prolong(double share, std::chrono::nanoseconds delay = {}) const noexcept;

private:
    clockid_t cpu_clock_ = CLOCK_PROCESS_CPUTIME_ID;
    usage begin_;
};

}  // namespace loopbench::bench
