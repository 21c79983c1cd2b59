// The workload mixed/server is a larger version of the scheduler tutorial's program: an echo server and two
// coroutines that count.
#pragma once

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/echo.hpp"
#include "bench/suite/workloads/trial/lateness.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> count_beside(echo_session<tcp_transport<R>>& session, time_point deadline, std::int64_t step,
                        std::int64_t& counter) {
    while (!session.stopped && !session.aborted) {
        deadline += std::chrono::milliseconds(1);
        co_await session.runtime.sleep_until(deadline);
        record_lateness(session.t, deadline);
        counter += step;
    }
}

template <Runtime R>
task_of<R> serve_and_stop(echo_session<tcp_transport<R>>& session) {
    co_await time_round_trips(session);
    session.stopped = true;
}

template <Runtime R>
task_of<R> serve_and_count(echo_session<tcp_transport<R>>& session, std::int64_t& up, std::int64_t& down) {
    // The two counters share one start time. With separate start times, a pause of the process between two
    // readings of the clock would make the second counter late for the whole trial.
    const time_point begin = session.runtime.now();
    std::array<task_of<R>, 3> all{count_beside<R>(session, begin, 1, up),
                                  count_beside<R>(session, begin, -1, down), serve_and_stop<R>(session)};
    co_await session.runtime.gather(std::span<task_of<R>>(all));
}

}  // namespace detail

template <Runtime R>
task_of<R> mixed_server(R& runtime, trial& t) {
    constexpr std::size_t connections = 10;
    detail::echo_session<tcp_transport<R>> session(runtime, t, connections, echo_bytes);
    std::int64_t up = 0;
    std::int64_t down = 0;
    co_await detail::serve_while(session, [&] { return detail::serve_and_count<R>(session, up, down); });
    detail::prove_echo(session);
    if (up == 0 || down == 0) t.fail("one of the two counting coroutines never counted");
    if (const std::int64_t apart = up + down; apart < -1 || apart > 1)
        t.fail("the counts of the two counting coroutines differ by " + std::to_string(std::abs(apart)) +
               "; expected at most 1");
}

struct mixed_family {
    static constexpr std::array about{
        workload_info{"mixed/server", about_traffic,
                      "one operation is one round trip with an echo server, while two coroutines count",
                      "All round trips on 10 connections are timed, while each of the two coroutines counts "
                      "once per millisecond. The latencies are those of the round trips; the lateness is "
                      "that of the counting coroutines.",
                      "Most of the time is spent on the kernel's sends and receives. The lateness shows how "
                      "long the server keeps the counting coroutines waiting."},
    };
    static constexpr std::array shapes{
        workload_shape{"mixed/server", 3000, 40'000, rate, 100, many_turns, on_demand, pairing::sequential}
            .with_latencies(10),
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"mixed/server", mixed_server<R>},
        };
    }
};

}  // namespace loopbench::bench::workloads
