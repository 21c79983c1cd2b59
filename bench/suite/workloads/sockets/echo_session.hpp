#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sockets/same_bytes.hpp"
#include "bench/suite/workloads/sockets/transport.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

inline constexpr std::size_t echo_bytes = 64;
inline constexpr std::size_t echo_buffer_bytes_min = 4096;

/// The number of untimed round trips on each connection. With a thousand connections, the first round trips
/// are slow, because kernel and contender use much memory that is not in the caches yet.
inline constexpr std::uint64_t warm_up_round_trips = 8;

/// Returns the steps of a slice. A step is a sweep, which is one round trip on each connection. The first two
/// sweeps are untimed, because they are slower: other contenders have used the caches.
inline slice_steps round_trips_of_a_slice(std::size_t connections) {
    return {.operations = connections, .untimed = 2, .timed = 4};
}

namespace detail {

/// Messages that differ by connection and by round trip, so that a reply to another request fails the check.
/// All messages are parts of one block of random bytes. Two messages are equal with a probability of 1 in
/// 65,536.
class echo_messages {
public:
    explicit echo_messages(std::size_t bytes);
    std::span<const std::byte> message(std::uint64_t connection, std::uint64_t round_trip) const noexcept;

private:
    static constexpr std::size_t windows = 65'536;
    std::size_t bytes_;
    std::vector<std::byte> block_;
};

struct echo_counts {
    std::uint64_t round_trips = 0;
    std::uint64_t wrong_replies = 0;
    int error = 0;

    bool fail(int cause) noexcept {
        if (cause != 0) error = cause;
        return cause != 0;
    }
};

/// Returns Jain's fairness index (Jain, Chiu, Hawe 1984): (sum of x)^2 / (n * sum of x^2). The index is 1 if
/// all shares are equal, and k/n if k of n connections have equal shares and the other shares are 0. Without
/// shares, or if all shares are 0, the index is 1.
double jain_index(std::span<const std::uint64_t> shares) noexcept;

/// Fails the trial if a connection has failed, if a round trip is missing, or if a reply is wrong.
/// `round_trips_each` does not include the warm-up.
void prove_echo(trial& t, std::span<const echo_counts> counts, std::span<const std::uint64_t> served_bytes,
                std::uint64_t round_trips_each, std::size_t bytes = echo_bytes);

/// Reports Jain's index as `fairness`. `shares` are the connections' numbers of round trips when half of all
/// round trips were done. Fails the trial if the index is below 0.75. Does nothing if each connection makes
/// fewer than eight round trips.
void judge_fairness(trial& t, std::span<const std::uint64_t> shares, std::uint64_t round_trips_each);

template <class Transport>
struct echo_session {
    using runtime_type = typename Transport::runtime;
    using stream = typename Transport::stream;

    echo_session(runtime_type& loop, trial& of, std::size_t connections, std::size_t bytes)
        : runtime(loop),
          t(of),
          transport(loop),
          message_bytes(bytes),
          messages(bytes),
          replies(connections * bytes),
          clients(connections),
          accepted(connections),
          counts(connections),
          served_bytes(connections),
          gates(connections) {}

    std::span<std::byte> reply(std::size_t index) {
        return std::span(replies).subspan(index * message_bytes, message_bytes);
    }

    void begin() {
        t.begin(round_trips_of_a_slice(clients.size()));
        begin_rounds();
    }

    /// Begins the next sweeps, or ends the timed section if no operations are left. Every connection must
    /// have finished the previous sweeps, so that a timed part contains only whole round trips.
    void begin_rounds() {
        rounds_before += std::exchange(rounds, 0);
        made_in_rounds = 0;
        if (!aborted) rounds = t.next() / clients.size();
        if (rounds == 0) end();
    }

    void end() {
        rounds_before += std::exchange(rounds, 0);
        if (!std::exchange(ended, true)) t.end();
    }

    void round_trip_made() {
        if (++made_in_rounds == rounds * clients.size() / 2 && rounds > rounds_of_shares) {
            rounds_of_shares = rounds;
            shares_at_half = shares();
        }
    }

    std::vector<std::uint64_t> shares() const {
        const std::uint64_t before = warm_up_round_trips + rounds_before;
        std::vector<std::uint64_t> all;
        for (const echo_counts& each : counts) {
            const std::uint64_t made = each.round_trips + each.wrong_replies;
            all.push_back(made - std::min(made, before));
        }
        return all;
    }

    /// Fails the trial and ends all operations with ECANCELED. Otherwise, the peer of a failed connection
    /// would wait forever.
    void abort(std::string reason) {
        t.fail(std::move(reason));
        if (std::exchange(aborted, true)) return;
        transport.listener.close();
        for (auto* ends : {&clients, &accepted})
            for (auto& each : *ends)
                if (each) each->close();
        open_gates();
    }

    /// Returns false if other clients have not finished their sweeps; the client must then wait for its gate.
    /// Otherwise, or if the trial is aborted, begins the next sweeps and returns true.
    bool is_last_to_finish(std::size_t index) {
        if (!aborted && ++finished < clients.size()) {
            gates[index].opened.emplace(runtime);
            gates[index].is_shut = true;
            return false;
        }
        finished = 0;
        begin_rounds();
        open_gates();
        return true;
    }

    void open_gates() {
        for (auto& each : gates)
            if (std::exchange(each.is_shut, false)) each.opened->set();
    }

    struct gate {
        std::optional<typename runtime_type::event> opened{};
        bool is_shut = false;
    };

    runtime_type& runtime;
    trial& t;
    Transport transport;
    std::size_t message_bytes;
    echo_messages messages;
    // The following vectors have one entry per connection. `clients[i]` and `accepted[i]` can be ends of
    // different connections, because the server can accept the connections in another order than the clients
    // connect.
    std::vector<std::byte> replies;
    std::vector<std::optional<stream>> clients;
    std::vector<std::optional<stream>> accepted;
    std::vector<echo_counts> counts;
    std::vector<std::uint64_t> served_bytes;
    /// `rounds` is the number of round trips that each connection makes before it waits for the other
    /// connections. `rounds_before` is the sum of all earlier values of `rounds`.
    std::uint64_t rounds = 0, rounds_before = 0;
    std::uint64_t made_in_rounds = 0;
    /// Each connection's number of round trips at the time when half of all round trips were done. If
    /// `rounds` changes during the trial, only the numbers for its largest value are kept.
    std::vector<std::uint64_t> shares_at_half;
    std::uint64_t rounds_of_shares = 0;
    std::vector<gate> gates;
    std::size_t finished = 0;
    bool ended = false;
    bool stopped = false;
    bool aborted = false;
};

template <class Transport>
using echo_task = task_of<typename Transport::runtime>;

template <class Transport>
echo_task<Transport> serve_echo(echo_session<Transport>& session, std::size_t index) {
    auto& stream = *session.accepted[index];
    // The buffer is outside the frame, because runtimes recycle only small frames.
    std::vector<std::byte> buffer(std::max(session.message_bytes, echo_buffer_bytes_min));
    for (;;) {
        const auto received = co_await stream.read_some(buffer);
        if (received.error != 0 || received.bytes == 0) break;
        const auto sent = co_await stream.write_all(std::span(buffer).first(received.bytes));
        if (sent.error != 0) break;
        session.served_bytes[index] += received.bytes;
    }
    stream.close();  // otherwise, a client would wait for a reply forever
}

template <class Transport>
echo_task<Transport> echo_server(echo_session<Transport>& session) {
    std::vector<echo_task<Transport>> handlers;
    handlers.reserve(session.accepted.size());
    try {
        for (std::size_t i = 0; i < session.accepted.size(); ++i) {
            session.accepted[i].emplace(co_await session.transport.listener.accept());
            if (session.aborted) co_return;
            handlers.push_back(serve_echo(session, i));
        }
    } catch (const std::exception& error) {
        session.abort(std::string("the server cannot accept: ") + error.what());
        co_return;
    }
    co_await session.runtime.gather(std::span<echo_task<Transport>>(handlers));
}

enum class latencies : bool { not_recorded, recorded };

template <class Transport>
echo_task<Transport> make_round_trips(echo_session<Transport>& session, std::size_t index,
                                      std::uint64_t first, std::uint64_t count, latencies those) {
    auto& stream = *session.clients[index];
    echo_counts& counts = session.counts[index];
    const std::span<std::byte> reply = session.reply(index);
    try {
        auto start = those == latencies::recorded ? session.t.start_of_latency() : trial::time_point{};
        for (std::uint64_t i = first; i < first + count && !session.stopped; ++i) {
            const std::span<const std::byte> request = session.messages.message(index, i);
            const auto sent = co_await stream.write_all(request);
            int error = sent.error;
            for (std::size_t filled = 0; filled < reply.size() && error == 0;) {
                const auto received = co_await stream.read_some(reply.subspan(filled));
                error = received.bytes == 0 && received.error == 0 ? ECONNRESET : received.error;
                filled += received.bytes;
            }
            if (counts.fail(error)) {
                session.abort(std::string("a client's connection failed: ") +
                              std::generic_category().message(error));
                co_return;
            }
            if (those == latencies::recorded) start = session.t.record_latency(start);
            ++(same_bytes(request, reply) ? counts.round_trips : counts.wrong_replies);
            session.round_trip_made();
        }
    } catch (const std::exception& error) {
        session.abort(std::string("a client failed: ") + error.what());
    }
}

template <class Transport>
echo_task<Transport> connect_and_warm_up(echo_session<Transport>& session, std::size_t index) {
    try {
        session.clients[index].emplace(co_await session.transport.connect(session.runtime));
    } catch (const std::exception& error) {
        session.abort(std::string("a client cannot connect: ") + error.what());
    }
    if (session.aborted) {  // abort() ran while this client connected, and did not close its end
        session.clients[index].reset();
        co_return;
    }
    co_await make_round_trips(session, index, 0, warm_up_round_trips, latencies::not_recorded);
}

template <class Transport, class Start>
echo_task<Transport> for_each_client(echo_session<Transport>& session, Start start) {
    std::vector<echo_task<Transport>> clients;
    clients.reserve(session.clients.size());
    for (std::size_t i = 0; i < session.clients.size(); ++i) clients.push_back(start(i));
    co_await session.runtime.gather(std::span<echo_task<Transport>>(clients));
}

/// Connects and warms up all clients at once. One client after the other would not work, because the server's
/// handlers start only when all connections are accepted.
template <class Transport, class Work>
echo_task<Transport> with_echo_clients(echo_session<Transport>& session, Work work) {
    co_await for_each_client(session,
                             [&session](std::size_t index) { return connect_and_warm_up(session, index); });
    if (session.aborted) co_return;
    co_await work();
    if (session.aborted) co_return;
    for (auto& client : session.clients) client->shutdown_write();
}

template <class Transport, class Work>
echo_task<Transport> serve_while(echo_session<Transport>& session, Work work) {
    std::array<echo_task<Transport>, 2> both{echo_server(session), with_echo_clients(session, work)};
    co_await session.runtime.gather(std::span<echo_task<Transport>>(both));
}

/// Makes the timed round trips of one client. After the last one, the client does not wait for the other
/// clients, because the check must be able to detect a missing client.
template <class Transport>
echo_task<Transport> make_timed_round_trips(echo_session<Transport>& session, std::size_t index) {
    while (session.rounds > 0) {
        co_await make_round_trips(session, index, warm_up_round_trips + session.rounds_before, session.rounds,
                                  latencies::recorded);
        if (session.t.all_given()) break;
        if (!session.is_last_to_finish(index)) co_await session.gates[index].opened->wait();
    }
}

template <class Transport>
echo_task<Transport> time_round_trips(echo_session<Transport>& session) {
    session.begin();
    co_await for_each_client(
        session, [&session](std::size_t index) { return make_timed_round_trips(session, index); });
    session.end();
}

}  // namespace detail

}  // namespace loopbench::bench::workloads
