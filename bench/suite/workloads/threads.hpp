// The workloads for runtimes with several threads. Each of them exists for several numbers of threads, and
// must be a template over bench/suite/threads_runtime.hpp.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/serve.hpp"
#include "bench/suite/workloads/threads/chains.hpp"
#include "bench/suite/workloads/threads/serve.hpp"
#include "bench/suite/workloads/threads/sockets.hpp"
#include "bench/suite/workloads/threads/timers.hpp"
#include "bench/suite/workloads/threads/tree.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

inline constexpr std::size_t chains_of_posts = 64, strands_of_trial = 64, leaves_of_tree = 1024;

template <ThreadedRuntime R>
void threads_post_stay(R& runtime, trial& t) {
    detail::chain_trial(runtime, t, chains_of_posts, runtime.homes(), detail::stays<R>()).run();
}

template <ThreadedRuntime R>
void threads_post_move(R& runtime, trial& t) {
    detail::chain_trial(runtime, t, chains_of_posts, runtime.homes(), detail::moves<R, false>()).run();
}

template <ThreadedRuntime R>
void threads_ping(R& runtime, trial& t) {
    detail::chain_trial(runtime, t, 1, runtime.homes(), detail::moves<R, true>()).run();
}

template <ThreadedRuntime R>
void threads_strand_even(R& runtime, trial& t) {
    detail::chain_trial(runtime, t, 2 * strands_of_trial, strands_of_trial,
                        detail::in_strands<R>(runtime, strands_of_trial))
        .run();
}

template <ThreadedRuntime R>
void threads_strand_busy(R& runtime, trial& t) {
    detail::chain_trial(runtime, t, strands_of_trial - 1, strands_of_trial,
                        detail::beside_a_busy_strand<R>(runtime, strands_of_trial))
        .run();
}

template <ThreadedRuntime R>
void threads_spawn(R& runtime, trial& t) {
    detail::tree_trial<R>(runtime, t, leaves_of_tree).run();
}

template <ThreadedTimers R>
void threads_timer(R& runtime, trial& t) {
    std::atomic<std::uint64_t> fired{0};
    detail::chain_trial(runtime, t, chains_of_posts, runtime.homes(), detail::cancels_elsewhere<R>(fired))
        .run();
    t.prove("number of cancelled timers that fired", 0, fired);
}

template <ThreadedTimers R>
void threads_blocking(R& runtime, trial& t) {
    detail::blocking_trial<R>(runtime, t, 64).run();
}

template <ThreadedTimers R>
void threads_idle(R& runtime, trial& t) {
    detail::idle_trial<R>(runtime, t).run();
}

template <ThreadedSockets R, std::size_t Connections>
void threads_echo(R& runtime, trial& t) {
    const auto nothing = [] {};
    detail::threads_echo<R>(runtime, t, Connections).run(nothing, nothing);
}

template <ThreadedSockets R>
void threads_accept(R& runtime, trial& t) {
    detail::threads_accept<R>(runtime, t, 32).run();
}

template <ThreadedSockets R>
void threads_serve(R& runtime, trial& t) {
    detail::threads_serve<R>(runtime, t).run({.per_second = 20'000});
}

template <class R>
requires ThreadedSockets<R> && ThreadedTimers<R>
void threads_mixed(R& runtime, trial& t) {
    detail::threads_mixed<R>(runtime, t, 100).run();
}

struct threads_family {
    static constexpr std::array about{
        workload_info{
            "threads/post/stay", about_bulk,
            "one operation is a posted function that posts the next one to its own home; 64 such chains "
            "run at the same time",
            "Measures the time from the first posts to the end of the last function. A home is a thread if "
            "the contender has a loop for each thread, a strand in asio-strands, and any thread in "
            "asio-shared. Every function must run; functions of one home increment a counter without a "
            "lock, unless the contender promises no order. Fairness compares the chains, and "
            "thread_fairness the threads, when the first chain has ended. In each chain, the first 200 "
            "functions are not timed.",
            "Most of the time is spent in the queue of ready functions. If the threads share it, they wait "
            "for its lock, and its memory moves between the caches of the cores."},
        workload_info{
            "threads/post/move", about_bulk,
            "one operation is a posted function that posts the next one to the next home; 64 such chains "
            "run at the same time",
            "The timed part and the checks are those of threads/post/stay.",
            "With a loop for each thread, each function is a message to another core. Messages that arrive "
            "while a thread works cost it no wake-up."},
        workload_info{
            "threads/strand/even", about_bulk,
            "one operation is a function in one of 64 strands; it posts the next one to its strand",
            "All functions of 128 chains are timed. Each strand has two chains, and counts their functions "
            "without a lock. The other checks are those of threads/post/stay.",
            "Most of the time is spent on the strand's own queue and lock, in addition to the queue of the "
            "loop. A loop for each thread needs no strands: functions of one loop never run at the same "
            "time."},
        workload_info{
            "threads/strand/busy", about_delays,
            "one operation is a function in one of 63 strands, beside a busy strand; it posts the next one "
            "to its strand",
            "The functions of the 63 chains are timed, and their latencies, each from a post until the "
            "function runs. Meanwhile, the functions of eight more chains compute for 20 us each, all in "
            "one further strand. Each strand counts its functions without a lock.",
            "The latencies show which strands wait for the busy one. With a loop for each thread, all "
            "strands of the same thread wait, which also lowers their fairness. With one thread, all "
            "strands wait."},
        workload_info{
            "threads/spawn", about_bulk,
            "one operation is a function in a binary tree of 2047 functions; each posts two children to "
            "any thread",
            "All functions of some trees are timed, one tree after the other. A tree ends when its last "
            "function has ended. Every function must run once. The first three trees are not timed.",
            "The work is much too small to divide, so the result shows the cost of dividing it: of queues "
            "that threads share, of messages, and of waking threads at the beginning of each tree."},
        workload_info{
            "threads/ping", about_traffic,
            "one operation is a message from one thread to the other; only one message is on its way",
            "All messages are timed. Latency is the time from just before a post until the function runs. "
            "The first 200 messages are not timed. In contenders without a loop for each thread, the "
            "function can also run in the same thread.",
            "Most of the time is spent while the kernel wakes a thread on another core. A thread that is "
            "still polling needs no wake-up."},
        workload_info{
            "threads/timer", about_bulk,
            "in one operation, a home arms a timer, and the next home cancels it",
            "All timers of 64 chains are timed. None of them may fire. An operation has two posts: the "
            "timer is passed to the next home, and cancelled where its library allows it (in its own "
            "thread or strand).",
            "Most of the time is spent on the timer queue and its lock, and on the two posts."},
        workload_info{
            "threads/blocking", about_waits,
            "one operation is a tick of one of 64 clocks, which tick every millisecond, while one function "
            "after the other blocks a thread for 1 ms",
            "The lateness of all ticks is recorded. The blocking functions are posted to any thread.",
            "With a loop for each thread, the clocks of a blocked thread wait until it is free. With one "
            "loop for all threads, another thread serves them. With one thread, all clocks wait."},
        workload_info{
            "threads/idle", about_idleness,
            "one operation is 2 s (small: 50 ms) in which the threads have nothing to do",
            "The idle time is measured. Each home has a far timer, and another timer ends the trial. The "
            "trial fails if a far timer fires.",
            "Threads that block do no work at all. CPU time and wake-ups are those of threads that poll."},
        workload_info{
            "threads/echo", about_traffic,
            "one operation is one round trip; clients and server share the threads",
            "All round trips over TCP are timed. Before that, the connections are opened, and make eight "
            "round trips each. Every byte of every reply is compared. Fairness compares the connections, "
            "and thread_fairness the threads that serve them, when the first connection has made all its "
            "round trips.",
            "The kernel's work dominates. The result also depends on how evenly the connections are "
            "spread, and on whether a connection stays on one core."},
        workload_info{
            "threads/accept", about_spread,
            "in one operation, a connection is opened and accepted, echoes 64 bytes, and is closed",
            "All connections of 32 clients are timed, which open one connection after the other. Latency "
            "is the lifetime of a connection. thread_fairness compares the numbers of connections that the "
            "threads have served. Every byte of every reply is compared.",
            "Most of the time is spent on opening and closing connections in the kernel. Connections that "
            "are dealt in turn are spread evenly; with SO_REUSEPORT, the kernel spreads them by a hash."},
        workload_info{"threads/serve", about_delays,
                      "one operation is one request of a client in another process; the client does not "
                      "wait for replies",
                      "All requests on 16 connections are timed. The client is that of serve/open_loop: it "
                      "sends 20,000 requests per second, and latency starts at the time for which a "
                      "request was scheduled. The client has a core of its own, so that N threads need N + "
                      "1 cores.",
                      "Queueing dominates. The schedule determines the metric `time`, so compare latencies "
                      "and CPU time: with few requests, further threads can make a server slower."},
        workload_info{
            "threads/mixed", about_traffic,
            "one operation is one round trip on one of 100 connections, while a clock ticks at each home",
            "The round trips are those of threads/echo. Each home has a clock that ticks every "
            "millisecond, and posts a function to a strand, in which all ticks are counted without a lock. "
            "The latencies are those of the round trips; the lateness is that of the ticks.",
            "The kernel's work dominates. The lateness shows how long the connections keep the clocks "
            "waiting."},
    };

    /// Returns the shapes of all workloads, for all numbers of threads.
    static std::span<const workload_shape> shapes() {
        static constexpr std::array any_number{1, 2, 4, 8, 16, 32};
        static constexpr std::array two_threads{2};
        struct row {
            workload_shape shape;
            std::span<const int> threads = any_number;
        };
        const auto posts = [](std::string_view front) {
            return workload_shape{front, 0, 0, rate, 100, many_turns | other_threads};
        };
        const auto with_connections = [](std::string_view front, std::size_t connections, std::uint64_t small,
                                         std::uint64_t full) {
            // The share of connections that are busy depends on how evenly the threads share them.
            constexpr double least = 0.05;
            return workload_shape{front, small, full, rate, 2 * connections + 200, many_turns | other_threads}
                .with_latencies(static_cast<double>(connections), 1, least);
        };
        const auto with_visits = [&](std::string_view front, std::size_t clients) {
            workload_shape shape = with_connections(front, clients, 10 * clients, 150 * clients);
            shape.most_operations = 300 * clients;
            return shape;
        };
        static const std::array rows{
            row{posts("threads/post/stay/chains:64")},
            row{posts("threads/post/move/chains:64")},
            row{posts("threads/strand/even/strands:64")},
            row{posts("threads/strand/busy/strands:64").with_latencies(63, 1, 0)},
            row{posts("threads/spawn/leaves:1024")},
            row{posts("threads/ping").with_latencies(1, 1, 0), two_threads},
            row{posts("threads/timer/chains:64")},
            row{workload_shape{"threads/blocking/timers:64", 64 * 20, 64 * 500, no_rate, 100,
                               many_turns | other_threads}},
            row{workload_shape{"threads/idle", 1, 1, no_rate, 100, needs(other_threads)}},
            row{with_connections("threads/echo/conns:100", 100, 3000, 40'000)},
            row{with_connections("threads/echo/conns:1000", 1000, 12'000, 40'000)},
            row{with_visits("threads/accept/conns:32", 32)},
            row{detail::on_schedule("threads/serve/rate:20000", pace::same_for_all)},
            row{with_connections("threads/mixed/conns:100", 100, 3000, 40'000)},
        };
        static std::deque<std::string> names;  // the shapes refer to them
        static const std::vector<workload_shape> all = [] {
            std::vector<workload_shape> each_number;
            for (const row& of : rows)
                for (const int threads : of.threads) {
                    workload_shape shape = of.shape;
                    shape.name =
                        names.emplace_back(std::string(shape.name) + "/threads:" + std::to_string(threads));
                    shape.front = of.shape.name;
                    shape.threads = threads;
                    shape.cores = threads + (shape.paced == pace::its_own ? 0 : 1);  // one for the client
                    each_number.push_back(shape);
                }
            return each_number;
        }();
        return all;
    }

    template <ThreadedRuntime R>
    static std::vector<threaded_workload<R>> functions() {
        constexpr bool timers = ThreadedTimers<R>, sockets = ThreadedSockets<R>, both = timers && sockets;
        return {
            {"threads/post/stay/chains:64", threads_post_stay<R>},
            {"threads/post/move/chains:64", threads_post_move<R>},
            {"threads/strand/even/strands:64", threads_strand_even<R>},
            {"threads/strand/busy/strands:64", threads_strand_busy<R>},
            {"threads/spawn/leaves:1024", threads_spawn<R>},
            {"threads/ping", threads_ping<R>},
            if_threads_have<R, timers>("arm", "threads/timer/chains:64",
                                       [](auto& r, trial& t) { threads_timer<R>(r, t); }),
            if_threads_have<R, timers>("arm", "threads/blocking/timers:64",
                                       [](auto& r, trial& t) { threads_blocking<R>(r, t); }),
            if_threads_have<R, timers>("arm", "threads/idle",
                                       [](auto& r, trial& t) { threads_idle<R>(r, t); }),
            if_threads_have<R, sockets>("serve", "threads/echo/conns:100",
                                        [](auto& r, trial& t) { threads_echo<R, 100>(r, t); }),
            if_threads_have<R, sockets>("serve", "threads/echo/conns:1000",
                                        [](auto& r, trial& t) { threads_echo<R, 1000>(r, t); }),
            if_threads_have<R, sockets>("serve", "threads/accept/conns:32",
                                        [](auto& r, trial& t) { threads_accept<R>(r, t); }),
            if_threads_have<R, sockets>("serve", "threads/serve/rate:20000",
                                        [](auto& r, trial& t) { threads_serve<R>(r, t); }),
            if_threads_have<R, both>("serve", "threads/mixed/conns:100",
                                     [](auto& r, trial& t) { threads_mixed<R>(r, t); }),
        };
    }
};

}  // namespace loopbench::bench::workloads
