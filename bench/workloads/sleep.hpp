// The founding pair of sleeps, one after the other and together.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "bench/runtime.hpp"
#include "bench/workloads/lateness.hpp"
#include "bench/workloads/sizes.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

// What the two sleeps of sleep/concurrent saw of each other.
struct sleepers {
    std::uint64_t started = 0;
    std::uint64_t started_when_first_ended = 0;
    std::uint64_t ended = 0;
};

template <Runtime R>
task_of<R> sleep_as_one_of(R& runtime, trial& t, sleepers& all, time_point deadline) {
    ++all.started;
    co_await sleep_and_record(runtime, t, deadline);
    if (all.ended++ == 0) all.started_when_first_ended = all.started;
}

}  // namespace detail

/// One operation: a sleep of 500 ms, then one of 700 ms (smoke: 5 and 7).
template <Runtime R>
task_of<R> sleep_serial(R& runtime, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    t.begin();
    co_await sleep_and_record(runtime, t, runtime.now() + first);
    co_await sleep_and_record(runtime, t, runtime.now() + second);
    t.end();
    t.did(1);
    t.prove("sleeps that ended", 2, t.lateness().count());
    t.prove("the two sleeps took at least the sum of both", 1,
            t.cost().wall + 2 * t.early_limit() >= first + second ? 1 : 0);
}

/// One operation: a gather of a sleep of 500 ms and one of 700 ms (smoke: 5 and 7).
template <Runtime R>
task_of<R> sleep_concurrent(R& runtime, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    detail::sleepers all;
    t.begin();
    const time_point start = runtime.now();
    std::array<task_of<R>, 2> both{detail::sleep_as_one_of(runtime, t, all, start + first),
                                   detail::sleep_as_one_of(runtime, t, all, start + second)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    t.end();
    t.did(1);
    t.prove("sleeps that ended", 2, all.ended);
    t.prove("sleeps under way when the first one ended", 2, all.started_when_first_ended);
}

}  // namespace loopbench::bench::workloads
