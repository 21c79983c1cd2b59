// The echo floors do the work of echo/rtt (bench/suite/workloads/echo.hpp) with hand-written system calls
// instead of a loop. The requests, the clock readings and the checks are the same as in the workload.
//
// Each floor makes the smallest number of system calls. echo_blocking makes four per round trip. echo_epoll
// makes the same four, and one epoll_wait for each batch of events. echo_uring makes two calls of
// io_uring_enter for each batch of round trips.
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

/// A function that makes every round trip of the trial, with messages of `bytes` bytes. It throws
/// std::system_error if the floor cannot be set up. A message must fit into the kernel's socket buffers,
/// because no thread reads it while it is sent.
using echo_floor = void(std::span<const connection> connections, std::size_t bytes, trial& t);

echo_floor echo_blocking;
echo_floor echo_epoll;
echo_floor echo_uring;

using workloads::detail::echo_messages;

using server_buffer = std::vector<std::byte>;
inline server_buffer make_server_buffer(std::size_t message_bytes) {
    return server_buffer(std::max(message_bytes, workloads::echo_buffer_bytes_min));
}

struct echo_phase {
    std::uint64_t first;
    std::uint64_t end;  // one past the last round trip of the phase
    trial* timed;       // null in the warm-up
};

struct echo_pair {
    std::uint64_t number;
    const echo_messages& messages;
    int client;
    int server;
    std::uint64_t round_trip = 0;
    trial::time_point start{};
    std::span<const std::byte> request{};
    std::vector<std::byte> reply;
    workloads::detail::echo_counts counts{};
    std::uint64_t served_bytes = 0;

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

    std::size_t unserved_bytes() const noexcept {
        return static_cast<std::size_t>((round_trip + 1) * reply.size() - served_bytes);
    }

    bool finish_round_trip(const echo_phase& phase) noexcept {
        if (phase.timed != nullptr) start = phase.timed->record_latency(start);
        ++(workloads::same_bytes(request, reply) ? counts.round_trips : counts.wrong_replies);
        return ++round_trip < phase.end;
    }
};

/// Runs the warm-up and the timed section, and checks the work. `make_round_trips(phase)` must return when
/// every pair has made the round trips of the phase or has failed.
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

/// Returns one state machine for each connection. `messages` must outlive the state machines.
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
