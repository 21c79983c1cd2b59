#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <system_error>
#include <vector>

#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

inline std::vector<std::byte> bytes_of_number(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
    return bytes;
}

template <bench::Runtime R, class Reader>
task_of<R> receive_all(R& runtime, Reader& from, std::vector<std::byte>& received, std::size_t piece) {
    std::vector<std::byte> buffer(piece);
    for (;;) {
        const auto result = co_await from.read_some(buffer);
        EXPECT_EQ(result.error, 0);
        if (result.error != 0 || result.bytes == 0) co_return;
        const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes);
        received.insert(received.end(), buffer.begin(), end);
        co_await runtime.yield();
    }
}

template <bench::Runtime R, class Writer>
task_of<R> write_and_end(Writer& to, std::span<const std::byte> bytes) {
    const auto result = co_await to.write_all(bytes);
    EXPECT_EQ(result.error, 0);
    EXPECT_EQ(result.bytes, bytes.size());
    if constexpr (requires { to.shutdown_write(); }) {
        to.shutdown_write();
    } else {
        to.close();
    }
}

template <class Stream>
struct connected_pair {
    Stream client;
    Stream server;
};

template <bench::Runtime R, class Stream>
task_of<R> expect_an_exchange(R& runtime, connected_pair<Stream>& pair, std::size_t bytes) {
    const auto sent = bytes_of_number(bytes);
    std::vector<std::byte> at_client;
    std::vector<std::byte> at_server;
    std::vector<task_of<R>> all;
    all.push_back(write_and_end<R>(pair.client, sent));
    all.push_back(write_and_end<R>(pair.server, sent));
    all.push_back(receive_all(runtime, pair.server, at_server, 65'536));
    all.push_back(receive_all(runtime, pair.client, at_client, 10'000));
    co_await gather_all(runtime, all);
    EXPECT_TRUE(at_client == sent) << at_client.size() << " bytes of " << sent.size();
    EXPECT_TRUE(at_server == sent) << at_server.size() << " bytes of " << sent.size();
}

template <bench::Runtime R, class Listener, class Connect>
task_of<R> expect_replies(R& runtime, Listener& listener, Connect connect, std::size_t connections) {
    std::size_t right_replies = 0;
    auto serve = [&](auto stream) -> task_of<R> {
        std::vector<std::byte> request;
        co_await receive_all(runtime, stream, request, 256);
        co_await write_and_end<R>(stream, request);
    };
    auto server = [&]() -> task_of<R> {
        std::vector<task_of<R>> handlers;
        for (std::size_t i = 0; i < connections; ++i) handlers.push_back(serve(co_await listener.accept()));
        co_await gather_all(runtime, handlers);
    };
    auto client = [&](std::size_t number) -> task_of<R> {
        auto stream = co_await connect();
        const std::vector<std::byte> sent(number % 97 + 1, static_cast<std::byte>(number * 31));
        std::vector<std::byte> received;
        co_await write_and_end<R>(stream, sent);
        co_await receive_all(runtime, stream, received, 64);
        if (received == sent) ++right_replies;
    };
    std::vector<task_of<R>> all;
    all.push_back(server());
    for (std::size_t i = 0; i < connections; ++i) all.push_back(client(i));
    co_await gather_all(runtime, all);
    EXPECT_EQ(right_replies, connections);
}

template <bench::Runtime R, class Listener>
task_of<R> accept_is_cancelled(Listener& listener) {
    try {
        co_await listener.accept();
        ADD_FAILURE() << "accepted a connection that was never made";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_canceled) << error.what();
    }
}

/// Expects that a read returns no bytes and the given error; at the end of the stream, `error` is 0.
template <bench::Runtime R, class Reader>
task_of<R> read_fails(Reader& from, int error) {
    std::array<std::byte, 16> buffer;
    const auto result = co_await from.read_some(buffer);
    EXPECT_EQ(result.error, error);
    EXPECT_EQ(result.bytes, 0u);
}

/// Expects that one of at most 100 writes fails with `error` or `or_error`.
template <bench::Runtime R, class Writer>
task_of<R> write_fails(Writer& to, int error, int or_error) {
    const auto bytes = bytes_of_number(1000);
    int failed = 0;
    for (int i = 0; i < 100 && failed == 0; ++i) {
        const auto result = co_await to.write_all(bytes);
        failed = result.error;
    }
    EXPECT_TRUE(failed == error || failed == or_error) << failed;
}

}  // namespace loopbench::conformance
