// Round trips: the clients and the server share one loop, and every byte that comes back is compared with
// what was sent. (The connections themselves are in echo_session.hpp.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/runtime.hpp"
#include "bench/workloads/echo_session.hpp"
#include "bench/workloads/silent_connections.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// How many round trips each of the connections makes, so that all together make operations() of them, or a
/// few more.
inline std::uint64_t round_trips_each(const trial& t, std::size_t connections) {
    return (t.operations() + connections - 1) / connections;
}

template <class Transport>
void prove_echo(const echo_session<Transport>& session) {
    prove_echo(session.t, session.counts, session.served_bytes, session.round_trips_each,
               session.message_bytes);
}

template <class Transport>
echo_task<Transport> echo_rtt(typename Transport::runtime& runtime, trial& t, std::size_t connections,
                              std::size_t bytes) {
    echo_session<Transport> session(runtime, t, connections, bytes, round_trips_each(t, connections));
    t.did(session.round_trips_each * connections);
    co_await serve_while(session, [&session] { return time_round_trips(session); });
    prove_echo(session);
    judge_fairness(t, session.shares_at_half, session.round_trips_each);
}

}  // namespace detail

/// One operation: one round trip. All connections together do operations() of them, each connection the same
/// number; connecting, and some round trips on each connection, come before and are not timed.
template <Runtime R, std::size_t Connections, std::size_t Bytes = echo_bytes>
task_of<R> echo_rtt_tcp(R& runtime, trial& t) {
    return detail::echo_rtt<tcp_transport<R>>(runtime, t, Connections, Bytes);
}

/// As echo_rtt_tcp, over Unix sockets: the same loop, a cheaper kernel.
template <UnixSockets R, std::size_t Connections>
task_of<R> echo_rtt_unix(R& runtime, trial& t) {
    return detail::echo_rtt<unix_transport<R>>(runtime, t, Connections, echo_bytes);
}

/// One operation: one round trip of 64 bytes on one of 100 connections, while 10,000 others are open, waited
/// for, and silent. Opening them is not timed; what each costs in memory is reported.
template <Runtime R>
task_of<R> echo_mostly_idle(R& runtime, trial& t) {
    constexpr std::size_t active = 100;
    constexpr std::size_t idle = 10'000;
    detail::echo_session<tcp_transport<R>> session(runtime, t, active, echo_bytes,
                                                   detail::round_trips_each(t, active));
    t.did(session.round_trips_each * active);
    detail::silent_connections<R> silent(runtime, t);
    if (!co_await silent.open(session.transport.listener, idle)) co_return;
    co_await silent.while_silent(
        detail::serve_while(session, [&session] { return detail::time_round_trips(session); }));
    detail::prove_echo(session);
    detail::judge_fairness(t, session.shares_at_half, session.round_trips_each);
    silent.prove();
}

}  // namespace loopbench::bench::workloads
