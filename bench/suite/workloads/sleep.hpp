#pragma once

#include <array>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/trial/lateness.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

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

template <Runtime R>
task_of<R> sleep_serial(R& runtime, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    const std::uint64_t pairs = t.operations();
    t.begin();
    for (std::uint64_t i = 0; i < pairs; ++i) {
        co_await sleep_and_record(runtime, t, runtime.now() + first);
        co_await sleep_and_record(runtime, t, runtime.now() + second);
    }
    t.end();
    t.prove("number of sleeps that ended", 2 * pairs, t.lateness().count());
    t.prove_lasted("the sleeps", pairs * (first + second) - 2 * pairs * t.early_limit(), t.cost().wall);
}

template <Runtime R>
task_of<R> sleep_concurrent(R& runtime, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    const std::uint64_t pairs = t.operations();
    std::uint64_t ended = 0;
    std::uint64_t together = 0;
    t.begin();
    for (std::uint64_t i = 0; i < pairs; ++i) {
        detail::sleepers all;
        const time_point start = runtime.now();
        std::array<task_of<R>, 2> both{detail::sleep_as_one_of(runtime, t, all, start + first),
                                       detail::sleep_as_one_of(runtime, t, all, start + second)};
        co_await runtime.gather(std::span<task_of<R>>(both));
        ended += all.ended;
        together += all.started_when_first_ended;
    }
    t.end();
    t.prove("number of sleeps that ended", 2 * pairs, ended);
    t.prove("number of sleeps that had started when the first sleep ended", 2 * pairs, together);
}

/// Sleeps to many deadlines at once. The order of the deadlines differs from the order in which the sleeps
/// start.
template <Runtime R>
task_of<R> sleep_many(R& runtime, trial& t) {
    const std::uint64_t count = t.operations();
    std::vector<task_of<R>> sleeps;
    sleeps.reserve(count);
    t.begin();
    const auto lead = sleep_many_lead(count);
    const time_point first = runtime.now() + lead;
    for (std::uint64_t i = 0; i < count; ++i) {
        const time_point deadline = first + detail::shuffled(i, count) * sleep_many_spacing;
        sleeps.push_back(sleep_and_record(runtime, t, deadline));
    }
    co_await runtime.gather(std::span<task_of<R>>(sleeps));
    t.end();
    t.prove("number of sleeps that ended", count, t.lateness().count());
    constexpr std::chrono::milliseconds turn{5};  // the largest age of a time that now() returns
    t.prove_lasted("the sleeps", lead + (count - 1) * sleep_many_spacing - t.early_limit() - turn,
                   t.cost().wall);
}

struct sleep_family {
    static constexpr std::array about{
        workload_info{"sleep/serial", about_few_waits,
                      "one operation sleeps 500 ms, then 700 ms (small: 5 ms, then 7 ms)",
                      "Measures the time from the start of the first sleep to the end of the second. The two "
                      "sleeps must take at least the sum of their times, and neither must end early.",
                      "Most of the time is spent waiting for the two deadlines. Contenders differ in the CPU "
                      "time that they use meanwhile (spin), and in the lateness."},
        workload_info{
            "sleep/concurrent", about_few_waits,
            "one operation gathers a sleep of 500 ms and one of 700 ms (small: 5 and 7 ms)",
            "Measures the time from the start of the gather until both sleeps have ended. The second "
            "sleep must start before the first one ends.",
            "Most of the time is spent waiting for the longer sleep. A loop that runs the sleeps "
            "one after the other needs the sum of both times."},
        workload_info{
            "sleep/many", about_waits, "one operation is one of many sleeps that are pending at once",
            "Measures the time from the creation of the first coroutine until the last sleep has ended. The "
            "deadlines are 5 us apart on average, in mixed order.",
            "Most of the time is spent waiting for the deadlines. The first deadline is 10 ms ahead, plus 3 "
            "us for each sleep. Compare lateness and CPU time instead of the time, because they show the "
            "cost of the timer queue at this size, and whether the loop reads the clock too rarely or too "
            "often."},
    };
    static constexpr std::array shapes{
        workload_shape{"sleep/serial", 1, 1, no_rate, 100, needs(), headline, pairing::sequential},
        workload_shape{"sleep/concurrent", 1, 1, no_rate, 100, needs(), on_demand, pairing::sequential},
        workload_shape{"sleep/many/sleeps:1000", 1000, 1000, no_rate, 100, needs(), on_demand,
                       pairing::sequential},
        workload_shape{"sleep/many/sleeps:10000", 10'000, 10'000, no_rate, 100, needs(), on_demand,
                       pairing::sequential},
        workload_shape{"sleep/many/sleeps:100000", 100'000, 100'000, no_rate, 100, needs(), on_demand,
                       pairing::sequential},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"sleep/serial", sleep_serial<R>},           {"sleep/concurrent", sleep_concurrent<R>},
            {"sleep/many/sleeps:1000", sleep_many<R>},   {"sleep/many/sleeps:10000", sleep_many<R>},
            {"sleep/many/sleeps:100000", sleep_many<R>},
        };
    }
};

}  // namespace loopbench::bench::workloads
