// The echo floors: the work of echo/rtt (bench/workloads/echo.hpp) with its requests, its clock reads and
// its proof, but with system calls placed by hand where the workload has a loop.
//
// What the three share is here: one connection's two ends as a state machine, and the order of a trial. What
// they show is how little the kernel can be asked for a round trip:
// - echo_blocking: four calls, one connection after the other; nothing waits, nothing is multiplexed.
// - echo_epoll: the same four, and one epoll_wait for each batch of ready sockets.
// - echo_uring: no call but two io_uring_enter for each batch of round trips.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/floors/connections.hpp"
#include "bench/workloads/echo.hpp"
#include "bench/workloads/sockets/same_bytes.hpp"
#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// An echo floor: every round trip of the trial over these connections, with messages of so many bytes,
/// proved. An operating error on a connection fails the trial; throws std::system_error when the floor cannot
/// be set up. A message has to fit into what the kernel keeps for a connection: nobody reads it while it is
/// sent.
using echo_floor = void(std::span<const connection> connections, std::size_t bytes, trial& t);

echo_floor echo_blocking;
echo_floor echo_epoll;
echo_floor echo_uring;

using workloads::detail::echo_messages;

/// What a server receives into: as large as the workload's (bench/workloads/sockets/echo_session.hpp), and
/// like there one for each connection and outside of what is kept of the connection, where a floor needs more
/// than one.
using server_buffer = std::vector<std::byte>;
inline server_buffer make_server_buffer(std::size_t message_bytes) {
    return server_buffer(std::max(message_bytes, workloads::echo_buffer_bytes_min));
}

/// The round trips that every connection makes in one phase.
struct echo_phase {
    std::uint64_t first;
    std::uint64_t end;  // the first that does not belong to it
    trial* timed;       // none while warming up
};

/// One connection: its client, which has one request under way at a time, and its server.
struct echo_pair {
    std::uint64_t number;
    const echo_messages& messages;
    int client;
    int server;
    std::uint64_t round_trip = 0;  // under way, or the next
    trial::time_point start{};     // of the round trip, which is the end of the one before
    std::span<const std::byte> request{};
    std::vector<std::byte> reply;
    workloads::detail::echo_counts counts{};
    std::uint64_t served_bytes = 0;

    /// False when the connection failed before.
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

    /// How many bytes of this round trip's request the server has still to receive.
    std::size_t unserved_bytes() const noexcept {
        return static_cast<std::size_t>((round_trip + 1) * reply.size() - served_bytes);
    }

    /// The reply is complete. False when that was the last round trip of the phase.
    bool finish_round_trip(const echo_phase& phase) noexcept {
        if (phase.timed != nullptr) start = phase.timed->record_latency(start);
        ++(workloads::same_bytes(request, reply) ? counts.round_trips : counts.wrong_replies);
        return ++round_trip < phase.end;
    }
};

/// Warms up, times and proves. `make_round_trips(phase)` returns when every pair has made them, or failed.
template <class MakeRoundTrips>
void run_echo_trial(std::vector<echo_pair>& pairs, trial& t, MakeRoundTrips make_round_trips) {
    constexpr std::uint64_t warm_up = workloads::warm_up_round_trips;
    echo_phase before{.first = 0, .end = warm_up, .timed = nullptr};
    make_round_trips(before);
    echo_phase timed{.first = warm_up, .end = warm_up, .timed = &t};
    t.begin(workloads::round_trips_of_a_turn(pairs.size()));
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

/// `messages` of so many bytes have to outlive the pairs.
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
