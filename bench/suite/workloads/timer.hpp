#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "bench/suite/recording/memory.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/trial/lateness.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Waits for the ticks, and records the lateness of each. The deadlines are absolute, so that a late tick
/// does not delay the ticks after it.
template <Runtime R>
task_of<R> tick_periodically(R& runtime, trial& t) {
    t.begin();
    const time_point start = runtime.now();
    time_point deadline = start;
    for (std::uint64_t tick = 0; tick < t.operations(); ++tick) {
        deadline += timer_period;
        co_await runtime.sleep_until(deadline);
        record_lateness(t, deadline);
    }
    t.end();
    t.report("drift", static_cast<double>(
                          std::chrono::nanoseconds(std::chrono::steady_clock::now() - deadline).count()));
    t.prove_lasted("the ticks", deadline - start - t.early_limit(), std::chrono::steady_clock::now() - start);
}

/// Yields until `stopped` is true or the time `give_up` has passed. The limit is needed for loops that check
/// their timers only when no coroutine is ready. On such a loop, `stopped` never becomes true.
template <Runtime R>
task_of<R> yield_until(R& runtime, const bool& stopped, time_point give_up, std::uint64_t& gave_up) {
    for (std::uint64_t yields = 1; !stopped; ++yields) {
        co_await runtime.yield();
        if (yields % 64 == 0 && std::chrono::steady_clock::now() > give_up) {
            ++gave_up;
            break;
        }
    }
}

struct load_seen {
    std::uint64_t round_trips = 0;
    std::uint64_t gave_up = 0;
};

template <Runtime R>
task_of<R> tick_and_stop(echo_session<tcp_transport<R>>& session, load_seen& load) {
    const std::uint64_t before = session.made_in_rounds;
    co_await tick_periodically(session.runtime, session.t);
    load.round_trips = session.made_in_rounds - before;
    session.stopped = true;
}

template <Runtime R>
task_of<R> tick_under_load(echo_session<tcp_transport<R>>& session, load_seen& load) {
    constexpr std::uint64_t unlimited = std::uint64_t{1} << 40;
    trial& t = session.t;
    const time_point give_up = std::chrono::steady_clock::now() +
                               t.operations() * std::chrono::milliseconds(1) + std::chrono::seconds(1);
    std::vector<task_of<R>> tasks;
    for (std::size_t i = 0; i < session.clients.size(); ++i)
        tasks.push_back(
            make_round_trips(session, i, warm_up_round_trips, unlimited, latencies::not_recorded));
    for (int i = 0; i < 4; ++i)
        tasks.push_back(yield_until(session.runtime, session.stopped, give_up, load.gave_up));
    tasks.push_back(tick_and_stop<R>(session, load));
    co_await session.runtime.gather(std::span<task_of<R>>(tasks));
}

template <Runtime R>
struct countdown {
    std::uint64_t expected;
    typename R::event done;
    std::uint64_t called = 0;

    void call() {
        if (++called == expected) done.set();
    }
};

/// Waits until a timer that is due at once has fired. The loop has then checked its timers and has run
/// everything that was queued before.
template <CallTimers R>
task_of<R> wait_for_a_due_timer(R& runtime, std::uint64_t& due_fired) {
    countdown<R> due{1, typename R::event(runtime)};
    runtime.call_at(runtime.now(), [&due] { due.call(); });
    co_await due.done.wait();
    due_fired += due.called;
}

struct churned {
    std::uint64_t batches = 0;
    std::uint64_t due_fired = 0;
    std::uint64_t fired_after_all = 0;
};

template <CallTimers R, class Handle>
task_of<R> churn_batch(R& runtime, std::uint64_t timers, std::vector<Handle>& handles, churned& counts) {
    const time_point now = runtime.now();
    for (std::uint64_t i = 0; i < timers; ++i) {
        const auto delay = std::chrono::seconds(60) + shuffled(i, timers) * std::chrono::microseconds(50);
        handles.push_back(runtime.call_at(now + delay, [&counts] { ++counts.fired_after_all; }));
    }
    co_await wait_for_a_due_timer(runtime, counts.due_fired);
    for (Handle& each : handles) each.cancel();
    handles.clear();
    ++counts.batches;
}

}  // namespace detail

/// Measures a periodic timer. The lateness of the last tick is also reported as the drift.
template <Runtime R>
task_of<R> timer_periodic(R& runtime, trial& t) {
    return detail::tick_periodically(runtime, t);
}

template <Runtime R, int Microseconds>
task_of<R> timer_ladder(R& runtime, trial& t) {
    t.begin();
    for (std::uint64_t i = 0; i < t.operations(); ++i) {
        const time_point deadline =
            std::chrono::steady_clock::now() + std::chrono::microseconds(Microseconds);
        co_await runtime.sleep_until(deadline);
        record_lateness(t, deadline);
    }
    t.end();
    t.prove_lasted("the sleeps", t.operations() * (std::chrono::microseconds(Microseconds) - t.early_limit()),
                   t.cost().wall);
}

/// Measures arming and cancelling timers in batches. The first batch is not timed, because it allocates the
/// memory.
///
/// Some runtimes insert timers into their queue only after call_at(), and some remove cancelled timers later.
/// Therefore, a batch is cancelled only after one more timer, which is due at once, has fired. All timers of
/// the batch are then in the queue. After the last batch, the task waits for another due timer, so that
/// removing the cancelled timers is timed, too.
template <CallTimers R, std::uint64_t Timers>
task_of<R> timer_churn(R& runtime, trial& t) {
    using handle = decltype(runtime.call_at(time_point{}, [] {}));
    std::vector<handle> handles;
    handles.reserve(Timers);
    detail::churned counts;
    co_await detail::churn_batch(runtime, Timers, handles, counts);
    co_await detail::wait_for_a_due_timer(runtime, counts.due_fired);
    t.begin({.operations = Timers});
    while (std::uint64_t left = t.next())
        for (; left > 0; left -= Timers) co_await detail::churn_batch(runtime, Timers, handles, counts);
    co_await detail::wait_for_a_due_timer(runtime, counts.due_fired);
    t.end();
    t.prove("number of timers that fired although they were cancelled", 0, counts.fired_after_all);
    t.prove("number of due timers that fired", counts.batches + 2, counts.due_fired);
}

template <CallTimers R>
task_of<R> timer_expire(R& runtime, trial& t) {
    using handle = decltype(runtime.call_at(time_point{}, [] {}));
    const std::uint64_t count = t.operations();
    detail::countdown<R> all{count, typename R::event(runtime)};
    const std::int64_t resident_before = resident_bytes();
    const time_point first = runtime.now() + count * std::chrono::nanoseconds(500);
    const auto spacing = std::chrono::nanoseconds(100);
    for (std::uint64_t i = 0; i < count; ++i) {
        const handle unused =
            runtime.call_at(first + detail::shuffled(i, count) * spacing, [&all] { all.call(); });
        static_cast<void>(unused);
    }
    t.report("bytes_per_item",
             static_cast<double>(resident_bytes() - resident_before) / static_cast<double>(count));
    // The thread sleeps instead of the task, because the loop must not check its timers before all of them
    // are due.
    std::this_thread::sleep_until(first + count * spacing);
    const std::uint64_t called_too_soon = all.called;
    t.begin();
    co_await all.done.wait();
    t.end();
    t.prove("number of timers that fired while the loop did not run", 0, called_too_soon);
    t.prove("number of timers that fired", count, all.called);
}

template <Runtime R>
task_of<R> timer_under_load(R& runtime, trial& t) {
    constexpr std::size_t connections = 10;
    detail::echo_session<tcp_transport<R>> session(runtime, t, connections, echo_bytes);
    detail::load_seen load;
    co_await detail::serve_while(session,
                                 [&session, &load] { return detail::tick_under_load<R>(session, load); });
    std::uint64_t wrong_replies = 0;
    for (const detail::echo_counts& each : session.counts) wrong_replies += each.wrong_replies;
    if (load.gave_up > 0)
        t.fail(
            "the loop checks its timers only when its ready queue is empty, and the queue was never empty");
    t.prove("number of replies that differ from the bytes sent", 0, wrong_replies);
    if (load.round_trips == 0) t.fail("the load made no round trip on its connections");
}

struct timer_family {
    static constexpr std::array about{
        workload_info{
            "timer/periodic", about_waits,
            "a timer ticks at 1 kHz on absolute deadlines, and the lateness of every tick is measured",
            "All ticks of the timer are timed. Each deadline is the start plus a whole number of "
            "milliseconds, so a late tick does not delay the following ticks. Drift is the lateness of the "
            "last tick.",
            "The result depends on how the loop waits: on the kernel's timer slack (50 us by default for "
            "epoll, poll and select; none for timerfd and io_uring), on rounding to milliseconds, and on the "
            "wake-up itself."},
        workload_info{
            "timer/ladder", about_waits,
            "one operation is one sleep of the given number of microseconds; the loop has no other work",
            "All sleeps are timed, one after the other. Each deadline is the given number of microseconds "
            "after the start of its sleep, and no sleep must end early.",
            "The result depends on how the loop waits, as for timer/periodic. The sleeps below one "
            "millisecond show whether a loop waits in whole milliseconds."},
        workload_info{"timer/churn", about_work,
                      "one operation arms a timer and cancels it, in batches of the given number of timers",
                      "Three steps are timed for each batch: arming its timers in mixed order, one wait of "
                      "the loop while all of them are pending (a further timer, which is due, ends the "
                      "wait), and cancelling the timers. After the last batch, one more such wait is timed, "
                      "in which a library can do deferred work for the cancelled timers. A cancelled timer "
                      "must not fire. The first batch is not timed.",
                      "Most of the time is spent on inserting timers into the timer queue and removing them; "
                      "on cache misses, if the timers do not fit into the caches; and on an allocation for "
                      "each timer, if the library makes one."},
        workload_info{
            "timer/expire", about_work, "one operation is one of many timers that are due at once",
            "Measures the time from the loop's first check of its timers until the last timer has fired. "
            "Before that, the timers are armed (bytes_per_item is the memory of each), and the thread sleeps "
            "until all timers are due. Each timer must fire once, but not before the timed section.",
            "Most of the time is spent on removing the earliest timer from the queue, and on cache misses, "
            "because the loop visits the timers' memory in the order of their deadlines."},
        workload_info{
            "timer/under_load", about_lateness,
            "a timer ticks at 1 kHz while 10 connections echo and 4 coroutines yield all the time",
            "All ticks of the timer are timed; their lateness is the result. Meanwhile, the connections must "
            "echo, and every reply must be correct.",
            "The result depends on how many callbacks the loop runs before it checks the clock and the "
            "kernel again. The trial fails if the loop checks them only when nothing is ready."},
    };
    static constexpr std::array shapes{
        workload_shape{"timer/periodic", 30, 1000, no_rate, 100, many_turns, headline, pairing::sequential},
        workload_shape{"timer/ladder/us:10", 100, 10'000, no_rate, 100, many_turns, on_demand,
                       pairing::sequential},
        workload_shape{"timer/ladder/us:100", 100, 5000, no_rate, 100, many_turns, on_demand,
                       pairing::sequential},
        workload_shape{"timer/ladder/us:1000", 20, 1000, no_rate, 100, many_turns, on_demand,
                       pairing::sequential},
        workload_shape{"timer/ladder/us:10000", 5, 100, no_rate, 100, many_turns, on_demand,
                       pairing::sequential},
        workload_shape{"timer/ladder/us:100000", 2, 20, no_rate, 100, needs(), on_demand,
                       pairing::sequential},
        workload_shape{"timer/ladder/us:1000000", 1, 3, no_rate, 100, needs(), on_demand,
                       pairing::sequential},
        workload_shape{"timer/churn/timers:1000", 0, 0, rate, 100, call_timers | many_turns | timer_queue,
                       on_demand, pairing::interleaved},
        workload_shape{"timer/churn/timers:100000", 100'000, 1'000'000, rate, 100,
                       call_timers | many_turns | timer_queue, on_demand, pairing::sequential},
        workload_shape{"timer/expire/timers:10000", 10'000, 10'000, no_rate, 100, call_timers | timer_queue,
                       on_demand, pairing::sequential},
        workload_shape{"timer/expire/timers:100000", 100'000, 100'000, no_rate, 100,
                       call_timers | timer_queue, on_demand, pairing::sequential},
        workload_shape{"timer/expire/timers:1000000", 1'000'000, 1'000'000, no_rate, 100,
                       call_timers | timer_queue, on_demand, pairing::sequential},
        workload_shape{"timer/under_load", 100, 1000, no_rate, 100, many_turns | timers_while_busy, on_demand,
                       pairing::sequential, 1, not_countable},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"timer/periodic", timer_periodic<R>},
            {"timer/ladder/us:10", timer_ladder<R, 10>},
            {"timer/ladder/us:100", timer_ladder<R, 100>},
            {"timer/ladder/us:1000", timer_ladder<R, 1000>},
            {"timer/ladder/us:10000", timer_ladder<R, 10'000>},
            {"timer/ladder/us:100000", timer_ladder<R, 100'000>},
            {"timer/ladder/us:1000000", timer_ladder<R, 1'000'000>},
            if_there_is<R, CallTimers<R>>("call_at", "timer/churn/timers:1000",
                                          [](auto& r, trial& t) { return timer_churn<R, 1000>(r, t); }),
            if_there_is<R, CallTimers<R>>("call_at", "timer/churn/timers:100000",
                                          [](auto& r, trial& t) { return timer_churn<R, 100'000>(r, t); }),
            if_there_is<R, CallTimers<R>>("call_at", "timer/expire/timers:10000",
                                          [](auto& r, trial& t) { return timer_expire<R>(r, t); }),
            if_there_is<R, CallTimers<R>>("call_at", "timer/expire/timers:100000",
                                          [](auto& r, trial& t) { return timer_expire<R>(r, t); }),
            if_there_is<R, CallTimers<R>>("call_at", "timer/expire/timers:1000000",
                                          [](auto& r, trial& t) { return timer_expire<R>(r, t); }),
            {"timer/under_load", timer_under_load<R>},
        };
    }
};

}  // namespace loopbench::bench::workloads
