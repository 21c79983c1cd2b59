#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/cross_thread.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Checks that the runtime loses no posted function. post/chain makes this check before its timed section,
/// because a chain of posts never ends if a function is lost.
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
    t.prove("number of functions that were posted before a yield and ran", count, ran);
    t.prove("number of posted functions that ran out of order", 0, out_of_order);
    const bool all_in_order = ran == count && out_of_order == 0;
    co_return all_in_order;
}

template <Runtime R>
task_of<R> walk(R& runtime, std::uint64_t& mine, const std::uint64_t& others, std::uint64_t& out_of_turn) {
    for (int i = 0; i < 1000; ++i) {
        if (++mine > others + 1) ++out_of_turn;
        co_await runtime.yield();
    }
}

template <Runtime R>
task_of<R> yields_take_turns(R& runtime, trial& t) {
    std::uint64_t left = 0, right = 0, out_of_turn = 0;
    std::array<task_of<R>, 2> both{walk(runtime, left, right, out_of_turn),
                                   walk(runtime, right, left, out_of_turn)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    t.prove("number of steps of two coroutines that yield to each other", 2000, left + right);
    t.prove("number of steps that the same coroutine took twice in a row", 0, out_of_turn);
}

template <Runtime R>
struct chain {
    R& runtime;
    trial& t;
    typename R::event done;
    std::uint64_t ran = 0;
    std::uint64_t last = 0;  // value of `ran` at which t.next() is called

    void post_next() {
        runtime.post([this] { step(); });
    }

    void step() {
        if (++ran < last || (last += t.next()) > ran) {
            post_next();
        } else {
            t.end();  // ends here, because the task's wake-up must not be timed
            done.set();
        }
    }
};

template <Runtime R>
struct batches {
    std::uint64_t last = 0;
    std::optional<typename R::event> done{};
    std::uint64_t ran = 0;

    void step() {
        if (++ran >= last) done->set();  // `ran` exceeds `last` if a function runs twice
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

/// The number of posts or spawned coroutines in a batch. The slowest contender takes a fraction of a
/// millisecond for a batch, which is short enough for slices of whole batches.
inline constexpr std::uint64_t batch_size = 1000;

template <Runtime R>
task_of<R> spawn_batch(R& runtime, std::uint64_t& ran, std::uint64_t& ran_inline) {
    const std::uint64_t before = ran;
    for (std::uint64_t i = 0; i < batch_size; ++i) runtime.spawn(empty_coroutine(runtime, ran));
    ran_inline += ran - before;
    co_await runtime.yield();
    co_await runtime.yield();  // some runtimes need one more turn to free the coroutines
}

}  // namespace detail

/// Measures a chain of posts. The last function wakes the task with an event, because polling, or waiting for
/// I/O or a timer, would add to the timed work.
template <Runtime R>
task_of<R> post_chain(R& runtime, trial& t) {
    if (!co_await detail::post_keeps_every_function(runtime, t)) co_return;
    detail::chain<R> links{runtime, t, typename R::event(runtime)};
    t.begin();
    links.last = t.next();
    links.post_next();
    co_await links.done.wait();
    t.prove("number of functions that ran", t.operations(), links.ran);
}

template <Runtime R>
task_of<R> post_batch(R& runtime, trial& t) {
    using detail::batch_size;
    if (!co_await detail::post_keeps_every_function(runtime, t)) co_return;
    detail::batches<R> all;  // one object for all batches, so that it still exists if a function runs twice
    t.begin({.operations = batch_size});
    while (const std::uint64_t count = t.next()) {
        for (std::uint64_t left = count / batch_size; left > 0; --left) {
            all.last += batch_size;
            all.done.emplace(runtime);
            for (std::uint64_t i = 0; i < batch_size; ++i) runtime.post([&all] { all.step(); });
            co_await all.done->wait();
        }
    }
    t.end();
    t.prove("number of functions that ran", t.operations(), all.ran);
}

template <Runtime R>
task_of<R> await_leaf(R& runtime, trial& t) {
    std::uint64_t sum = 0;
    std::uint64_t awaited = 0;
    t.begin();
    while (const std::uint64_t count = t.next())
        for (const std::uint64_t last = awaited + count; awaited < last;)
            sum += co_await detail::leaf(runtime, ++awaited);
    t.end();
    t.prove("sum of the values that the coroutines returned", t.operations() * (t.operations() + 1) / 2, sum);
}

template <Runtime R>
task_of<R> yield(R& runtime, trial& t) {
    co_await detail::yields_take_turns(runtime, t);
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t yields = 0; yields < count; ++yields) co_await runtime.yield();
    t.end();
}

/// Measures batches of spawned coroutines. The first batch is not timed, because it uses memory that the
/// process has not touched yet.
template <Runtime R>
task_of<R> spawn(R& runtime, trial& t) {
    std::uint64_t spawned = 0;
    std::uint64_t ran = 0;
    std::uint64_t ran_inline = 0;
    co_await detail::spawn_batch(runtime, ran, ran_inline);
    ran = 0;
    t.begin({.operations = detail::batch_size});
    while (const std::uint64_t count = t.next()) {
        for (std::uint64_t left = count / detail::batch_size; left > 0; --left)
            co_await detail::spawn_batch(runtime, ran, ran_inline);
        spawned += count;
    }
    t.end();
    t.prove("number of spawned coroutines that ran", spawned, ran);
    t.prove("number of spawned coroutines that ran inside spawn()", 0, ran_inline);
}

struct schedule_family {
    static constexpr std::array about{
        workload_info{"post/chain", about_work, "one operation is a posted function that posts the next one",
                      "Measures the time from the first post to the end of the last function. The number of "
                      "functions that ran is checked. Before the timed section, 1000 functions are posted "
                      "at once, to check that no function gets lost and that the functions run in order.",
                      "The ready queue dominates, with one entry. Therefore, this workload shows the cost of "
                      "an allocation, a lock or an atomic operation most clearly."},
        workload_info{"post/batch", about_work,
                      "one operation is a posted function; 1000 are posted, then all run",
                      "Posting and running the functions is timed, and so is one wake-up of a coroutine for "
                      "each batch. The checks are those of post/chain.",
                      "The memory for 1000 queued functions dominates, so the result depends on how the loop "
                      "stores a function, and whether it reuses the memory."},
        workload_info{
            "post/cross_thread", about_work,
            "in one operation, another thread posts a function, and the loop runs it; the loop must wake "
            "first, unless it is still polling",
            "Measures the time from the first post after a warm-up (10 posts on one core, 2000 on two) to "
            "the end of the last function. The thread posts each function after the previous one has run. "
            "Latency is the time from just before a post until the function runs. Both threads share one "
            "core (cores:1), or each has its own core (cores:2). The cores are fixed, because the kernel "
            "would otherwise choose new ones in every process.",
            "Most of the time is spent while the kernel wakes two threads, which are the loop's sleeping "
            "thread (through an eventfd or a pipe) and the posting thread. On one core, a wake-up is a "
            "context switch. On two cores, it is an interrupt to a sleeping core, which is expensive in a "
            "virtual machine. A loop that is still polling when the next function is posted needs no "
            "wake-up."},
        workload_info{"yield", about_work, "one operation is one co_await of yield() by a single coroutine",
                      "All yields of the coroutine are timed. Before the timed section, two coroutines yield "
                      "1000 times each, to check that they run alternately.",
                      "Most of the time is spent on suspending, on one pass through the ready queue, and on "
                      "resuming. The result also depends on how often the loop asks the kernel for I/O while "
                      "something is always ready."},
        workload_info{
            "spawn", about_work,
            "one operation spawns an empty coroutine; 1000 are spawned at a time, then all run",
            "Creating, queueing, running and freeing the coroutines is timed, and so are two yields for each "
            "batch. The first 1000 coroutines are not timed, because they use memory that the process has "
            "not touched before. Every coroutine must run, but not inside spawn().",
            "Most of the time is spent on allocating the coroutine's frame and the library's data for it. "
            "Every asio contender except asio-tuned also allocates a frame for co_spawn and a third frame. "
            "The third frame is necessary because co_spawn inside the loop would start the coroutine "
            "immediately; this frame goes through the queue first."},
        workload_info{"await/leaf", about_work, "one operation awaits a coroutine that does not suspend",
                      "All awaits are timed. The sum of the returned values is checked.",
                      "Most of the time is spent on allocating, starting and freeing a coroutine. The loop "
                      "is not involved."},
    };
    static constexpr std::array shapes{
        workload_shape{"post/chain", 0, 0, rate, 100, many_turns | scheduler, headline, pairing::interleaved},
        workload_shape{"post/batch", 0, 0, rate, 100, many_turns | scheduler, on_demand,
                       pairing::interleaved},
        // The latencies of post/cross_thread can add up to any share of the timed section. Between two
        // latencies, the posting thread wakes up, and might wait for a core for a long time. The least share
        // is therefore 0.
        workload_shape{"post/cross_thread/cores:1", 0, 0, rate, 100, many_turns | other_threads, on_demand,
                       pairing::sequential}
            .with_latencies(1, 1, 0),
        workload_shape{"post/cross_thread/cores:2", 0, 0, rate, 100, many_turns | other_threads, on_demand,
                       pairing::sequential, 2}
            .with_latencies(1, 1, 0),
        workload_shape{"yield", 0, 0, rate, 100, many_turns | scheduler, headline, pairing::interleaved},
        workload_shape{"spawn", 0, 0, rate, 100, many_turns | scheduler, headline, pairing::interleaved},
        workload_shape{"await/leaf", 0, 0, rate, 100, scheduler, on_demand, pairing::interleaved},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"post/chain", post_chain<R>},
            {"post/batch", post_batch<R>},
            {"post/cross_thread/cores:1", post_cross_thread<R, 1>},
            {"post/cross_thread/cores:2", post_cross_thread<R, 2>},
            {"yield", workloads::yield<R>},
            {"spawn", workloads::spawn<R>},
            {"await/leaf", await_leaf<R>},
        };
    }
};

}  // namespace loopbench::bench::workloads
