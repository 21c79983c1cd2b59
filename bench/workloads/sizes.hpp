// How long and how often: the sizes that a workload and its floor (bench/floors) must have in common. Both
// take them from here, so that a report never divides one piece of work by another.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

struct sleep_pair {
    std::chrono::milliseconds first;
    std::chrono::milliseconds second;
};

/// Of sleep/serial and sleep/concurrent: the founding 500 ms and 700 ms at real size.
inline sleep_pair sleep_pair_of(const trial& t) {
    using std::chrono::milliseconds;
    return t.smoke() ? sleep_pair{milliseconds(5), milliseconds(7)}
                     : sleep_pair{milliseconds(500), milliseconds(700)};
}

/// Of sleep/many: how far apart the deadlines are, which is about a fifth of what a slow loop can do, so that
/// lateness is the timers' and not a queue's; and how far ahead the first of so many is, so that the last has
/// been created, and sleeps, before.
inline constexpr std::chrono::microseconds sleep_many_spacing{5};
constexpr std::chrono::microseconds sleep_many_lead(std::uint64_t count) {
    return std::chrono::milliseconds(10) + count * std::chrono::microseconds(3);
}

/// Of idle/timer: how long nothing happens.
inline std::chrono::milliseconds idle_time_of(const trial& t) {
    return std::chrono::milliseconds(t.smoke() ? 50 : 2000);
}

/// Of timer/periodic.
inline constexpr std::chrono::milliseconds timer_period{1};

/// Of gather/sleep: how far ahead the deadline of all children is.
inline constexpr std::chrono::milliseconds gather_sleep_time{10};

/// Of every wide gather.
inline constexpr std::uint64_t gather_children = 1000;

}  // namespace loopbench::bench::workloads
