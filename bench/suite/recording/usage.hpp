// The resources that the timed section cost this process: they show whether a fast loop was fast by burning a
// core.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <cstdint>

namespace loopbench::bench {

/// Cumulative counters of this process (all its threads), from the kernel.
///
/// - wall: steady_clock (CLOCK_MONOTONIC); nanoseconds, no system call.
/// - cpu: CLOCK_PROCESS_CPUTIME_ID, user and system together; the scheduler's own accounting, nanoseconds.
/// - user, system: getrusage(RUSAGE_SELF). Microseconds; their sum follows `cpu`, but without
///   CONFIG_VIRT_CPU_ACCOUNTING_GEN the split between the two is sampled at the kernel's tick (1 to 10 ms),
///   so over a short section it is a coarse estimate. Time spent waiting for I/O is in neither.
/// - voluntary_switches: getrusage; how often the process went to sleep in the kernel: the wakeups of a loop.
struct usage {
    std::chrono::nanoseconds wall{};
    std::chrono::nanoseconds cpu{};
    std::chrono::nanoseconds user{};
    std::chrono::nanoseconds system{};
    std::int64_t voluntary_switches = 0;

    /// Returns the current counters. Takes about a microsecond, for two or more system calls. Aborts if the
    /// kernel refuses, which it cannot with these arguments.
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

/// Returns how long this thread was ready to run but waited for a CPU, in total: the second number of
/// /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst); 0 if the kernel does not count it.
std::chrono::nanoseconds run_delay();

/// The cost of a section between begin() and end(). The clock is read last at the beginning and first at the
/// end, so that `wall` does not include reading the other counters.
class usage_meter {
public:
    /// Makes `cpu` count another process from now on; the other counters stay this process's. When that
    /// process is gone, its CPU time is 0. Throws std::system_error if there is no such process.
    void take_cpu_of(pid_t process);
    void begin() noexcept;
    usage end() const noexcept;
    /// Burns CPU time in this thread: `share` times the time since begin(), minus `delay`. `delay` is how
    /// long this thread waited for a CPU (run_delay()): contenders that share a CPU must not slow each other
    /// down.
    void prolong(double share, std::chrono::nanoseconds delay = {}) const noexcept;

private:
    clockid_t cpu_clock_ = CLOCK_PROCESS_CPUTIME_ID;
    usage begin_;
};

}  // namespace loopbench::bench
