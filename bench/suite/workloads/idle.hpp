#pragma once

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/suite/recording/memory.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/sockets/silent_connections.hpp"
#include "bench/suite/workloads/trial/lateness.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> sleep_for_an_hour(R& runtime, std::uint64_t& woken) {
    co_await runtime.sleep_until(runtime.now() + std::chrono::hours(1));
    ++woken;
}

template <Runtime R>
task_of<R> idle(R& runtime, trial& t) {
    const std::chrono::milliseconds time = idle_time_of(t);
    t.begin();
    for (std::uint64_t i = 0; i < t.operations(); ++i)
        co_await sleep_and_record(runtime, t, runtime.now() + time);
    t.end();
    t.prove("number of sleeps that ended", t.operations(), t.lateness().count());
}

}  // namespace detail

template <Runtime R, std::size_t Sleepers>
task_of<R> idle_sleepers(R& runtime, trial& t) {
    std::uint64_t woken = 0;
    const std::int64_t resident_before = resident_bytes();
    for (std::size_t i = 0; i < Sleepers; ++i) runtime.spawn(detail::sleep_for_an_hour(runtime, woken));
    co_await runtime.yield();  // the sleepers start here, before the timed section
    if constexpr (Sleepers > 1)
        t.report("bytes_per_item",
                 static_cast<double>(resident_bytes() - resident_before) / static_cast<double>(Sleepers));
    co_await detail::idle(runtime, t);
    t.prove("number of far timers that fired", 0, woken);
}

template <Runtime R>
task_of<R> idle_timer(R& runtime, trial& t) {
    return idle_sleepers<R, 1>(runtime, t);
}

template <Runtime R>
task_of<R> idle_sockets(R& runtime, trial& t) {
    constexpr std::size_t connections = 1000;
    auto listener = runtime.listen();
    detail::silent_connections<R> silent(runtime, t);
    if (!co_await silent.open(listener, connections)) co_return;
    co_await silent.while_silent(detail::idle(runtime, t));
    silent.prove();
}

struct idle_family {
    static constexpr std::array about{
        workload_info{
            "idle/timer", about_idleness,
            "one operation is 2 s (small: 50 ms) in which the loop has one far timer and nothing to do",
            "The idle time is measured. A second timer ends it.",
            "A loop that blocks does no work at all. A spinning loop keeps a core busy."},
        workload_info{
            "idle/sleepers", about_idleness,
            "one operation is 2 s (small: 50 ms) in which the loop has 1000 far timers and nothing to do",
            "The timed part is the same as for idle/timer. The sleeping coroutines are created before the "
            "timed section; bytes_per_item is the memory of each. The trial fails if a far timer fires.",
            "The loop does no work at all, unless it checks every timer on every turn."},
        workload_info{
            "idle/sockets", about_idleness,
            "one operation is 2 s (small: 50 ms) in which the loop waits for 1000 silent connections",
            "The timed part is the same as for idle/timer. The connections are opened before the timed "
            "section; bytes_per_item is the memory of each. All of them must stay open and silent.",
            "The loop does no work at all, unless it checks every connection on every turn."},
    };
    static constexpr std::array shapes{
        workload_shape{"idle/timer", 1, 1, no_rate, 100, needs(), headline, pairing::sequential},
        workload_shape{"idle/sleepers/sleepers:1000", 1, 1, no_rate, 100, needs(), on_demand,
                       pairing::sequential},
        workload_shape{"idle/sockets/conns:1000", 1, 1, no_rate, 1100, needs(), on_demand,
                       pairing::sequential},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"idle/timer", idle_timer<R>},
            {"idle/sleepers/sleepers:1000", idle_sleepers<R, 1000>},
            {"idle/sockets/conns:1000", idle_sockets<R>},
        };
    }
};

}  // namespace loopbench::bench::workloads
