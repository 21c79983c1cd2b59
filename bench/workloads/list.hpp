// The visible list of workloads as a contender runs them. Adding one is a function in a header beside this
// one, a line here, and a line in bench/catalog.cpp that says what it is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/runtime.hpp"
#include "bench/workloads/cross_thread.hpp"
#include "bench/workloads/echo.hpp"
#include "bench/workloads/gather.hpp"
#include "bench/workloads/idle.hpp"
#include "bench/workloads/mixed.hpp"
#include "bench/workloads/pipe.hpp"
#include "bench/workloads/schedule.hpp"
#include "bench/workloads/serve.hpp"
#include "bench/workloads/sleep.hpp"
#include "bench/workloads/stream.hpp"
#include "bench/workloads/timer.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench {

/// What there is to know of a workload, whatever runs it.
struct workload_shape {
    std::string_view name;  // full name: family/name[/word]...[/key:value]...

    // How many operations one trial does. Both 0: as many as fill the time that the contender is given.
    std::uint64_t smoke_operations = 0;
    std::uint64_t real_operations = 0;

    bool throughput = true;  // operations per second say something, and twice as many take twice the time
    std::size_t open_files = 100;  // how many descriptors a process needs for it

    bool calibrated() const noexcept { return real_operations == 0; }
    std::uint64_t operations(trial_size size) const noexcept {
        return size == trial_size::smoke ? smoke_operations : real_operations;
    }
};

template <Runtime R>
struct workload : workload_shape {
    task_of<R> (*run)(R& runtime, trial& t);
    std::string_view lacks{};  // the word that the runtime has not; then there is nothing to run
};

/// A workload that needs a word beyond the Runtime concept: `run` is a generic function, compiled when the
/// runtime has the word.
template <Runtime R, bool HasTheWord, class Run>
constexpr workload<R> needs(std::string_view word, const workload_shape& shape, Run run) {
    if constexpr (HasTheWord) {
        return {shape, run};
    } else {
        return {shape, nullptr, word};
    }
}

/// Waiting for a time, or for nothing.
template <Runtime R>
constexpr auto time_workloads() {
    using namespace workloads;
    constexpr bool timers = CallTimers<R>;
    return std::array{
        workload<R>{{"sleep/serial", 1, 1, false}, sleep_serial<R>},
        workload<R>{{"sleep/concurrent", 1, 1, false}, sleep_concurrent<R>},
        workload<R>{{"sleep/many/sleeps:1000", 1000, 1000, false}, sleep_many<R>},
        workload<R>{{"sleep/many/sleeps:10000", 10'000, 10'000, false}, sleep_many<R>},
        workload<R>{{"sleep/many/sleeps:100000", 100'000, 100'000, false}, sleep_many<R>},
        workload<R>{{"timer/periodic", 30, 1000, false}, timer_periodic<R>},
        workload<R>{{"timer/ladder/us:10", 100, 10'000, false}, timer_ladder<R, 10>},
        workload<R>{{"timer/ladder/us:100", 100, 5000, false}, timer_ladder<R, 100>},
        workload<R>{{"timer/ladder/us:1000", 20, 1000, false}, timer_ladder<R, 1000>},
        workload<R>{{"timer/ladder/us:10000", 5, 100, false}, timer_ladder<R, 10'000>},
        workload<R>{{"timer/ladder/us:100000", 2, 20, false}, timer_ladder<R, 100'000>},
        workload<R>{{"timer/ladder/us:1000000", 1, 3, false}, timer_ladder<R, 1'000'000>},
        needs<R, timers>("call_at", {"timer/churn/timers:1000"},
                         [](auto& r, trial& t) { return timer_churn<R, 1000>(r, t); }),
        needs<R, timers>("call_at", {"timer/churn/timers:100000", 100'000, 1'000'000},
                         [](auto& r, trial& t) { return timer_churn<R, 100'000>(r, t); }),
        needs<R, timers>("call_at", {"timer/expire/timers:10000", 10'000, 10'000, false},
                         [](auto& r, trial& t) { return timer_expire<R>(r, t); }),
        needs<R, timers>("call_at", {"timer/expire/timers:100000", 100'000, 100'000, false},
                         [](auto& r, trial& t) { return timer_expire<R>(r, t); }),
        needs<R, timers>("call_at", {"timer/expire/timers:1000000", 1'000'000, 1'000'000, false},
                         [](auto& r, trial& t) { return timer_expire<R>(r, t); }),
        workload<R>{{"timer/under_load", 100, 1000, false}, timer_under_load<R>},
        workload<R>{{"idle/timer", 1, 1, false}, idle_timer<R>},
        workload<R>{{"idle/sleepers/sleepers:1000", 1, 1, false}, idle_sleepers<R, 1000>},
        workload<R>{{"idle/sockets/conns:1000", 1, 1, false, 1100}, idle_sockets<R>},
    };
}

/// Coroutines and functions, and the joining of them.
template <Runtime R>
constexpr auto task_workloads() {
    using namespace workloads;
    return std::array{
        workload<R>{{"post/chain"}, post_chain<R>},
        workload<R>{{"post/batch"}, post_batch<R>},
        workload<R>{{"post/cross_thread/cores:1"}, post_cross_thread<R, 1>},
        workload<R>{{"post/cross_thread/cores:2"}, post_cross_thread<R, 2>},
        workload<R>{{"yield"}, workloads::yield<R>},
        workload<R>{{"spawn"}, workloads::spawn<R>},
        workload<R>{{"await/leaf"}, await_leaf<R>},
        workload<R>{{"gather/ready/children:1000"}, gather_ready<R>},
        workload<R>{{"gather/yield/children:1000"}, gather_yield<R>},
        workload<R>{{"gather/sleep/children:1000", 3, 20, false}, gather_sleep<R>},
        workload<R>{{"gather/echo/children:100", 3000, 40'000, true, 300}, gather_echo<R>},
        workload<R>{{"gather/tree/leaves:100"}, gather_tree<R, 100>},
        workload<R>{{"gather/tree/leaves:1000"}, gather_tree<R, 1000>},
        workload<R>{{"gather/tree/leaves:10000"}, gather_tree<R, 10'000>},
    };
}

/// Sockets and pipes.
template <Runtime R>
constexpr auto io_workloads() {
    using namespace workloads;
    constexpr bool unix_sockets = UnixSockets<R>;
    constexpr bool pipes = Pipes<R>;
    return std::array{
        workload<R>{{"echo/rtt/tcp/conns:1/bytes:64", 3000, 40'000}, echo_rtt_tcp<R, 1>},
        workload<R>{{"echo/rtt/tcp/conns:100/bytes:64", 3000, 40'000, true, 300}, echo_rtt_tcp<R, 100>},
        workload<R>{{"echo/rtt/tcp/conns:1000/bytes:64", 3000, 40'000, true, 2100}, echo_rtt_tcp<R, 1000>},
        workload<R>{{"echo/rtt/tcp/conns:1/bytes:1024", 3000, 40'000}, echo_rtt_tcp<R, 1, 1024>},
        workload<R>{{"echo/rtt/tcp/conns:100/bytes:1024", 3000, 40'000, true, 300},
                    echo_rtt_tcp<R, 100, 1024>},
        workload<R>{{"echo/rtt/tcp/conns:1000/bytes:1024", 3000, 40'000, true, 2100},
                    echo_rtt_tcp<R, 1000, 1024>},
        workload<R>{{"echo/rtt/tcp/conns:1/bytes:16384", 1000, 20'000}, echo_rtt_tcp<R, 1, 16'384>},
        workload<R>{{"echo/rtt/tcp/conns:100/bytes:16384", 1000, 20'000, true, 300},
                    echo_rtt_tcp<R, 100, 16'384>},
        workload<R>{{"echo/rtt/tcp/conns:1000/bytes:16384", 1000, 20'000, true, 2100},
                    echo_rtt_tcp<R, 1000, 16'384>},
        needs<R, unix_sockets>("listen_unix", {"echo/rtt/unix/conns:1/bytes:64", 3000, 40'000},
                               [](auto& r, trial& t) { return echo_rtt_unix<R, 1>(r, t); }),
        needs<R, unix_sockets>("listen_unix", {"echo/rtt/unix/conns:100/bytes:64", 3000, 40'000, true, 300},
                               [](auto& r, trial& t) { return echo_rtt_unix<R, 100>(r, t); }),
        needs<R, unix_sockets>("listen_unix", {"echo/rtt/unix/conns:1000/bytes:64", 3000, 40'000, true, 2100},
                               [](auto& r, trial& t) { return echo_rtt_unix<R, 1000>(r, t); }),
        workload<R>{{"echo/mostly_idle/idle:10000/conns:100", 3000, 40'000, true, 10'400},
                    echo_mostly_idle<R>},
        workload<R>{{"stream/throughput/bytes:65536", 500, 20'000}, stream_throughput<R>},
        workload<R>{{"accept/churn", 300, 5000}, accept_churn<R>},
        workload<R>{{"fanout/broadcast/conns:100", 30, 1000, true, 300}, fanout_broadcast<R>},
        workload<R>{{"serve/open_loop/load:25", 2000, 40'000, false}, serve_open_loop<R, 25>},
        workload<R>{{"serve/open_loop/load:50", 2000, 40'000, false}, serve_open_loop<R, 50>},
        workload<R>{{"serve/open_loop/load:75", 2000, 40'000, false}, serve_open_loop<R, 75>},
        workload<R>{{"serve/open_loop/load:90", 2000, 40'000, false}, serve_open_loop<R, 90>},
        needs<R, pipes>("open_pipe", {"pipe/read/bytes:4096", 3000, 100'000},
                        [](auto& r, trial& t) { return pipe_read(r, t); }),
        workload<R>{{"mixed/server", 3000, 40'000}, mixed_server<R>},
    };
}

template <class Workload, std::size_t... Sizes>
constexpr auto joined(const std::array<Workload, Sizes>&... families) {
    std::array<Workload, (Sizes + ...)> all{};
    auto end = all.begin();
    ((end = std::copy(families.begin(), families.end(), end)), ...);
    return all;
}

/// Every workload, in the order of the catalog.
template <Runtime R>
constexpr auto workload_list() {
    return joined(time_workloads<R>(), task_workloads<R>(), io_workloads<R>());
}

}  // namespace loopbench::bench
