// Durations and counts that workloads share with their floors (bench/suite/floors), so that reports compare
// equal amounts of work.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

struct sleep_pair {
    std::chrono::milliseconds first;
    std::chrono::milliseconds second;
};

/// Returns the durations of a pair of sleeps. At full size, they are the tutorials' 500 ms and 700 ms.
inline sleep_pair sleep_pair_of(const trial& t) {
    using std::chrono::milliseconds;
    return t.small() ? sleep_pair{milliseconds(5), milliseconds(7)}
                     : sleep_pair{milliseconds(500), milliseconds(700)};
}

/// The distance between two deadlines of sleep/many. The resulting rate is about a fifth of the rate that a
/// slow loop can handle, so that lateness is caused by the timers and not by a queue. The first deadline is
/// so far ahead (sleep_many_lead) that all sleeps are pending before it.
inline constexpr std::chrono::microseconds sleep_many_spacing{5};
constexpr std::chrono::microseconds sleep_many_lead(std::uint64_t count) {
    return std::chrono::milliseconds(10) + count * std::chrono::microseconds(3);
}

inline std::chrono::milliseconds idle_time_of(const trial& t) {
    return std::chrono::milliseconds(t.small() ? 50 : 2000);
}

inline constexpr std::chrono::milliseconds timer_period{1};

inline constexpr std::chrono::milliseconds gather_sleep_time{10};

inline constexpr std::uint64_t gather_children = 1000;

}  // namespace loopbench::bench::workloads
