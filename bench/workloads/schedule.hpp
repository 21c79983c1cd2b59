// The ready queue: posted functions, yields and spawned coroutines, with no I/O and no timer anywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/runtime.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Posted functions run, each once, in order. Not timed: it is the proof that the chain's functions would not
/// get lost, for a chain that lost one would never end. False when the proof failed.
template <Runtime R>
task_of<R, bool> post_keeps_every_function(R& runtime, trial& t) {
    constexpr std::uint64_t count = 1000;
    std::uint64_t ran = 0;
    std::uint64_t out_of_order = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        runtime.post([i, &ran, &out_of_order] {
            if (ran++ != i) ++out_of_order;
        });
    }
    co_await runtime.yield();
    t.prove("functions that ran, of those posted before a yield", count, ran);
    t.prove("posted functions that ran out of order", 0, out_of_order);
    const bool all_in_order = ran == count && out_of_order == 0;
    co_return all_in_order;
}

/// One of two that walk in step: each yield lets the other one go first.
template <Runtime R>
task_of<R> walk(R& runtime, std::uint64_t& mine, const std::uint64_t& others, std::uint64_t& out_of_turn) {
    for (int i = 0; i < 1000; ++i) {
        if (++mine > others + 1) ++out_of_turn;
        co_await runtime.yield();
    }
}

/// Not timed: a yield that goes on at once, be it only now and then, fails.
template <Runtime R>
task_of<R> yields_take_turns(R& runtime, trial& t) {
    std::uint64_t left = 0, right = 0, out_of_turn = 0;
    std::array<task_of<R>, 2> both{walk(runtime, left, right, out_of_turn),
                                   walk(runtime, right, left, out_of_turn)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    t.prove("steps of two coroutines that yield to each other", 2000, left + right);
    t.prove("steps that one of them took before its turn", 0, out_of_turn);
}

template <Runtime R>
struct chain {
    R& runtime;
    trial& t;
    typename R::event done;
    std::uint64_t ran = 0;
    std::uint64_t last = 0;  // of those that are run before the trial is asked again

    void post_next() {
        runtime.post([this] { step(); });
    }

    void step() {
        if (++ran < last || (last += t.next()) > ran) {
            post_next();
        } else {
            t.end();  // here, so that waking the waiter is not timed
            done.set();
        }
    }
};

/// What posted functions of a batch do: count, and wake the task after the last.
template <Runtime R>
struct batches {
    std::uint64_t last = 0;
    std::optional<typename R::event> done{};
    std::uint64_t ran = 0;

    void step() {
        if (++ran == last) done->set();
    }
};

template <Runtime R>
task_of<R, std::uint64_t> leaf(R&, std::uint64_t value) {
    co_return value;
}

template <Runtime R>
task_of<R> empty_coroutine(R&, std::uint64_t& ran) {
    ++ran;
    co_return;
}

inline constexpr std::uint64_t spawn_batch_size = 10'000;

template <Runtime R>
task_of<R> spawn_batch(R& runtime, std::uint64_t count, std::uint64_t& ran, std::uint64_t& ran_inline) {
    const std::uint64_t before = ran;
    for (std::uint64_t i = 0; i < count; ++i) runtime.spawn(empty_coroutine(runtime, ran));
    ran_inline += ran - before;
    co_await runtime.yield();  // they run
    co_await runtime.yield();  // a runtime that needs another turn to free them has had it
}

}  // namespace detail

/// One operation: a posted function that posts the next one. The last one wakes the task by an event, because
/// a task that polled, or waited for I/O or a timer, would be in what is timed.
template <Runtime R>
task_of<R> post_chain(R& runtime, trial& t) {
    if (!co_await detail::post_keeps_every_function(runtime, t)) co_return;
    detail::chain<R> links{runtime, t, typename R::event(runtime)};
    t.begin();
    links.last = t.next();
    links.post_next();
    co_await links.done.wait();
    t.prove("functions that ran", t.operations(), links.ran);
}

/// One operation: a posted function; 10,000 are posted, then all run.
template <Runtime R>
task_of<R> post_batch(R& runtime, trial& t) {
    constexpr std::uint64_t batch_size = 10'000;
    if (!co_await detail::post_keeps_every_function(runtime, t)) co_return;
    detail::batches<R> all;  // one for all batches, so that a function that runs once too often finds it
    t.begin();
    while (std::uint64_t left = t.next()) {
        for (std::uint64_t count = 0; left > 0; left -= count) {
            count = std::min(batch_size, left);
            all.last += count;
            all.done.emplace(runtime);
            for (std::uint64_t i = 0; i < count; ++i) runtime.post([&all] { all.step(); });
            co_await all.done->wait();
        }
    }
    t.end();
    t.prove("functions that ran", t.operations(), all.ran);
}

/// One operation: an await of a coroutine that does not suspend.
template <Runtime R>
task_of<R> await_leaf(R& runtime, trial& t) {
    std::uint64_t sum = 0;
    std::uint64_t awaited = 0;
    t.begin();
    while (const std::uint64_t count = t.next())
        for (const std::uint64_t last = awaited + count; awaited < last;)
            sum += co_await detail::leaf(runtime, ++awaited);
    t.end();
    t.prove("the sum of what the coroutines gave", t.operations() * (t.operations() + 1) / 2, sum);
}

/// One operation: one yield, by the only coroutine there is.
template <Runtime R>
task_of<R> yield(R& runtime, trial& t) {
    co_await detail::yields_take_turns(runtime, t);
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t yields = 0; yields < count; ++yields) co_await runtime.yield();
    t.end();
}

/// One operation: an empty coroutine is spawned, runs and is freed; 10,000 are spawned at a time. The first
/// 10,000 are not timed: they meet memory that the process has not touched yet, which says nothing of the
/// runtime.
template <Runtime R>
task_of<R> spawn(R& runtime, trial& t) {
    std::uint64_t spawned = 0;
    std::uint64_t ran = 0;
    std::uint64_t ran_inline = 0;
    co_await detail::spawn_batch(runtime, detail::spawn_batch_size, ran, ran_inline);
    ran = 0;
    t.begin();
    while (std::uint64_t left = t.next()) {
        for (std::uint64_t count = 0; left > 0; left -= count) {
            count = std::min(detail::spawn_batch_size, left);
            co_await detail::spawn_batch(runtime, count, ran, ran_inline);
            spawned += count;
        }
    }
    t.end();
    t.prove("spawned coroutines that ran", spawned, ran);
    t.prove("spawned coroutines that ran inside of spawn()", 0, ran_inline);
}

}  // namespace loopbench::bench::workloads
