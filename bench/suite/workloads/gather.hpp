#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/suite/recording/histogram.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> ready_child(R&, std::uint64_t& ended) {
    ++ended;
    co_return;
}

template <Runtime R>
task_of<R> yielding_child(R& runtime, std::uint64_t& ended) {
    co_await runtime.yield();
    ++ended;
}

struct wakes {
    time_point first = time_point::max();
    time_point last = time_point::min();
};

template <Runtime R>
task_of<R> sleeping_child(R& runtime, trial& t, time_point deadline, wakes& all) {
    co_await runtime.sleep_until(deadline);
    const time_point now = std::chrono::steady_clock::now();
    t.lateness().record(std::chrono::nanoseconds(now - deadline).count());
    all.first = std::min(all.first, now);
    all.last = std::max(all.last, now);
}

/// Gathers 1000 children at a time. The first 1000 children are not timed, because they use memory that the
/// process has not touched yet.
///
/// Children are assigned to existing elements of the vector. Only some contenders would inline push_back(),
/// which would change the time per child by a tenth. Each child is freed by moving it into a temporary
/// object, because an assignment to Boost 1.81's awaitable frees nothing.
template <Runtime R, class Start>
task_of<R> gather_thousands(R& runtime, trial& t, Start start) {
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    std::uint64_t incomplete_gathers = 0;
    std::vector<task_of<R>> children(gather_children);
    for (auto& child : children) child = start(ended);
    co_await runtime.gather(std::span<task_of<R>>(children));
    for (auto& child : children) static_cast<void>(task_of<R>(std::move(child)));
    ended = 0;
    t.begin({.operations = gather_children});
    while (const std::uint64_t count = t.next()) {
        for (const std::uint64_t last = started + count; started < last;) {
            for (auto& child : children) child = start(ended);
            started += gather_children;
            co_await runtime.gather(std::span<task_of<R>>(children));
            if (ended != started) ++incomplete_gathers;
            for (auto& child : children) static_cast<void>(task_of<R>(std::move(child)));
        }
    }
    t.end();
    t.prove("number of children that ended", started, ended);
    t.prove("number of gathers that completed before their children", 0, incomplete_gathers);
}

template <class Make, std::size_t... Index>
auto array_of(Make make, std::index_sequence<Index...>) {
    return std::array{(static_cast<void>(Index), make())...};
}

/// Gathers ten subtrees, or ten leaves. The children are stored in the frame. In a vector, they would be
/// separate small blocks between the frames, glibc's heap would fragment, and trees would become slower over
/// time.
template <Runtime R>
task_of<R> tree(R& runtime, std::uint64_t leaves, std::uint64_t& ended) {
    constexpr std::uint64_t fan_out = 10;
    auto children = array_of(
        [&runtime, leaves, &ended] {
            return leaves == fan_out ? yielding_child(runtime, ended)
                                     : tree(runtime, leaves / fan_out, ended);
        },
        std::make_index_sequence<fan_out>());
    co_await runtime.gather(std::span<task_of<R>>(children));
}

template <class Transport>
echo_task<Transport> gather_round_trips(echo_session<Transport>& session) {
    for (session.begin(); session.rounds > 0; session.begin_rounds()) {
        for (std::uint64_t i = 0; i < session.rounds && !session.aborted; ++i) {
            const auto start = session.t.start_of_latency();
            co_await for_each_client(session, [&session, i](std::size_t index) {
                return make_round_trips(session, index, warm_up_round_trips + session.rounds_before + i, 1,
                                        latencies::not_recorded);
            });
            session.t.record_latency(start);
        }
    }
}

}  // namespace detail

template <Runtime R>
task_of<R> gather_ready(R& runtime, trial& t) {
    return detail::gather_thousands(
        runtime, t, [&runtime](std::uint64_t& ended) { return detail::ready_child(runtime, ended); });
}

template <Runtime R>
task_of<R> gather_yield(R& runtime, trial& t) {
    return detail::gather_thousands(
        runtime, t, [&runtime](std::uint64_t& ended) { return detail::yielding_child(runtime, ended); });
}

/// Gathers sleeping children, and reports the skew. The skew of a gather is the time from the first child's
/// wake-up to the last child's wake-up.
template <Runtime R>
task_of<R> gather_sleep(R& runtime, trial& t) {
    std::vector<task_of<R>> children;
    children.reserve(gather_children);
    histogram skew;
    t.begin();
    for (std::uint64_t gathers = 0; gathers < t.operations(); ++gathers) {
        const time_point deadline = runtime.now() + gather_sleep_time;
        detail::wakes all;
        for (std::uint64_t i = 0; i < gather_children; ++i)
            children.push_back(detail::sleeping_child(runtime, t, deadline, all));
        co_await runtime.gather(std::span<task_of<R>>(children));
        children.clear();
        if (all.first <= all.last) skew.record(std::chrono::nanoseconds(all.last - all.first).count());
    }
    t.end();
    t.report("skew", static_cast<double>(skew.percentile_ns(50)));
    t.prove("number of children that woke up", t.operations() * gather_children, t.lateness().count());
}

template <Runtime R>
task_of<R> gather_echo(R& runtime, trial& t) {
    constexpr std::size_t connections = 100;
    detail::echo_session<tcp_transport<R>> session(runtime, t, connections, echo_bytes);
    co_await detail::serve_while(session, [&session] { return detail::gather_round_trips(session); });
    std::uint64_t right_replies = 0;
    for (const detail::echo_counts& each : session.counts) right_replies += each.round_trips;
    t.prove("number of round trips with the right reply",
            (session.rounds_before + warm_up_round_trips) * connections, right_replies);
}

/// Gathers whole trees. The first tree is not timed, because it uses memory that the process has not touched
/// yet.
template <Runtime R, std::uint64_t Leaves>
task_of<R> gather_tree(R& runtime, trial& t) {
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    std::uint64_t incomplete_trees = 0;
    co_await detail::tree(runtime, Leaves, ended);
    ended = 0;
    t.begin({.operations = Leaves});
    while (const std::uint64_t count = t.next()) {
        for (const std::uint64_t last = started + count; started < last;) {
            started += Leaves;
            co_await detail::tree(runtime, Leaves, ended);
            if (ended != started) ++incomplete_trees;
        }
    }
    t.end();
    t.prove("number of leaves that ended", started, ended);
    t.prove("number of trees that completed before their leaves", 0, incomplete_trees);
}

struct gather_family {
    static constexpr std::array about{
        workload_info{"gather/ready", about_work,
                      "one operation is one child of a gather of 1000; no child suspends",
                      "Creating, gathering and freeing the children is timed. The first gather is not timed, "
                      "because it uses memory that the process has not touched before. Every child must end "
                      "before its gather ends.",
                      "Most of the time is spent on allocating and freeing coroutine frames, and on the "
                      "join. No child waits."},
        workload_info{"gather/yield", about_work,
                      "one operation is one child of a gather of 1000; each child yields once",
                      "The timed part is the same as for gather/ready.",
                      "Most of the time is spent on allocating and freeing coroutine frames, on the join, "
                      "and on one pass through the ready queue for each child."},
        workload_info{
            "gather/sleep", about_joint_waits,
            "one operation gathers 1000 children that sleep to the same deadline",
            "All gathers are timed, including the creation of their children. The deadline is 10 ms ahead. "
            "Lateness is recorded for each child. The skew of a gather is the time from the wake-up of its "
            "first child to the wake-up of its last child; the report contains the median of all gathers.",
            "Most of the time is spent waiting for the deadline. The skew is the cost of expiring 1000 "
            "timers and resuming their coroutines."},
        workload_info{
            "gather/echo", about_traffic,
            "one operation is one child of a gather of 100; each child makes a round trip on its own "
            "connection",
            "All gathers are timed, including the creation of their children. Before that, the connections "
            "are opened and make eight round trips each, which are not timed. Each latency covers a whole "
            "gather. Every byte of every reply is compared.",
            "Most of the time is spent on system calls, as in echo/rtt with 100 connections, and also on "
            "coroutine frames and the join."},
        workload_info{
            "gather/tree", about_work,
            "one operation is one leaf of a tree in which each gather has ten children; each leaf yields "
            "once",
            "Creating, running and freeing whole trees is timed, except for the first tree. All "
            "leaves must end before their tree ends.",
            "Most of the time is spent on coroutine frames, because a tree with N leaves has about "
            "N/9 further frames, and all frames are alive at the same time."},
    };
    static constexpr std::array shapes{
        workload_shape{"gather/ready/children:1000", 0, 0, rate, 100, many_turns | scheduler, on_demand,
                       pairing::interleaved},
        workload_shape{"gather/yield/children:1000", 0, 0, rate, 100, many_turns | scheduler, headline,
                       pairing::interleaved},
        workload_shape{"gather/sleep/children:1000", 3, 20, no_rate, 100, many_turns, on_demand,
                       pairing::sequential},
        workload_shape{"gather/echo/children:100", 3000, 40'000, rate, 300, many_turns, on_demand,
                       pairing::interleaved}
            .with_latencies(1, 100),
        workload_shape{"gather/tree/leaves:100", 0, 0, rate, 100, many_turns | scheduler, on_demand,
                       pairing::interleaved},
        workload_shape{"gather/tree/leaves:1000", 0, 0, rate, 100, many_turns | scheduler, on_demand,
                       pairing::interleaved},
        workload_shape{"gather/tree/leaves:10000", 0, 0, rate, 100, many_turns | scheduler, on_demand,
                       pairing::interleaved},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"gather/ready/children:1000", gather_ready<R>},
            {"gather/yield/children:1000", gather_yield<R>},
            {"gather/sleep/children:1000", gather_sleep<R>},
            {"gather/echo/children:100", gather_echo<R>},
            {"gather/tree/leaves:100", gather_tree<R, 100>},
            {"gather/tree/leaves:1000", gather_tree<R, 1000>},
            {"gather/tree/leaves:10000", gather_tree<R, 10'000>},
        };
    }
};

}  // namespace loopbench::bench::workloads
