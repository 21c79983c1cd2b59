// Round trips over loopback TCP: the clients and the server share one loop, and every byte that comes back is
// compared with what was sent.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/runtime.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

inline constexpr std::size_t echo_bytes = 64;

namespace detail {

using echo_message = std::array<std::byte, echo_bytes>;

/// Bytes that differ by connection and by round trip, so that neither a stale nor a foreign reply can pass.
echo_message echo_pattern(std::uint64_t connection, std::uint64_t round_trip) noexcept;

struct echo_counts {
    std::uint64_t round_trips = 0;  // with the right reply
    std::uint64_t wrong_replies = 0;
    int error = 0;  // errno of the operation that ended the connection too early

    bool fail(int cause) noexcept {
        if (cause != 0) error = cause;
        return cause != 0;
    }
};

template <Runtime R>
struct echo_session {
    echo_session(R& loop, trial& of, std::size_t connections, std::uint64_t round_trips)
        : runtime(loop),
          t(of),
          listener(loop.listen()),
          round_trips_each(round_trips),
          clients(connections),
          accepted(connections),
          counts(connections),
          served_bytes(connections) {}

    R& runtime;
    trial& t;
    typename R::listener listener;
    std::uint64_t round_trips_each;
    // By connection. The order in which the server accepts need not be that of the clients.
    std::vector<std::optional<typename R::stream>> clients;
    std::vector<std::optional<typename R::stream>> accepted;
    std::vector<echo_counts> counts;
    std::vector<std::uint64_t> served_bytes;
};

template <Runtime R>
task_of<R> serve_echo(echo_session<R>& session, std::size_t index) {
    typename R::stream& stream = *session.accepted[index];
    std::vector<std::byte> buffer(4096);  // not in the frame: runtimes recycle small frames only
    for (;;) {
        const auto received = co_await stream.read_some(buffer);
        if (received.error != 0 || received.bytes == 0) break;
        const auto sent = co_await stream.write_all(std::span(buffer).first(received.bytes));
        if (sent.error != 0) break;
        session.served_bytes[index] += received.bytes;
    }
    stream.close();  // or a client that still waits for a reply would wait for ever
}

template <Runtime R>
task_of<R> echo_server(echo_session<R>& session) {
    std::vector<task_of<R>> handlers;
    handlers.reserve(session.accepted.size());
    try {
        for (std::size_t i = 0; i < session.accepted.size(); ++i) {
            session.accepted[i].emplace(co_await session.listener.accept());
            handlers.push_back(serve_echo(session, i));
        }
    } catch (...) {
        session.listener.close();  // or the clients that were not accepted would wait for a reply
        for (auto& stream : session.accepted) stream.reset();
        throw;
    }
    co_await session.runtime.gather(std::span<task_of<R>>(handlers));
}

/// One round trip after the other. `latency` gets each one's time: the end of one is the start of the next.
template <Runtime R>
task_of<R> make_round_trips(echo_session<R>& session, std::size_t index, std::uint64_t first,
                            std::uint64_t count, histogram* latency) {
    using clock = std::chrono::steady_clock;
    typename R::stream& stream = *session.clients[index];
    echo_counts& counts = session.counts[index];
    echo_message reply;
    clock::time_point start = clock::now();
    for (std::uint64_t i = first; i < first + count; ++i) {
        const echo_message request = echo_pattern(index, i);
        const auto sent = co_await stream.write_all(request);
        if (counts.fail(sent.error)) co_return;
        for (std::size_t filled = 0; filled < reply.size();) {
            const auto received = co_await stream.read_some(std::span(reply).subspan(filled));
            if (counts.fail(received.bytes == 0 && received.error == 0 ? ECONNRESET : received.error))
                co_return;
            filled += received.bytes;
        }
        if (latency != nullptr) {
            const clock::time_point end = clock::now();
            latency->record(std::chrono::nanoseconds(end - start).count());
            start = end;
        }
        ++(request == reply ? counts.round_trips : counts.wrong_replies);
    }
}

template <Runtime R>
task_of<R> connect_and_warm_up(echo_session<R>& session, std::size_t index) {
    session.clients[index].emplace(co_await session.runtime.connect(session.listener.port()));
    co_await make_round_trips(session, index, 0, 1, nullptr);
}

/// All the clients through one phase, joined.
template <Runtime R, class Start>
task_of<R> for_each_client(echo_session<R>& session, Start start) {
    std::vector<task_of<R>> clients;
    clients.reserve(session.clients.size());
    for (std::size_t i = 0; i < session.clients.size(); ++i) clients.push_back(start(i));
    co_await session.runtime.gather(std::span<task_of<R>>(clients));
}

template <Runtime R>
task_of<R> echo_clients(echo_session<R>& session) {
    try {
        co_await for_each_client(
            session, [&session](std::size_t index) { return connect_and_warm_up(session, index); });
    } catch (...) {
        session.listener.close();  // or the server would wait for the rest of us
        throw;
    }
    session.t.begin();
    co_await for_each_client(session, [&session](std::size_t index) {
        return make_round_trips(session, index, 1, session.round_trips_each, &session.t.latency());
    });
    session.t.end();
    for (auto& client : session.clients) client->shutdown_write();  // the server's handlers see the end
}

/// The sums of what every connection did, and how many differ from what each should have done.
void prove_echo(trial& t, std::span<const echo_counts> counts, std::span<const std::uint64_t> served_bytes,
                std::uint64_t round_trips_each);

}  // namespace detail

/// One operation: one round trip of 64 bytes. All connections together do operations() of them, each
/// connection the same number; connecting and one round trip on each connection come before and are not
/// timed.
template <Runtime R, std::size_t Connections>
task_of<R> echo_rtt_tcp(R& runtime, trial& t) {
    const std::uint64_t round_trips_each = (t.operations() + Connections - 1) / Connections;
    detail::echo_session<R> session(runtime, t, Connections, round_trips_each);
    std::array<task_of<R>, 2> both{detail::echo_server(session), detail::echo_clients(session)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    t.did(round_trips_each * Connections);
    detail::prove_echo(t, session.counts, session.served_bytes, round_trips_each);
}

}  // namespace loopbench::bench::workloads
