// A clock that ticks: 1 kHz on absolute deadlines, so that one late tick does not delay all that follow.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/runtime.hpp"
#include "bench/workloads/lateness.hpp"
#include "bench/workloads/sizes.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

/// One operation: one period of 1 ms. The lateness of every tick is recorded.
template <Runtime R>
task_of<R> timer_periodic(R& runtime, trial& t) {
    t.begin();
    const time_point start = runtime.now();
    time_point deadline = start;
    for (std::uint64_t tick = 0; tick < t.operations(); ++tick) {
        deadline += timer_period;
        co_await runtime.sleep_until(deadline);
        record_lateness(t, deadline);
    }
    t.end();
    t.prove("ticks", t.operations(), t.lateness().count());
    t.prove("the last tick came at its time or later", 1,
            std::chrono::steady_clock::now() + t.early_limit() >= deadline ? 1 : 0);
}

}  // namespace loopbench::bench::workloads
