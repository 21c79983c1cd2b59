// An idle loop: what it costs while nothing happens.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/runtime.hpp"
#include "bench/workloads/lateness.hpp"
#include "bench/workloads/sizes.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> sleep_for_an_hour(R& runtime, std::uint64_t& woken) {
    co_await runtime.sleep_until(runtime.now() + std::chrono::hours(1));
    ++woken;
}

}  // namespace detail

/// One operation: 2 s (smoke: 50 ms) in which the loop has a far timer and nothing to do. The far timer is
/// still pending when the runtime is destroyed, which frees it.
template <Runtime R>
task_of<R> idle_timer(R& runtime, trial& t) {
    std::uint64_t woken = 0;
    runtime.spawn(detail::sleep_for_an_hour(runtime, woken));
    co_await runtime.yield();  // it has started, and its start is not timed
    t.begin();
    co_await sleep_and_record(runtime, t, runtime.now() + idle_time_of(t));
    t.end();
    t.did(1);
    t.prove("sleeps that ended", 1, t.lateness().count());
    t.prove("far timers that fired", 0, woken);
}

}  // namespace loopbench::bench::workloads
