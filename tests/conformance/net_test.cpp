// Tests TCP streams and listeners on the loopback interface.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "tests/conformance/bytes.hpp"
#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

template <class R>
class net : public conformance_test<R> {};

template <bench::Runtime R>
task_of<R, connected_pair<typename R::stream>> make_pair_of_streams(R& runtime) {
    auto listener = runtime.listen();
    auto client = co_await runtime.connect(listener.port());
    auto server = co_await listener.accept();
    co_return connected_pair<typename R::stream>{std::move(client), std::move(server)};
}

CONFORMANCE_TEST(net, each_listener_gets_its_own_port_from_the_kernel) {
    R& runtime = this->keep(this->make_runtime());
    auto first = runtime.listen();
    auto second = runtime.listen();
    EXPECT_NE(first.port(), 0);
    EXPECT_NE(second.port(), 0);
    EXPECT_NE(first.port(), second.port());
}

CONFORMANCE_TEST(net, after_a_half_close_the_peers_reads_end_and_the_closing_side_can_still_read) {
    R& runtime = this->keep(this->make_runtime());
    const auto request = bytes_of_number(100);
    const auto reply = bytes_of_number(3000);
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        co_await write_and_end<R>(pair.client, request);
        std::vector<std::byte> received;
        co_await receive_all(runtime, pair.server, received, 64);
        EXPECT_EQ(received, request);
        co_await write_and_end<R>(pair.server, reply);
        received.clear();
        co_await receive_all(runtime, pair.client, received, 64);
        EXPECT_EQ(received, reply);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, a_read_returns_available_bytes_and_does_not_wait_for_a_full_buffer) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        co_await pair.client.write_all(bytes_of_number(5));
        std::array<std::byte, 4096> buffer;
        const auto result = co_await pair.server.read_some(buffer);
        EXPECT_EQ(result.error, 0);
        EXPECT_GE(result.bytes, 1u);
        EXPECT_LE(result.bytes, 5u);
    };
    runtime.run(main());
}

// Each message exactly fills the buffer of a read, so the runtime does not know whether the socket contains
// more bytes.
CONFORMANCE_TEST(net, data_that_arrives_between_reads_is_returned_by_the_next_read) {
    R& runtime = this->keep(this->make_runtime());
    std::string heard;
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        auto client = co_await runtime.connect(listener.port());
        auto server = co_await listener.accept();
        std::array<std::byte, 4> buffer;
        const std::array<std::string, 3> messages{"full", "more", "rest"};
        for (const std::string& message : messages) {
            co_await client.write_all(std::as_bytes(std::span(message)));
            for (int i = 0; i < 5; ++i) co_await runtime.yield();
            const auto received = co_await server.read_some(buffer);
            heard += std::string(reinterpret_cast<const char*>(buffer.data()), received.bytes) + " ";
            for (int i = 0; i < 5; ++i) co_await runtime.yield();
        }
        client.shutdown_write();
        for (int i = 0; i < 5; ++i) co_await runtime.yield();
        const auto end = co_await server.read_some(buffer);
        EXPECT_EQ(end.error, 0);
        EXPECT_EQ(end.bytes, 0u);
    };
    runtime.run(main());
    EXPECT_EQ(heard, "full more rest ");
}

CONFORMANCE_TEST(net, both_ends_of_a_connection_have_tcp_nodelay) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        for (const int socket : {pair.client.native_handle(), pair.server.native_handle()}) {
            int value = 0;
            socklen_t size = sizeof value;
            EXPECT_EQ(getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
            EXPECT_NE(value, 0);
        }
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, connecting_to_a_port_without_a_listener_throws_connection_refused) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        const auto port = listener.port();
        listener.close();
        try {
            co_await runtime.connect(port);
            ADD_FAILURE() << "connected to a port without a listener";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::connection_refused) << error.what();
        }
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, closing_a_stream_ends_its_pending_read_with_ecanceled) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        runtime.post([&] {
            pair.client.close();
            pair.client.close();
        });
        co_await read_fails<R>(pair.client, ECANCELED);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, closing_a_stream_ends_its_pending_write_with_ecanceled) {
    R& runtime = this->keep(this->make_runtime());
    const auto more_than_the_kernel_takes = bytes_of_number(std::size_t{64} << 20);
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        runtime.post([&] { pair.client.close(); });
        const auto result = co_await pair.client.write_all(more_than_the_kernel_takes);
        EXPECT_EQ(result.error, ECANCELED);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, closing_a_listener_makes_a_pending_accept_throw) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        runtime.post([&] {
            listener.close();
            listener.close();
        });
        co_await accept_is_cancelled<R>(listener);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, destroying_a_stream_ends_the_peers_reads) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        std::optional<typename R::stream> dropped(std::move(pair.client));
        runtime.post([&] { dropped.reset(); });
        co_await read_fails<R>(pair.server, 0);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, writing_to_a_closed_peer_returns_an_error_and_raises_no_signal) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        pair.server.close();
        co_await write_fails<R>(pair.client, EPIPE, ECONNRESET);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, a_large_write_arrives_completely_even_if_the_reader_is_slow) {
    R& runtime = this->keep(this->make_runtime());
    const auto sent = bytes_of_number(std::size_t{16} << 20);
    std::vector<std::byte> received;
    received.reserve(sent.size());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        std::vector<task_of<R>> both;
        both.push_back(write_and_end<R>(pair.client, sent));
        both.push_back(receive_all(runtime, pair.server, received, 10'000));
        co_await gather_all(runtime, both);
    };
    runtime.run(main());
    EXPECT_TRUE(received == sent) << received.size() << " bytes of " << sent.size();
}

CONFORMANCE_TEST(net, a_stream_can_read_and_write_at_the_same_time) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_pair_of_streams(runtime);
        co_await expect_an_exchange(runtime, pair, std::size_t{4} << 20);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(net, the_bytes_of_hundreds_of_connections_do_not_mix) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        const auto connect = [&] { return runtime.connect(listener.port()); };
        co_await expect_replies(runtime, listener, connect, 300);
    };
    runtime.run(main());
}

}  // namespace loopbench::conformance
