#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/sockets/same_bytes.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

inline constexpr std::size_t stream_chunk_bytes = 65'536;
inline constexpr std::size_t subscribers = 100;

/// The numbers of chunks and connections before the timed section. They are not timed, because the kernel
/// allocates its buffers during this time.
inline constexpr std::uint64_t warm_up_chunks = 64, warm_up_connections = 32;

namespace detail {

struct stream_check {
    explicit stream_check(std::size_t chunk_bytes) : messages(chunk_bytes), chunk(messages.message(0, 0)) {}

    void take(std::span<const std::byte> piece) {
        while (!piece.empty()) {
            const auto expected = chunk.subspan(bytes % chunk.size());
            const auto part = piece.first(std::min(piece.size(), expected.size()));
            if (!same_bytes(part, expected.first(part.size()))) ++wrong_pieces;
            bytes += part.size();
            piece = piece.subspan(part.size());
        }
    }

    echo_messages messages;
    std::span<const std::byte> chunk;
    std::uint64_t bytes = 0;
    std::uint64_t wrong_pieces = 0;
    int error = 0;

    void prove(trial& t, std::uint64_t expected_bytes) const {
        if (error != 0) t.fail("the stream failed: " + std::generic_category().message(error));
        t.prove("number of received pieces that differ from the bytes sent", 0, wrong_pieces);
        t.prove("number of bytes received", expected_bytes, bytes);
    }
};

/// The state of a stream. The sender waits until a whole group of chunks has arrived before it sends the next
/// group. Each chunk is therefore sent and received within one part of a slice.
template <Runtime R>
struct stream_flow {
    void expect(std::uint64_t chunks) {
        due += chunks * check.chunk.size();
        all_have_come.emplace(runtime);
        is_due = true;
    }
    void take(std::span<const std::byte> piece) {
        check.take(piece);
        if (check.bytes >= due) end_part();
    }
    void fail(int error) {
        check.error = error;
        end();
    }
    /// Ends the stream, because no more bytes can arrive. If bytes are missing, prove() detects this later.
    void end() {
        over = true;
        end_part();
    }
    void end_part() {
        if (std::exchange(is_due, false)) all_have_come->set();
    }

    R& runtime;
    trial& t;
    stream_check& check;
    std::uint64_t due = 0;
    bool is_due = false;
    bool over = false;
    std::optional<typename R::event> all_have_come{};
};

template <Runtime R, class Reader>
task_of<R> receive_stream(Reader& stream, std::size_t buffer_bytes, stream_flow<R>& flow) {
    std::vector<std::byte> buffer(buffer_bytes);
    for (;;) {
        const auto received = co_await stream.read_some(buffer);
        if (received.error != 0) flow.fail(received.error);
        if (received.error != 0 || received.bytes == 0) break;
        flow.take(std::span<const std::byte>(buffer).first(received.bytes));
    }
    flow.end();
    stream.close();  // otherwise, the sender would wait forever after an error
}

template <Runtime R, class Writer>
task_of<R> send_chunks(Writer& stream, stream_flow<R>& flow, std::uint64_t chunks) {
    flow.expect(chunks);
    for (std::uint64_t i = 0; i < chunks && !flow.over; ++i)
        if (const auto sent = co_await stream.write_all(flow.check.chunk); sent.error != 0)
            flow.fail(sent.error);
}

template <Runtime R, class Writer>
task_of<R> send_stream(Writer& stream, stream_flow<R>& flow) {
    co_await send_chunks<R>(stream, flow, warm_up_chunks);
    co_await flow.all_have_come->wait();
    flow.t.begin();
    while (const std::uint64_t chunks = flow.over ? 0 : flow.t.next()) {
        co_await send_chunks<R>(stream, flow, chunks);
        if (flow.t.all_given()) stream.close();  // a receiver that has lost bytes must not wait for them
        co_await flow.all_have_come->wait();
    }
    flow.t.end();
    stream.close();
}

template <Runtime R, class Reader, class Writer>
task_of<R> carry_stream(R& runtime, trial& t, Reader& reader, Writer& writer, std::size_t chunk_bytes) {
    stream_check check(chunk_bytes);
    stream_flow<R> flow{runtime, t, check};
    std::array<task_of<R>, 2> both{receive_stream<R>(reader, chunk_bytes, flow),
                                   send_stream<R>(writer, flow)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    check.prove(t, (warm_up_chunks + t.operations()) * chunk_bytes);
}

template <class R, class Stream>
struct connected_pair {
    std::optional<Stream> client;
    std::optional<Stream> server;
};

template <Runtime R>
task_of<R> accept_into(typename R::listener& listener, std::optional<typename R::stream>& stream) {
    stream.emplace(co_await listener.accept());
}

template <Runtime R>
task_of<R> connect_into(R& runtime, std::uint16_t port, std::optional<typename R::stream>& stream) {
    stream.emplace(co_await runtime.connect(port));
}

template <Runtime R>
task_of<R> connect_pair(R& runtime, typename R::listener& listener,
                        connected_pair<R, typename R::stream>& pair) {
    std::array<task_of<R>, 2> both{accept_into<R>(listener, pair.server),
                                   connect_into(runtime, listener.port(), pair.client)};
    co_await runtime.gather(std::span<task_of<R>>(both));
}

struct visits {
    std::uint64_t served = 0;
    std::uint64_t right_replies = 0;
    bool over = false;
};

template <Runtime R>
task_of<R> come_and_go_once(R& runtime, std::uint16_t port, std::span<const std::byte> request,
                            visits& counts) {
    auto stream = co_await runtime.connect(port);
    const auto sent = co_await stream.write_all(request);
    std::array<std::byte, echo_bytes> reply;
    bool alive = sent.error == 0;
    for (std::size_t filled = 0; alive && filled < reply.size();) {
        const auto received = co_await stream.read_some(std::span(reply).subspan(filled));
        alive = received.error == 0 && received.bytes > 0;
        filled += received.bytes;
    }
    if (alive && same_bytes(request, reply)) ++counts.right_replies;
    stream.close();
}

template <Runtime R>
task_of<R> come_and_go(R& runtime, typename R::listener& listener, trial& t, const echo_messages& messages,
                       visits& counts) try {
    std::uint64_t number = 0;
    while (number < warm_up_connections)
        co_await come_and_go_once(runtime, listener.port(), messages.message(0, number++), counts);
    t.begin();
    while (std::uint64_t left = t.next()) {
        for (; left > 0; --left) {
            const auto start = t.start_of_latency();
            co_await come_and_go_once(runtime, listener.port(), messages.message(0, number++), counts);
            t.record_latency(start);
        }
    }
    t.end();
    counts.over = true;
    listener.close();
} catch (...) {
    listener.close();  // otherwise, the server would wait forever for more connections
    throw;
}

template <Runtime R>
task_of<R> serve_those_who_come(typename R::listener& listener, visits& counts) try {
    std::vector<std::byte> buffer(echo_bytes);
    for (;; ++counts.served) {
        auto stream = co_await listener.accept();
        for (;;) {
            const auto received = co_await stream.read_some(buffer);
            if (received.error != 0 || received.bytes == 0) break;
            const auto sent =
                co_await stream.write_all(std::span<const std::byte>(buffer).first(received.bytes));
            if (sent.error != 0) break;
        }
    }
} catch (...) {
    if (counts.over) co_return;
    listener.close();  // otherwise, the client would wait for a reply
    throw;
}

template <Runtime R>
struct broadcast {
    explicit broadcast(R& loop, trial& of) : runtime(loop), t(of), messages(echo_bytes), pairs(subscribers) {}

    void begin_round() {
        missing = subscribers;
        all_have_it.emplace(runtime);
    }
    void one_has_it() {
        if (missing > 0 && --missing == 0) all_have_it->set();
    }
    void fail(int cause) {
        if (error == 0) error = cause;
        if (std::exchange(missing, 0) > 0) all_have_it->set();
    }

    R& runtime;
    trial& t;
    echo_messages messages;
    std::vector<connected_pair<R, typename R::stream>> pairs;
    std::optional<typename R::event> all_have_it;
    std::size_t missing = 0;
    std::uint64_t right_messages = 0;
    bool over = false;
    int error = 0;
};

template <Runtime R>
task_of<R> subscriber(broadcast<R>& all, std::size_t index) {
    auto& stream = *all.pairs[index].client;
    std::vector<std::byte> message(echo_bytes);
    for (std::uint64_t round = 0;; ++round) {
        for (std::size_t filled = 0; filled < message.size();) {
            const auto received = co_await stream.read_some(std::span(message).subspan(filled));
            if (received.error != 0 || received.bytes == 0) {
                if (!all.over) all.fail(received.error != 0 ? received.error : ECONNRESET);
                co_return;
            }
            filled += received.bytes;
        }
        if (same_bytes(message, all.messages.message(0, round))) ++all.right_messages;
        all.one_has_it();
    }
}

template <Runtime R>
task_of<R> publisher(broadcast<R>& all) {
    co_await all.runtime.yield();
    std::uint64_t round = 0;
    all.t.begin();
    while (std::uint64_t left = all.error == 0 ? all.t.next() : 0) {
        for (; left > 0 && all.error == 0; --left, ++round) {
            const auto start = all.t.start_of_latency();
            all.begin_round();
            for (auto& pair : all.pairs) {
                const auto sent = co_await pair.server->write_all(all.messages.message(0, round));
                if (sent.error != 0) all.fail(sent.error);
            }
            co_await all.all_have_it->wait();
            all.t.record_latency(start);
        }
    }
    all.t.end();
    all.over = true;
    for (auto& pair : all.pairs) pair.server->close();
}

}  // namespace detail

template <Runtime R>
task_of<R> stream_throughput(R& runtime, trial& t) {
    auto listener = runtime.listen();
    detail::connected_pair<R, typename R::stream> pair;
    co_await detail::connect_pair(runtime, listener, pair);
    co_await detail::carry_stream(runtime, t, *pair.server, *pair.client, stream_chunk_bytes);
}

template <Runtime R>
task_of<R> accept_churn(R& runtime, trial& t) {
    auto listener = runtime.listen();
    const detail::echo_messages messages(echo_bytes);
    detail::visits counts;
    std::array<task_of<R>, 2> both{detail::serve_those_who_come<R>(listener, counts),
                                   detail::come_and_go(runtime, listener, t, messages, counts)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    const std::uint64_t all = warm_up_connections + t.operations();
    t.prove("number of connections that were served", all, counts.served);
    t.prove("number of connections with the right reply", all, counts.right_replies);
}

/// Measures messages to all subscribers. A latency starts before the first write and ends when the last
/// connection has the message.
template <Runtime R>
task_of<R> fanout_broadcast(R& runtime, trial& t) {
    auto listener = runtime.listen();
    detail::broadcast<R> all(runtime, t);
    for (auto& pair : all.pairs) co_await detail::connect_pair(runtime, listener, pair);
    std::vector<task_of<R>> tasks;
    for (std::size_t i = 0; i < subscribers; ++i) tasks.push_back(detail::subscriber(all, i));
    tasks.push_back(detail::publisher(all));
    co_await runtime.gather(std::span<task_of<R>>(tasks));
    if (all.error != 0) t.fail("a connection failed: " + std::generic_category().message(all.error));
    t.prove("number of messages that arrived with the bytes that were sent", t.operations() * subscribers,
            all.right_messages);
}

struct stream_family {
    static constexpr std::array about{
        workload_info{"stream/throughput", about_bulk,
                      "one operation is 64 KiB sent and received over one connection",
                      "Measures the time from the first write until the last byte has arrived. Every byte is "
                      "compared, by one memcmp over each piece that was just copied into the caches; this "
                      "comparison costs the same in each contender.",
                      "Copying in the kernel dominates. The result also depends on the size of the reads, "
                      "and on how often a full socket makes the sender wait."},
        workload_info{"accept/churn", about_traffic,
                      "in one operation, a connection is opened and accepted, echoes 64 bytes, and is closed",
                      "All connections are timed, one after the other. Latency is the lifetime of a "
                      "connection. Every byte of every reply is compared.",
                      "Most of the time is spent on opening and closing connections in the kernel, and on "
                      "adding and removing descriptors in the loop."},
        workload_info{"fanout/broadcast", about_traffic,
                      "one operation sends 64 bytes to each of 100 connections",
                      "All messages are timed; every connection must have received a message before the next "
                      "message is sent. Latency is the time until the last connection has the message. "
                      "Connecting is not timed. Every byte of every message is compared.",
                      "Most of the time is spent on 100 sends and 100 receives. The result also depends on "
                      "how many ready receivers one wait of the loop finds."},
    };
    static constexpr std::array shapes{
        workload_shape{"stream/throughput/bytes:65536", 500, 20'000, rate, 100, many_turns, on_demand,
                       pairing::interleaved},
        workload_shape{"accept/churn", 300, 5000, rate, 100, many_turns, on_demand, pairing::interleaved, 1,
                       countable, 10'000}
            .with_latencies(1),
        workload_shape{"fanout/broadcast/conns:100", 30, 1000, rate, 300, many_turns, on_demand,
                       pairing::interleaved}
            .with_latencies(1),
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"stream/throughput/bytes:65536", stream_throughput<R>},
            {"accept/churn", accept_churn<R>},
            {"fanout/broadcast/conns:100", fanout_broadcast<R>},
        };
    }
};

}  // namespace loopbench::bench::workloads
