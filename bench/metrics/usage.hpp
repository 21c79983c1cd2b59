// What the timed section cost this process: the numbers that say whether a fast loop was fast by burning a
// core.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <cstdint>

namespace loopbench::bench {

/// Cumulative counters of this process (all its threads), as the kernel gives them.
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

    /// The counters as they are now. Two system calls and more: about a microsecond. Aborts if the kernel
    /// refuses, which it cannot with these arguments.
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

/// How long this thread could have run and had to wait for a CPU so far, by the second number of
/// /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst); 0 where the kernel does not count.
std::chrono::nanoseconds run_delay();

/// The cost of a section: begin() and end() around it. The clock is read last at the beginning and first at
/// the end, so that reading the other counters is not in `wall`.
class usage_meter {
public:
    /// `cpu` is another process's from now on, and the other counters stay this one's. Once that process is
    /// gone its CPU time is 0. Throws std::system_error when there is none.
    void take_cpu_of(pid_t process);
    void begin() noexcept;
    usage end() const noexcept;
    /// Burns so large a share of the time since begin() on top of it, in this thread's CPU time. Of that time
    /// it is told what this thread had to wait for a CPU (run_delay()): where several share one, nobody is to
    /// be the slower for the others.
    void prolong(double share, std::chrono::nanoseconds delay = {}) const noexcept;

private:
    clockid_t cpu_clock_ = CLOCK_PROCESS_CPUTIME_ID;
    usage begin_;
};

}  // namespace loopbench::bench
