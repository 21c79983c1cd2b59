// Tests Asio's sockets, pipes, signals and resolvers.
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <concepts>
#include <csignal>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/asio_compat/kits.hpp"
#include "tests/asio_compat/segments.hpp"
#if __has_include(<boost/asio/bind_immediate_executor.hpp>)
#include <boost/asio/bind_immediate_executor.hpp>
#endif

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using boost::system::error_code;

template <class kit>
class asio_io : public with_context<kit> {
public:
    using with_context<kit>::context;
    using with_context<kit>::connection;
};
TYPED_TEST_SUITE(asio_io, kits, kit_names);

std::vector<char> counting_bytes(std::size_t count) {
    std::vector<char> all(count);
    std::iota(all.begin(), all.end(), '\0');
    return all;
}

TYPED_TEST(asio_io, a_connection_sends_a_megabyte_in_each_direction_at_the_same_time) {
    auto [one, other] = this->connection();
    const auto sent = counting_bytes(1 << 20);
    std::vector<char> here(sent.size()), there(sent.size());
    int done = 0;
    const auto count = [&](error_code error, std::size_t bytes) {
        EXPECT_FALSE(error) << error.message();
        done += bytes == sent.size() ? 1 : 0;
    };
    net::async_write(one, net::buffer(sent), count);
    net::async_write(other, net::buffer(sent), count);
    net::async_read(one, net::buffer(here), count);
    net::async_read(other, net::buffer(there), count);
    this->context().run();
    EXPECT_EQ(done, 4);
    EXPECT_TRUE(here == sent && there == sent);
}

TYPED_TEST(asio_io, accept_reports_the_peers_address_and_connect_fails_if_the_listener_is_closed) {
    using socket = typename TestFixture::tcp_socket;
    auto& context = this->context();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    socket client(context), served(context), refused(context);
    net::ip::tcp::endpoint peer;
    const auto address = acceptor.local_endpoint();
    acceptor.async_accept(served, peer, [&](error_code error) { EXPECT_FALSE(error); });
    client.async_connect(address, [&](error_code error) { EXPECT_FALSE(error); });
    context.run();
    EXPECT_EQ(peer, client.local_endpoint());
    acceptor.close();
    context.restart();
    error_code found;
    refused.async_connect(address, [&](error_code error) { found = error; });
    context.run();
    EXPECT_EQ(found, net::error::connection_refused);
}

TYPED_TEST(asio_io, reading_by_lines_returns_each_line_and_then_reports_the_end_of_the_stream) {
    auto [one, other] = this->connection();
    net::write(other, net::buffer("first\nsecond\nre"s));
    other.close();
    std::string text;
    std::vector<std::size_t> lengths;
    error_code end;
    std::function<void(error_code, std::size_t)> next = [&](error_code error, std::size_t length) {
        end = error;
        if (error) return;
        lengths.push_back(length);
        text.erase(0, length);
        net::async_read_until(one, net::dynamic_buffer(text), '\n', next);
    };
    net::async_read_until(one, net::dynamic_buffer(text), '\n', next);
    this->context().run();
    EXPECT_EQ(lengths, (std::vector<std::size_t>{6, 7}));
    EXPECT_EQ(end, net::error::eof);
    EXPECT_EQ(text, "re");
}

#if __has_include(<boost/asio/bind_immediate_executor.hpp>)  // since Boost 1.82
TYPED_TEST(asio_io, an_operation_that_ends_at_its_start_calls_its_handler_on_the_immediate_executor) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    typename TestFixture::tcp_socket closed(context);
    std::vector<error_code> ended;
    const auto notes = [&] {
        return net::bind_immediate_executor(net::system_executor(),
                                            [&](error_code error, std::size_t) { ended.push_back(error); });
    };
    one.async_write_some(net::const_buffer(), notes());
    closed.async_write_some(net::buffer("x", 1), notes());
    EXPECT_EQ(ended, (std::vector<error_code>{error_code(), net::error::bad_descriptor}));
    one.async_write_some(net::const_buffer(), [&](error_code, std::size_t) { ended.clear(); });
    EXPECT_EQ(ended.size(), 2U) << "only an immediate executor calls a handler in the function that starts";
    EXPECT_EQ(context.run(), 1U);
    EXPECT_TRUE(ended.empty());
}

TYPED_TEST(asio_io, a_read_of_bytes_that_have_arrived_can_end_on_the_immediate_executor) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    std::array<char, 1> byte{};
    bool has_ended = false;
    other.send(net::buffer("x", 1));
    one.async_read_some(net::buffer(byte),
                        net::bind_immediate_executor(net::system_executor(),
                                                     [&](error_code, std::size_t) { has_ended = true; }));
    if (!std::same_as<TypeParam, on_uring>) {
        EXPECT_TRUE(has_ended);
        EXPECT_EQ(context.run(), 0U);
    }
    context.run();
    EXPECT_TRUE(has_ended);
    EXPECT_EQ(byte[0], 'x');
}
#endif

TYPED_TEST(asio_io, several_buffers_are_sent_as_one_datagram) {
    auto& context = this->context();
    typename TestFixture::unix_datagram one(context), other(context);
    net::local::connect_pair(one, other);
    const auto first = "gathered "s, second = "message"s;
    std::array<char, 64> got{};
    std::size_t bytes = 0;
    one.async_send(std::array{net::buffer(first), net::buffer(second)},
                   [&](error_code error, std::size_t sent) {
                       EXPECT_FALSE(error);
                       EXPECT_EQ(sent, 16U);
                   });
    other.async_receive(std::array{net::buffer(got.data(), 4), net::buffer(got.data() + 4, 60)},
                        [&](error_code, std::size_t received) { bytes = received; });
    context.run();
    EXPECT_EQ(std::string(got.data(), bytes), "gathered message");
}

TYPED_TEST(asio_io, several_buffers_are_sent_in_one_tcp_segment) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    one.set_option(net::ip::tcp::no_delay(true));
    const auto first = "head "s, second = "body "s, third = "tail"s;
    const std::array all{net::buffer(first), net::buffer(second), net::buffer(third)};
    for (unsigned sent = 1; sent <= 3; ++sent) {
        std::string got(first.size() + second.size() + third.size(), ' ');
        net::async_write(one, all, [](error_code error, std::size_t) { EXPECT_FALSE(error); });
        net::async_read(other, net::buffer(got), [](error_code error, std::size_t) { EXPECT_FALSE(error); });
        context.restart();
        context.run();
        EXPECT_EQ(got, "head body tail");
        EXPECT_EQ(data_segments_sent(one.native_handle()), sent);
    }
}

TYPED_TEST(asio_io, each_record_of_a_seq_packet_socket_is_received_separately) {
    using protocol = net::generic::seq_packet_protocol;
    using seq_packet_socket = net::basic_seq_packet_socket<protocol, typename TestFixture::executor>;
    auto& context = this->context();
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
    seq_packet_socket one(context, protocol(AF_UNIX, 0), ends[0]);
    seq_packet_socket other(context, protocol(AF_UNIX, 0), ends[1]);
    const std::string filler(4096, 'f');
    one.non_blocking(true);
    std::size_t filled = 0;
    for (error_code full; !full; filled += full ? 0U : 1U) one.send(net::buffer(filler), 0, full);
    const auto first = "gathered "s, second = "record"s;
    std::size_t sent = 0;
    one.async_send(std::array{net::buffer(first), net::buffer(second)}, 0,
                   [&](error_code, std::size_t bytes) { sent = bytes; });
    context.poll();
    EXPECT_EQ(sent, 0U);
    std::array<char, 8192> got{};
    std::vector<std::size_t> lengths;
    net::socket_base::message_flags flags = 0;
    std::function<void(error_code, std::size_t)> next = [&](error_code error, std::size_t bytes) {
        EXPECT_FALSE(error) << error.message();
        lengths.push_back(bytes);
        if (lengths.size() <= filled) other.async_receive(net::buffer(got), flags, next);
    };
    other.async_receive(net::buffer(got), flags, next);
    context.restart();
    context.run();
    EXPECT_EQ(sent, 15U);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(lengths, filler.size())), filled);
    ASSERT_EQ(lengths.size(), filled + 1);
    EXPECT_EQ(lengths.back(), 15U);
    EXPECT_EQ(std::string(got.data(), 15), "gathered record");
}

TYPED_TEST(asio_io, generic_sockets_connect_send_and_receive) {
    using generic = net::generic::stream_protocol;
    using generic_stream = net::basic_stream_socket<generic, typename TestFixture::executor>;
    using generic_datagram =
        net::basic_datagram_socket<net::generic::datagram_protocol, typename TestFixture::executor>;
    auto& context = this->context();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    generic_stream client(context);
    client.async_connect(generic::endpoint(acceptor.local_endpoint()),
                         [](error_code error) { EXPECT_FALSE(error) << error.message(); });
    typename TestFixture::tcp_socket accepted(context);
    acceptor.async_accept(accepted, [](error_code error) { EXPECT_FALSE(error); });
    context.run();
    generic_stream served(std::move(accepted));
    std::array<char, 4> got{};
    net::async_write(client, net::buffer("abcd", 4),
                     [](error_code error, std::size_t) { EXPECT_FALSE(error); });
    net::async_read(served, net::buffer(got), [](error_code error, std::size_t) { EXPECT_FALSE(error); });
    context.restart();
    context.run();
    EXPECT_EQ(std::string(got.data(), 4), "abcd");

    const net::ip::udp::endpoint any(net::ip::address_v4::loopback(), 0);
    typename TestFixture::udp_socket sender(context, any);
    generic_datagram receiver(typename TestFixture::udp_socket(context, any));
    net::generic::datagram_protocol::endpoint from;
    receiver.async_receive_from(net::buffer(got), from, [](error_code error, std::size_t bytes) {
        EXPECT_TRUE(!error && bytes == 2);
    });
    net::ip::udp::endpoint to;
    to.resize(receiver.local_endpoint().size());
    std::memcpy(to.data(), receiver.local_endpoint().data(), to.size());
    sender.async_send_to(net::buffer("ij", 2), to,
                         [](error_code error, std::size_t) { EXPECT_FALSE(error); });
    context.restart();
    context.run();
    EXPECT_EQ(from, net::generic::datagram_protocol::endpoint(sender.local_endpoint()));
}

TYPED_TEST(asio_io, receiving_a_datagram_also_reports_the_address_of_its_sender) {
    auto& context = this->context();
    const net::ip::udp::endpoint any(net::ip::address_v4::loopback(), 0);
    typename TestFixture::udp_socket one(context, any), other(context, any);
    std::array<char, 8> got{};
    net::ip::udp::endpoint from;
    std::size_t bytes = 0;
    other.async_receive_from(net::buffer(got), from,
                             [&](error_code, std::size_t received) { bytes = received; });
    one.async_send_to(net::buffer("hello", 5), other.local_endpoint(),
                      [](error_code error, std::size_t) { EXPECT_FALSE(error); });
    context.run();
    EXPECT_EQ(bytes, 5U);
    EXPECT_EQ(from, one.local_endpoint());
}

TYPED_TEST(asio_io, mixing_asynchronous_and_synchronous_reads_of_one_socket_loses_no_bytes) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    std::array<char, 4> got{};
    net::write(other, net::buffer("abcdefghijklmnop", 16));
    one.async_read_some(net::buffer(got), [&](error_code, std::size_t bytes) { EXPECT_EQ(bytes, 4U); });
    context.run();
    EXPECT_EQ(std::string(got.data(), 4), "abcd");
    one.async_wait(TestFixture::tcp_socket::wait_read, [&](error_code error) { EXPECT_FALSE(error); });
    context.restart();
    context.run();
    EXPECT_EQ(one.available(), 12U);
    EXPECT_EQ(one.receive(net::buffer(got), net::socket_base::message_peek), 4U);
    EXPECT_EQ(std::string(got.data(), 4), "efgh");
    EXPECT_EQ(one.read_some(net::buffer(got)), 4U);
    EXPECT_EQ(std::string(got.data(), 4), "efgh");
    const int descriptor = one.release();
    EXPECT_EQ(::recv(descriptor, got.data(), 4, 0), 4);
    EXPECT_EQ(std::string(got.data(), 4), "ijkl");
    typename TestFixture::tcp_socket again(context, net::ip::tcp::v4(), descriptor);
    again.async_read_some(net::buffer(got), [&](error_code, std::size_t bytes) { EXPECT_EQ(bytes, 4U); });
    context.restart();
    context.run();
    EXPECT_EQ(std::string(got.data(), 4), "mnop");
}

TYPED_TEST(asio_io, a_socket_can_be_read_again_after_its_pending_reads_were_cancelled) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    std::array<char, 4> got{};
    std::vector<error_code> found;
    for (int i = 0; i < 2; ++i)
        one.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { found.push_back(error); });
    context.poll();
    EXPECT_TRUE(found.empty());
    one.cancel();
    context.restart();
    context.run();
    EXPECT_EQ(found, (std::vector<error_code>(2, net::error::operation_aborted)));
    net::write(other, net::buffer("abcd", 4));
    one.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { found.push_back(error); });
    context.restart();
    context.run();
    EXPECT_FALSE(found.back());
}

TYPED_TEST(asio_io, urgent_data_goes_to_the_read_that_requests_urgent_data) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    char urgent = ' ', plain = ' ';
    one.async_receive(net::buffer(&urgent, 1), net::socket_base::message_out_of_band,
                      [&](error_code error, std::size_t) { EXPECT_FALSE(error) << error.message(); });
    one.async_receive(net::buffer(&plain, 1), [&](error_code error, std::size_t) { EXPECT_FALSE(error); });
    other.send(net::buffer("p", 1));
    other.send(net::buffer("u", 1), net::socket_base::message_out_of_band);
    context.run();
    EXPECT_EQ(urgent, 'u');
    EXPECT_EQ(plain, 'p');
}

TYPED_TEST(asio_io, urgent_data_is_not_lost_if_further_data_arrives_with_it) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    char urgent = ' ', plain = ' ';
    one.async_receive(net::buffer(&plain, 1), [&](error_code error, std::size_t) { EXPECT_FALSE(error); });
    one.async_receive(net::buffer(&urgent, 1), net::socket_base::message_out_of_band,
                      [&](error_code error, std::size_t) { EXPECT_FALSE(error) << error.message(); });
    context.poll();  // a run without a time limit would lend the kernel the buffer of the plain read
    other.send(net::buffer("u", 1), net::socket_base::message_out_of_band);
    other.send(net::buffer("x", 1));
    context.run_for(10s);
    EXPECT_EQ(urgent, 'u');
    EXPECT_EQ(plain, 'x');
}

TYPED_TEST(asio_io, a_wait_for_errors_ends_when_urgent_data_arrives) {
    auto& context = this->context();
    for (const bool also_reads : {false, true}) {
        context.restart();
        auto [one, other] = this->connection();
        int ended = 0;
        char byte = ' ';
        one.async_wait(TestFixture::tcp_socket::wait_error,
                       [&](error_code error) { ended += error ? 0 : 1; });
        if (also_reads) one.async_read_some(net::buffer(&byte, 1), [](error_code, std::size_t) {});
        context.poll();
        EXPECT_EQ(ended, 0);
        other.send(net::buffer("u", 1), net::socket_base::message_out_of_band);
        context.run_one_for(10s);
        EXPECT_EQ(ended, 1);
        one.close();
        context.poll();
    }
}

/// Reads that become ready all at once.
template <class socket_type>
class many_reads {
public:
    template <class context_type>
    many_reads(context_type& context, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            pairs_.emplace_back(socket_type(context), socket_type(context));
            net::local::connect_pair(pairs_.back().first, pairs_.back().second);
            pairs_.back().first.async_wait(socket_type::wait_read, [](error_code) {});
        }
    }
    void make_ready() {
        for (auto& pair : pairs_) net::write(pair.second, net::buffer("x", 1));
    }

private:
    std::vector<std::pair<socket_type, socket_type>> pairs_;
};

TYPED_TEST(asio_io, a_port_is_free_when_close_returns_although_many_operations_are_ready) {
    auto& context = this->context();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    const auto address = acceptor.local_endpoint();
    acceptor.async_accept([](error_code, auto) {});
    many_reads<typename TestFixture::unix_stream> reads(context, 100);
    context.poll();  // the operations are now pending in the kernel
    net::post(context, [&] {
        reads.make_ready();
        acceptor.close();
        EXPECT_NO_THROW(typename TestFixture::tcp_acceptor(context, address));
    });
    context.poll();
}

/// Makes a read of one socket and an operation of another socket, which `start` starts, ready at once. The
/// handler of the read calls `end` with the other socket. Then calls `look` with this socket.
template <class Fixture, class Start, class End, class Look>
void end_a_ready_operation(Fixture& with, Start start, End end, Look look,
                           net::socket_base::message_flags flags = 0) {
    auto& context = with.context();
    auto [one, one_peer] = with.connection();
    auto [other, other_peer] = with.connection();
    std::array<char, 4> got{};
    one.async_read_some(net::buffer(got), [&, &second = other](error_code, std::size_t) { end(second); });
    start(other);
    net::post(context, [&, &first_peer = one_peer, &second_peer = other_peer] {
        first_peer.send(net::buffer("1", 1));
        second_peer.send(net::buffer("2", 1), flags);
    });
    context.restart();
    context.run();
    look(other);
}

/// Does the same for a read. Returns the error of this read and the number of bytes that are left in its
/// socket, or 0 if the socket is closed.
template <class Fixture, class End, class Handler>
std::pair<error_code, std::size_t> end_a_ready_read(Fixture& with, End end, Handler bind) {
    std::array<char, 4> got{};
    error_code ended;
    std::size_t left = 0;
    end_a_ready_operation(
        with,
        [&](auto& socket) {
            socket.async_read_some(net::buffer(got),
                                   bind([&](error_code error, std::size_t) { ended = error; }));
        },
        end, [&](auto& socket) { left = socket.is_open() ? socket.available() : 0; });
    return {ended, left};
}

TYPED_TEST(asio_io, an_earlier_handler_can_cancel_a_read_that_is_ready_and_its_bytes_stay_in_the_socket) {
    const auto plain = [](auto handler) { return handler; };
    const auto cancel = [](auto& socket) { socket.cancel(); };
    asio::detail::program_cancels = true;
    for (int i = 0; i < 5; ++i) {
        const auto [error, left] = end_a_ready_read(*this, cancel, plain);
        EXPECT_EQ(error, net::error::operation_aborted);
        EXPECT_EQ(left, 1U);
    }
}

TYPED_TEST(asio_io, the_first_cancellation_of_a_program_is_enough_to_keep_bytes_in_the_socket) {
    auto [one, other] = this->connection();
    one.cancel();
    const auto [error, left] = end_a_ready_read(
        *this, [](auto& socket) { socket.cancel(); }, [](auto handler) { return handler; });
    EXPECT_EQ(error, net::error::operation_aborted);
    EXPECT_EQ(left, 1U);
}

TYPED_TEST(asio_io, an_earlier_handler_can_cancel_waits_and_reads_of_urgent_data_that_are_ready) {
    using socket_type = typename TestFixture::tcp_socket;
    error_code ended;
    const auto wait = [&](typename socket_type::wait_type what) {
        return [&ended, what](auto& socket) {
            socket.async_wait(what, [&](error_code error) { ended = error; });
        };
    };
    char byte = ' ';
    const auto read_urgent = [&](auto& socket) {
        socket.async_receive(net::buffer(&byte, 1), net::socket_base::message_out_of_band,
                             [&](error_code error, std::size_t) { ended = error; });
    };
    const auto expect_aborted = [&](auto start, net::socket_base::message_flags flags) {
        ended = {};
        end_a_ready_operation(
            *this, start, [](auto& socket) { socket.cancel(); }, [](auto&) {}, flags);
        EXPECT_EQ(ended, net::error::operation_aborted);
    };
    expect_aborted(wait(socket_type::wait_read), 0);
    expect_aborted(wait(socket_type::wait_error), net::socket_base::message_out_of_band);
    expect_aborted(read_urgent, net::socket_base::message_out_of_band);
    EXPECT_EQ(byte, ' ');
}

TYPED_TEST(asio_io, a_read_that_an_earlier_handler_starts_does_not_overtake_a_ready_read) {
    for (const bool polls_first : {false, true}) {
        asio::detail::program_cancels = polls_first;
        char first = ' ', second = ' ';
        const auto read = [](auto& socket, char& into) {
            socket.async_read_some(net::buffer(&into, 1), [](error_code, std::size_t) {});
        };
        end_a_ready_operation(
            *this, [&](auto& socket) { read(socket, first); },
            [&](auto& socket) {
                read(socket, second);
                socket.shutdown(net::socket_base::shutdown_receive);
            },
            [](auto&) {});
        EXPECT_EQ(first, '2');
        EXPECT_EQ(second, ' ');
    }
}

TYPED_TEST(asio_io, an_earlier_handler_can_cancel_a_ready_read_through_its_cancellation_slot) {
    for (int i = 0; i < 5; ++i) {
        net::cancellation_signal signal;
        const auto [error, left] = end_a_ready_read(
            *this, [&](auto&) { signal.emit(net::cancellation_type::total); },
            [&](auto handler) { return net::bind_cancellation_slot(signal.slot(), handler); });
        EXPECT_EQ(error, net::error::operation_aborted);
        EXPECT_EQ(left, 1U);
    }
}

TYPED_TEST(asio_io, an_earlier_handler_can_close_a_socket_whose_read_is_ready) {
    for (int i = 0; i < 5; ++i) {
        const auto [error, left] = end_a_ready_read(
            *this, [](auto& socket) { socket.close(); }, [](auto handler) { return handler; });
        EXPECT_EQ(error, net::error::operation_aborted);
        EXPECT_EQ(left, 0U);
    }
}

TYPED_TEST(asio_io, an_earlier_handler_can_release_a_socket_whose_read_is_ready_and_its_bytes_stay_there) {
    asio::detail::program_cancels = true;
    int released = -1;
    const auto [error, ignored] = end_a_ready_read(
        *this, [&](auto& socket) { released = socket.release(); }, [](auto handler) { return handler; });
    EXPECT_EQ(error, net::error::operation_aborted);
    int left = 0;
    EXPECT_EQ(::ioctl(released, FIONREAD, &left), 0);
    EXPECT_EQ(left, 1);
    ::close(released);
}

/// Pairs of connected sockets that all read.
template <class socket_type>
class reading_pairs {
public:
    template <class context_type>
    reading_pairs(context_type& context, std::size_t count) {
        pairs_.reserve(count);  // the reads need stable addresses
        for (std::size_t i = 0; i < count; ++i) {
            auto& pair = pairs_.emplace_back(socket_type(context), socket_type(context), ' ');
            net::local::connect_pair(std::get<0>(pair), std::get<1>(pair));
        }
        for (auto& [ours, theirs, byte] : pairs_)
            ours.async_read_some(net::buffer(&byte, 1),
                                 [this](error_code error, std::size_t) { on_read(error); });
    }
    void send_to_all() {
        for (auto& pair : pairs_) net::write(std::get<1>(pair), net::buffer("x", 1));
    }
    void close_all() {
        is_closed_ = true;
        for (auto& pair : pairs_) std::get<0>(pair).close();
    }
    int aborted() const { return aborted_; }

private:
    void on_read(error_code error) {
        aborted_ += error == net::error::operation_aborted ? 1 : 0;
        if (!is_closed_) close_all();
    }

    std::vector<std::tuple<socket_type, socket_type, char>> pairs_;
    bool is_closed_ = false;
    int aborted_ = 0;
};

TYPED_TEST(asio_io, a_handler_can_send_to_several_sockets_and_then_close_them) {
    auto& context = this->context();
    reading_pairs<typename TestFixture::unix_stream> pairs(context, 3);
    net::post(context, [&] {  // at this time, the kernel has the reads
        pairs.send_to_all();
        pairs.close_all();
    });
    context.run();
    EXPECT_EQ(pairs.aborted(), 3);
}

TYPED_TEST(asio_io, an_earlier_handler_can_close_hundreds_of_sockets_whose_reads_are_ready) {
    auto& context = this->context();
    reading_pairs<typename TestFixture::unix_stream> pairs(context, 300);
    net::post(context, [&] { pairs.send_to_all(); });
    context.run();
    EXPECT_EQ(pairs.aborted(), 299);
}

TYPED_TEST(asio_io, another_thread_can_close_a_socket_whose_read_has_become_ready_at_the_end_of_the_run) {
    auto& context = this->context();
    reading_pairs<typename TestFixture::unix_stream> pairs(context, 3);
    std::thread([&] {
        net::post(context, [&] {
            pairs.send_to_all();
            context.stop();
        });
        context.run();
    }).join();
    pairs.close_all();
    context.restart();
    context.run();
    EXPECT_EQ(pairs.aborted(), 3);
}

TYPED_TEST(asio_io, an_earlier_handler_can_cancel_an_accept_that_is_ready) {
    auto& context = this->context();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    auto [one, other] = this->connection();
    typename TestFixture::tcp_socket client(context), accepted(context);
    error_code ended;
    std::array<char, 4> got{};
    one.async_read_some(net::buffer(got), [&](error_code, std::size_t) { acceptor.cancel(); });
    acceptor.async_accept(accepted, [&](error_code error) { ended = error; });
    net::post(context, [&, &peer = other] {
        peer.send(net::buffer("1", 1));
        client.connect(acceptor.local_endpoint());
    });
    context.run();
    EXPECT_EQ(ended, net::error::operation_aborted);
    acceptor.non_blocking(true);
    error_code left;
    acceptor.accept(accepted, left);
    EXPECT_FALSE(left) << "the connection must stay in the backlog: " << left.message();
}

TYPED_TEST(asio_io, a_signal_reaches_every_signal_set_that_contains_the_signal) {
    using signal_set = net::basic_signal_set<typename TestFixture::executor>;
    auto& context = this->context();
    signal_set one(context, SIGUSR1), other(context, SIGUSR1, SIGUSR2);
    std::vector<int> found;
    const auto count = [&](error_code error, int number) { found.push_back(error ? -1 : number); };
    one.async_wait(count);
    other.async_wait(count);
    ::raise(SIGUSR1);
    context.run();
    EXPECT_EQ(found, (std::vector<int>{SIGUSR1, SIGUSR1}));
    ::raise(SIGUSR2);
    other.async_wait(count);
    context.restart();
    context.run();
    EXPECT_EQ(found.back(), SIGUSR2);
}

TYPED_TEST(asio_io, a_signal_reaches_the_signal_sets_of_several_contexts) {
    using signal_set = net::basic_signal_set<typename TestFixture::executor>;
    auto& context = this->context();
    const auto second = TypeParam::make();
    signal_set here(context, SIGUSR1), there(*second, SIGUSR1), not_any_more(*second, SIGUSR1);
    int found = 0;
    here.async_wait([&](error_code error, int) { found += error ? 0 : 1; });
    there.async_wait([&](error_code error, int) { found += error ? 0 : 10; });
    not_any_more.async_wait([&](error_code error, int) { found += error ? 100 : 0; });
    not_any_more.clear();
    not_any_more.cancel();
    ::raise(SIGUSR1);
    context.run();
    second->run();
    EXPECT_EQ(found, 111);
}

TYPED_TEST(asio_io, resolving_an_ip_address_succeeds_and_resolving_an_invalid_name_reports_an_error) {
    auto& context = this->context();
    net::ip::basic_resolver<net::ip::tcp, typename TestFixture::executor> resolver(context);
    int found = 0;
    resolver.async_resolve("127.0.0.1", "80", [&](error_code error, const auto& results) {
        EXPECT_FALSE(error);
        found += results.begin()->endpoint().port() == 80 ? 1 : 0;
    });
    resolver.async_resolve("no name at all", "",
                           [&](error_code error, const auto&) { found += error ? 1 : 0; });
    context.run();
    EXPECT_EQ(found, 2);
}

/// An object that makes the start of a thread fail, because the default stack size exceeds the memory.
class no_more_threads {
public:
    no_more_threads() {
        pthread_attr_t huge;
        ::pthread_getattr_default_np(&before_);
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 48);
        ::pthread_setattr_default_np(&huge);
        ::pthread_attr_destroy(&huge);
    }
    no_more_threads& operator=(no_more_threads&&) = delete;
    ~no_more_threads() {
        ::pthread_setattr_default_np(&before_);
        ::pthread_attr_destroy(&before_);
    }

private:
    pthread_attr_t before_;
};

template <class kit>
using asio_io_on_our_loop = with_context<kit>;
TYPED_TEST_SUITE(asio_io_on_our_loop, our_kits, kit_names);

// This test does not run on Boost.Asio, because its async_resolve() throws in this case.
TYPED_TEST(asio_io_on_our_loop, a_host_name_look_up_reports_an_error_if_its_thread_cannot_start) {
    auto& context = this->context();
    net::ip::basic_resolver<net::ip::tcp, typename TestFixture::executor> resolver(context);
    error_code failed, later = failed = net::error::in_progress;
    {
        const no_more_threads none;
        resolver.async_resolve("127.0.0.1", "80", [&](error_code error, const auto&) { failed = error; });
    }
    context.poll();
    EXPECT_TRUE(context.stopped()) << "a context without work must be stopped";
    EXPECT_EQ(failed, error_code(EAGAIN, boost::system::system_category()));
    resolver.async_resolve("127.0.0.1", "80", [&](error_code error, const auto&) { later = error; });
    context.restart();
    context.run();
    EXPECT_FALSE(later);
}

TYPED_TEST(asio_io, a_read_on_a_reused_descriptor_number_gets_the_data_of_the_new_file) {
    auto& context = this->context();
    auto [one, peer] = this->connection();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    typename TestFixture::tcp_socket next(context), next_peer(context);
    next_peer.connect(acceptor.local_endpoint());
    std::array<char, 4> dropped{}, got{};
    error_code first;
    std::size_t bytes = 0;
    one.async_read_some(net::buffer(dropped), [&](error_code error, std::size_t) { first = error; });
    context.poll();  // the read is now pending in the kernel
    net::post(context, [&] {
        const int number = one.native_handle();
        one.close();
        acceptor.accept(next);
        EXPECT_EQ(next.native_handle(), number);
        next.async_read_some(net::buffer(got), [&](error_code, std::size_t count) { bytes = count; });
        next_peer.send(net::buffer("next", 4));
    });
    context.run_for(10s);
    EXPECT_EQ(first, net::error::operation_aborted);
    EXPECT_EQ(std::string(got.data(), bytes), "next");
}

TYPED_TEST(asio_io, pipes_and_assigned_file_descriptors_can_be_read) {
    auto& context = this->context();
    net::basic_readable_pipe<typename TestFixture::executor> from(context);
    net::basic_writable_pipe<typename TestFixture::executor> to(context);
    net::connect_pipe(from, to);
    std::array<char, 8> got{};
    std::size_t bytes = 0;
    net::async_read(from, net::buffer(got, 5), [&](error_code, std::size_t count) { bytes = count; });
    net::async_write(to, net::buffer("piped", 5), [](error_code error, std::size_t) { EXPECT_FALSE(error); });
    context.run();
    EXPECT_EQ(std::string(got.data(), bytes), "piped");
    net::posix::basic_stream_descriptor<typename TestFixture::executor> copy(context,
                                                                             ::dup(from.native_handle()));
    error_code end;
    copy.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { end = error; });
    to.close();
    context.restart();
    context.run();
    EXPECT_EQ(end, net::error::eof);
}

TYPED_TEST(asio_io, assigning_a_descriptor_that_is_not_open_reports_an_error) {
    typename TestFixture::tcp_socket socket(this->context());
    net::posix::basic_stream_descriptor<typename TestFixture::executor> file(this->context());
    const int closed = ::dup(STDERR_FILENO);
    ::close(closed);
    for (const int none : {-1, closed}) {
        error_code error;
        socket.assign(net::ip::tcp::v4(), none, error);
        EXPECT_EQ(error, net::error::bad_descriptor);
        EXPECT_FALSE(socket.is_open());
        file.assign(none, error);
        EXPECT_EQ(error, net::error::bad_descriptor);
        EXPECT_FALSE(file.is_open());
    }
}

TYPED_TEST(asio_io, bytes_that_arrive_after_the_time_limit_of_a_read_go_to_the_next_read) {
    using namespace net::experimental::awaitable_operators;
    auto& context = this->context();
    auto [one, other] = this->connection();
    std::string outcome;
    const auto reads = [&]() -> net::awaitable<void, typename TestFixture::executor> {
        const net::use_awaitable_t<typename TestFixture::executor> awaited;
        std::array<char, 4> got{};
        typename TestFixture::timer_type timer(context, 1ms);
        const auto first =
            co_await (one.async_read_some(net::buffer(got), awaited) || timer.async_wait(awaited));
        outcome += first.index() == 1 ? "late " : "read ";
        net::write(other, net::buffer("abcd", 4));
        timer.expires_after(1h);
        const auto second =
            co_await (one.async_read_some(net::buffer(got), awaited) || timer.async_wait(awaited));
        outcome += second.index() == 1 ? "late" : std::string(got.data(), std::get<0>(second));
    };
    net::co_spawn(context, reads(), [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    context.run();
    EXPECT_EQ(outcome, "late abcd");
}

}  // namespace

}  // namespace loopbench::tests
