// An idle loop: what it costs while nothing happens.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "bench/metrics/memory.hpp"
#include "bench/runtime.hpp"
#include "bench/workloads/lateness.hpp"
#include "bench/workloads/silent_connections.hpp"
#include "bench/workloads/sizes.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> sleep_for_an_hour(R& runtime, std::uint64_t& woken) {
    co_await runtime.sleep_until(runtime.now() + std::chrono::hours(1));
    ++woken;
}

/// The timed section: operations() times nothing.
template <Runtime R>
task_of<R> idle(R& runtime, trial& t) {
    const std::chrono::milliseconds time = idle_time_of(t);
    t.begin();
    for (std::uint64_t i = 0; i < t.operations(); ++i)
        co_await sleep_and_record(runtime, t, runtime.now() + time);
    t.end();
    t.prove("sleeps that ended", t.operations(), t.lateness().count());
}

}  // namespace detail

/// One operation: 2 s (smoke: 50 ms) in which the loop has `Sleepers` far timers and nothing to do. They are
/// still pending when the runtime is destroyed, which frees them.
template <Runtime R, std::size_t Sleepers>
task_of<R> idle_sleepers(R& runtime, trial& t) {
    std::uint64_t woken = 0;
    const std::int64_t resident_before = resident_bytes();
    for (std::size_t i = 0; i < Sleepers; ++i) runtime.spawn(detail::sleep_for_an_hour(runtime, woken));
    co_await runtime.yield();  // they have started, and their start is not timed
    if constexpr (Sleepers > 1)
        t.report("bytes_per_item",
                 static_cast<double>(resident_bytes() - resident_before) / static_cast<double>(Sleepers));
    co_await detail::idle(runtime, t);
    t.prove("far timers that fired", 0, woken);
}

template <Runtime R>
task_of<R> idle_timer(R& runtime, trial& t) {
    return idle_sleepers<R, 1>(runtime, t);
}

/// One operation: as idle_timer, while the loop waits for 1000 connections to speak, which they do not.
template <Runtime R>
task_of<R> idle_sockets(R& runtime, trial& t) {
    constexpr std::size_t connections = 1000;
    auto listener = runtime.listen();
    detail::silent_connections<R> silent(runtime, t);
    if (!co_await silent.open(listener, connections)) co_return;
    co_await silent.while_silent(detail::idle(runtime, t));
    silent.prove();
}

}  // namespace loopbench::bench::workloads
