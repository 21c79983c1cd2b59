#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/sockets/silent_connections.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <class Transport>
void prove_echo(const echo_session<Transport>& session) {
    prove_echo(session.t, session.counts, session.served_bytes, session.rounds_before, session.message_bytes);
    judge_fairness(session.t, session.shares_at_half, session.rounds_of_shares);
}

template <class Transport>
echo_task<Transport> echo_rtt(typename Transport::runtime& runtime, trial& t, std::size_t connections,
                              std::size_t bytes) {
    echo_session<Transport> session(runtime, t, connections, bytes);
    co_await serve_while(session, [&session] { return time_round_trips(session); });
    prove_echo(session);
}

}  // namespace detail

/// Makes operations() round trips in total, spread over all connections.
template <Runtime R, std::size_t Connections, std::size_t Bytes = echo_bytes>
task_of<R> echo_rtt_tcp(R& runtime, trial& t) {
    return detail::echo_rtt<tcp_transport<R>>(runtime, t, Connections, Bytes);
}

template <UnixSockets R, std::size_t Connections>
task_of<R> echo_rtt_unix(R& runtime, trial& t) {
    return detail::echo_rtt<unix_transport<R>>(runtime, t, Connections, echo_bytes);
}

template <Runtime R>
task_of<R> echo_mostly_idle(R& runtime, trial& t) {
    constexpr std::size_t active = 100;
    constexpr std::size_t idle = 10'000;
    detail::echo_session<tcp_transport<R>> session(runtime, t, active, echo_bytes);
    detail::silent_connections<R> silent(runtime, t);
    if (!co_await silent.open(session.transport.listener, idle)) co_return;
    co_await silent.while_silent(
        detail::serve_while(session, [&session] { return detail::time_round_trips(session); }));
    detail::prove_echo(session);
    silent.prove();
}

struct echo_family {
    static constexpr std::array about{
        workload_info{
            "echo/rtt/tcp", about_traffic,
            "one operation is one round trip; clients and server share the loop",
            "All round trips over TCP are timed. Before that, the connections are opened and make eight "
            "round trips each, which are not timed. Every byte of every reply is compared. Fairness is "
            "Jain's index of the connections' shares when half of the round trips are done.",
            "The kernel's work dominates, because each round trip needs at least two sends and two receives. "
            "The loop's own part of the time is the difference from the floors."},
        workload_info{"echo/rtt/unix", about_traffic, "one operation is one round trip over Unix sockets",
                      "The timed part is the same as for echo/rtt/tcp.",
                      "The kernel's work dominates as for echo/rtt/tcp, but the kernel has less work, so the "
                      "loop's part is a larger share."},
        workload_info{
            "echo/mostly_idle", about_traffic,
            "one operation is one round trip on one of 100 connections; 10,000 other connections are silent",
            "The timed part is the same as for echo/rtt/tcp, but the loop also waits for 10,000 silent "
            "connections, whose clients are in another process. Opening these connections is not timed; "
            "bytes_per_item is the memory of each.",
            "If a loop does work for all connections and not only for the active ones, this work dominates. "
            "For example, poll and select pass all connections to the kernel in each call."},
    };
    // Workloads with many connections or large messages are sequential, because their slices would be long: a
    // slice has at least six round trips on each connection. If a contender then waits for 40 ms, the kernel
    // acknowledges the contender's unread data during the slices of other contenders instead of during its
    // own (see swap_neighbours() in bench/harness/trial/interleaving.cpp).
    static constexpr std::array shapes{
        workload_shape{"echo/rtt/tcp/conns:1/bytes:64", 3000, 40'000, rate, 100, many_turns, headline,
                       pairing::interleaved}
            .with_latencies(1),
        workload_shape{"echo/rtt/tcp/conns:100/bytes:64", 3000, 40'000, rate, 300, many_turns, headline,
                       pairing::interleaved}
            .with_latencies(100),
        workload_shape{"echo/rtt/tcp/conns:1000/bytes:64", 12'000, 40'000, rate, 2100, many_turns, on_demand,
                       pairing::sequential}
            .with_latencies(1000),
        workload_shape{"echo/rtt/tcp/conns:1/bytes:1024", 3000, 40'000, rate, 100, many_turns, on_demand,
                       pairing::interleaved}
            .with_latencies(1),
        workload_shape{"echo/rtt/tcp/conns:100/bytes:1024", 3000, 40'000, rate, 300, many_turns, on_demand,
                       pairing::interleaved}
            .with_latencies(100),
        workload_shape{"echo/rtt/tcp/conns:1000/bytes:1024", 12'000, 40'000, rate, 2100, many_turns,
                       on_demand, pairing::sequential}
            .with_latencies(1000),
        workload_shape{"echo/rtt/tcp/conns:1/bytes:16384", 1000, 20'000, rate, 100, many_turns, on_demand,
                       pairing::interleaved}
            .with_latencies(1),
        workload_shape{"echo/rtt/tcp/conns:100/bytes:16384", 1000, 20'000, rate, 300, many_turns, on_demand,
                       pairing::sequential}
            .with_latencies(100),
        workload_shape{"echo/rtt/tcp/conns:1000/bytes:16384", 12'000, 20'000, rate, 2100, many_turns,
                       on_demand, pairing::sequential}
            .with_latencies(1000),
        workload_shape{"echo/rtt/unix/conns:1/bytes:64", 3000, 40'000, rate, 100, unix_sockets | many_turns,
                       on_demand, pairing::interleaved}
            .with_latencies(1),
        workload_shape{"echo/rtt/unix/conns:100/bytes:64", 3000, 40'000, rate, 300, unix_sockets | many_turns,
                       on_demand, pairing::interleaved}
            .with_latencies(100),
        workload_shape{"echo/rtt/unix/conns:1000/bytes:64", 12'000, 40'000, rate, 2100,
                       unix_sockets | many_turns, on_demand, pairing::sequential}
            .with_latencies(1000),
        workload_shape{"echo/mostly_idle/idle:10000/conns:100", 3000, 40'000, rate, 10'400, many_turns,
                       on_demand, pairing::interleaved}
            .with_latencies(100),
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
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
        };
    }
};

}  // namespace loopbench::bench::workloads
