// Which function each workload of table.hpp is.
#pragma once

#include <string_view>
#include <vector>

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
#include "bench/workloads/table.hpp"
#include "bench/workloads/timer.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench {

/// A workload on a runtime.
template <Runtime R>
struct workload {
    std::string_view name;
    task_of<R> (*run)(R& runtime, trial& t);  // null when the runtime lacks what it is made of
    std::string_view lacks{};                 // the word that it has not, then
};

/// For a workload that needs a word beyond the Runtime concept: `run` is a generic function, compiled when
/// the runtime has the word.
template <Runtime R, bool HasTheWord, class Run>
constexpr workload<R> if_there_is(std::string_view word, std::string_view name, Run run) {
    if constexpr (HasTheWord) {
        return {name, run};
    } else {
        return {name, nullptr, word};
    }
}

/// Every workload, in the order of the table.
template <Runtime R>
std::vector<workload<R>> workload_list() {
    using namespace workloads;
    return {
        {"sleep/serial", sleep_serial<R>},
        {"sleep/concurrent", sleep_concurrent<R>},
        {"sleep/many/sleeps:1000", sleep_many<R>},
        {"sleep/many/sleeps:10000", sleep_many<R>},
        {"sleep/many/sleeps:100000", sleep_many<R>},
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
        {"idle/timer", idle_timer<R>},
        {"idle/sleepers/sleepers:1000", idle_sleepers<R, 1000>},
        {"idle/sockets/conns:1000", idle_sockets<R>},
        {"post/chain", post_chain<R>},
        {"post/batch", post_batch<R>},
        {"post/cross_thread/cores:1", post_cross_thread<R, 1>},
        {"post/cross_thread/cores:2", post_cross_thread<R, 2>},
        {"yield", workloads::yield<R>},
        {"spawn", workloads::spawn<R>},
        {"await/leaf", await_leaf<R>},
        {"gather/ready/children:1000", gather_ready<R>},
        {"gather/yield/children:1000", gather_yield<R>},
        {"gather/sleep/children:1000", gather_sleep<R>},
        {"gather/echo/children:100", gather_echo<R>},
        {"gather/tree/leaves:100", gather_tree<R, 100>},
        {"gather/tree/leaves:1000", gather_tree<R, 1000>},
        {"gather/tree/leaves:10000", gather_tree<R, 10'000>},
        {"echo/rtt/tcp/conns:1/bytes:64", echo_rtt_tcp<R, 1>},
        {"echo/rtt/tcp/conns:100/bytes:64", echo_rtt_tcp<R, 100>},
        {"echo/rtt/tcp/conns:1000/bytes:64", echo_rtt_tcp<R, 1000>},
        {"echo/rtt/tcp/conns:1/bytes:1024", echo_rtt_tcp<R, 1, 1024>},
        {"echo/rtt/tcp/conns:100/bytes:1024", echo_rtt_tcp<R, 100, 1024>},
        {"echo/rtt/tcp/conns:1000/bytes:1024", echo_rtt_tcp<R, 1000, 1024>},
        {"echo/rtt/tcp/conns:1/bytes:16384", echo_rtt_tcp<R, 1, 16'384>},
        {"echo/rtt/tcp/conns:100/bytes:16384", echo_rtt_tcp<R, 100, 16'384>},
        {"echo/rtt/tcp/conns:1000/bytes:16384", echo_rtt_tcp<R, 1000, 16'384>},
        if_there_is<R, UnixSockets<R>>("listen_unix", "echo/rtt/unix/conns:1/bytes:64",
                                       [](auto& r, trial& t) { return echo_rtt_unix<R, 1>(r, t); }),
        if_there_is<R, UnixSockets<R>>("listen_unix", "echo/rtt/unix/conns:100/bytes:64",
                                       [](auto& r, trial& t) { return echo_rtt_unix<R, 100>(r, t); }),
        if_there_is<R, UnixSockets<R>>("listen_unix", "echo/rtt/unix/conns:1000/bytes:64",
                                       [](auto& r, trial& t) { return echo_rtt_unix<R, 1000>(r, t); }),
        {"echo/mostly_idle/idle:10000/conns:100", echo_mostly_idle<R>},
        {"stream/throughput/bytes:65536", stream_throughput<R>},
        {"accept/churn", accept_churn<R>},
        {"fanout/broadcast/conns:100", fanout_broadcast<R>},
        {"serve/open_loop/load:25", serve_open_loop<R, 25>},
        {"serve/open_loop/load:50", serve_open_loop<R, 50>},
        {"serve/open_loop/load:75", serve_open_loop<R, 75>},
        {"serve/open_loop/load:90", serve_open_loop<R, 90>},
        {"serve/open_loop/rate:20000", serve_open_loop_at<R, 20'000>},
        if_there_is<R, Pipes<R>>("open_pipe", "pipe/read/bytes:4096",
                                 [](auto& r, trial& t) { return pipe_read(r, t); }),
        {"mixed/server", mixed_server<R>},
    };
}

}  // namespace loopbench::bench
