// The echo floors do the work of echo/rtt (bench/suite/workloads/echo.hpp) with the same requests, readings
// of the clock and checks. They use hand-written system calls instead of a loop.
//
// This header contains the common parts of the three floors: a state machine for the two ends of a
// connection, and the steps of a trial. The floors make the smallest number of system calls for a round trip:
// - echo_blocking makes four calls on one connection after another, without waiting or multiplexing.
// - echo_epoll makes the same four calls, and one epoll_wait for each batch of ready sockets.
// - echo_uring makes only two calls of io_uring_enter for each batch of round trips.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/suite/floors/connections.hpp"
#include "bench/suite/workloads/echo.hpp"
#include "bench/suite/workloads/sockets/same_bytes.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// A function that runs an echo floor. It makes every round trip of the trial over these connections, with
/// messages of `bytes` bytes, and checks every reply. An error on a connection fails the trial. The function
/// throws std::system_error if it cannot set up the floor. A message must fit into the kernel's socket
/// buffers, because no thread reads the message while it is sent.
using echo_floor = void(std::span<const connection> connections, std::size_t bytes, trial& t);

echo_floor echo_blocking;
echo_floor echo_epoll;
echo_floor echo_uring;

using workloads::detail::echo_messages;

/// A server's receive buffer, with the size of the workload's buffer
/// (bench/suite/workloads/sockets/echo_session.hpp). A floor that needs several buffers has one per
/// connection, separate from the connection's other data, as in the workload.
using server_buffer = std::vector<std::byte>;
inline server_buffer make_server_buffer(std::size_t message_bytes) {
    return server_buffer(std::max(message_bytes, workloads::echo_buffer_bytes_min));
}

/// The round trips that every connection makes in one phase.
struct echo_phase {
    std::uint64_t first;
    std::uint64_t end;  // the first round trip after this phase
    trial* timed;       // the trial that records latencies; null in the warm-up
};

/// One connection: its server, and its client, which has one request in flight at a time.
struct echo_pair {
    std::uint64_t number;
    const echo_messages& messages;
    int client;
    int server;
    std::uint64_t round_trip = 0;  // number of the current or next round trip
    trial::time_point start{};     // start of the round trip, which is the end of the previous one
    std::span<const std::byte> request{};
    std::vector<std::byte> reply;
    workloads::detail::echo_counts counts{};
    std::uint64_t served_bytes = 0;

    /// Begins a phase. Returns false if the connection has failed, or if the phase has no round trips.
    bool enter(const echo_phase& phase) noexcept {
        if (counts.error != 0) return false;
        round_trip = phase.first;
        if (phase.timed != nullptr) start = phase.timed->start_of_latency();
        return round_trip < phase.end;
    }

    std::span<const std::byte> next_request() noexcept {
        request = messages.message(number, round_trip);
        return request;
    }

    /// Returns the number of bytes of the current request that the server has not received yet.
    std::size_t unserved_bytes() const noexcept {
        return static_cast<std::size_t>((round_trip + 1) * reply.size() - served_bytes);
    }

    /// Ends the current round trip, whose reply is complete. Returns false if the phase has no more round
    /// trips.
    bool finish_round_trip(const echo_phase& phase) noexcept {
        if (phase.timed != nullptr) start = phase.timed->record_latency(start);
        ++(workloads::same_bytes(request, reply) ? counts.round_trips : counts.wrong_replies);
        return ++round_trip < phase.end;
    }
};

/// Runs the warm-up, the timed section and the checks of a trial. `make_round_trips(phase)` must return when
/// every pair has made its round trips or has failed.
template <class MakeRoundTrips>
void run_echo_trial(std::vector<echo_pair>& pairs, trial& t, MakeRoundTrips make_round_trips) {
    constexpr std::uint64_t warm_up = workloads::warm_up_round_trips;
    echo_phase before{.first = 0, .end = warm_up, .timed = nullptr};
    make_round_trips(before);
    echo_phase timed{.first = warm_up, .end = warm_up, .timed = &t};
    t.begin(workloads::round_trips_of_a_slice(pairs.size()));
    while (const std::uint64_t round_trips = t.next()) {
        timed.first = std::exchange(timed.end, timed.end + round_trips / pairs.size());
        make_round_trips(timed);
    }
    t.end();
    const std::uint64_t round_trips_each = timed.end - warm_up;

    std::vector<workloads::detail::echo_counts> counts;
    std::vector<std::uint64_t> served_bytes;
    for (const echo_pair& pair : pairs) {
        counts.push_back(pair.counts);
        served_bytes.push_back(pair.served_bytes);
    }
    workloads::detail::prove_echo(t, counts, served_bytes, round_trips_each, pairs.front().reply.size());
}

/// Returns the state machine of each connection. `messages` (of `bytes` bytes each) must outlive the state
/// machines.
inline std::vector<echo_pair> make_pairs(std::span<const connection> connections, std::size_t bytes,
                                         const echo_messages& messages) {
    std::vector<echo_pair> pairs;
    pairs.reserve(connections.size());
    for (const connection& each : connections)
        pairs.push_back({.number = pairs.size(),
                         .messages = messages,
                         .client = each.client.get(),
                         .server = each.server.get(),
                         .reply = std::vector<std::byte>(bytes)});
    return pairs;
}

}  // namespace loopbench::bench::floors
