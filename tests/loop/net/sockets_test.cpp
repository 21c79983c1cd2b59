// Tests all kinds of sockets and pipes.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>

#include <cstring>
#include <filesystem>

#include "loop/net/datagram.hpp"
#include "tests/loop/support.hpp"
#include "tests/support/says.hpp"

namespace loopbench::loop::test {

namespace {

bool has_ipv6_loopback() {
    try {
        open_listener(endpoint::ip("::1", 0));
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

endpoint abstract_name(std::string_view name) {
    return endpoint::unix_path(std::string(1, '\0').append(name));
}

class temporary_folder {
public:
    temporary_folder() {
        std::string pattern = std::filesystem::temp_directory_path() / "loopbench-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) throw_errno("mkdtemp");
        path_ = pattern;
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { std::filesystem::remove_all(path_); }
    std::string file(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

task<void> expect_conversation(event_loop& loop, listener at, endpoint where) {
    auto client = co_await loop.connect(where);
    auto server = co_await at.accept();
    co_await client.write_all(bytes_of("question"));
    EXPECT_EQ(co_await read_text(server), "question");
    co_await server.write_all(bytes_of("answer"));
    EXPECT_EQ(co_await read_text(client), "answer");
}

task<void> expect_datagrams(datagram_socket& one, datagram_socket& other) {
    std::array<std::byte, 64> buffer;
    const io_result sent = co_await one.send_to(bytes_of("there"), other.local());
    EXPECT_EQ(sent.error, 0);
    EXPECT_EQ(sent.bytes, 5u);
    const datagram_result there = co_await other.receive_from(buffer);
    EXPECT_EQ(there.bytes, 5u);
    EXPECT_EQ(there.sender.to_string(), one.local().to_string());
    co_await other.send_to(bytes_of("and back"), there.sender);
    const datagram_result back = co_await one.receive_from(buffer);
    EXPECT_EQ(std::memcmp(buffer.data(), "and back", 8), 0);
    EXPECT_EQ(back.sender.to_string(), other.local().to_string());
    co_await one.send_to({}, other.local());
    const datagram_result empty = co_await other.receive_from(buffer);
    EXPECT_EQ(empty.bytes, 0u);
    EXPECT_EQ(empty.error, 0);
}

task<void> expect_a_wait_for_a_datagram(event_loop& loop, datagram_socket& one, datagram_socket& other) {
    const endpoint where = other.local();
    auto sends = [&]() -> task<void> {
        co_await yield_times(loop, 10);
        co_await one.send_to(bytes_of("late"), where);
    };
    loop.spawn(sends());
    std::array<std::byte, 2> too_short;
    const datagram_result cut = co_await other.receive_from(too_short);
    EXPECT_EQ(cut.error, 0);
    EXPECT_EQ(cut.bytes, 2u) << "a datagram that is longer than the buffer must be truncated";
}

}  // namespace

class sockets : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, sockets, all_designs(), design_name);

TEST_P(sockets, tcp_sockets_communicate_over_ipv4) {
    event_loop& loop = keep(make_loop());
    auto listener = loop.listen();
    const auto where = endpoint::loopback(listener.port());
    EXPECT_EQ(where.to_string(), "127.0.0.1:" + std::to_string(listener.port()));
    loop.run(expect_conversation(loop, std::move(listener), where));
}

TEST_P(sockets, tcp_sockets_communicate_over_ipv6) {
    if (!has_ipv6_loopback()) GTEST_SKIP() << "this machine has no ::1";
    event_loop& loop = keep(make_loop());
    auto listener = loop.listen(endpoint::ip("::1", 0));
    const auto where = endpoint::ip("::1", listener.port());
    EXPECT_EQ(where.to_string(), "[::1]:" + std::to_string(listener.port()));
    loop.run(expect_conversation(loop, std::move(listener), where));
}

TEST_P(sockets, unix_sockets_communicate_over_a_path) {
    event_loop& loop = keep(make_loop());
    const temporary_folder folder;
    const auto where = endpoint::unix_path(folder.file("stream"));
    EXPECT_EQ(where.to_string(), folder.file("stream"));
    auto listener = loop.listen(where);
    loop.run(expect_conversation(loop, std::move(listener), where));
}

TEST_P(sockets, unix_sockets_communicate_over_an_abstract_name) {
    event_loop& loop = keep(make_loop());
    const auto where = abstract_name("loopbench stream " + std::to_string(::getpid()));
    auto listener = loop.listen(where);
    loop.run(expect_conversation(loop, std::move(listener), where));
}

TEST_P(sockets, errors_state_why_a_socket_cannot_listen_or_connect) {
    event_loop& loop = keep(make_loop());
    auto listener = loop.listen();
    const auto taken = endpoint::loopback(listener.port());
    const auto refusal = tests::complaint_of<std::system_error>([&] { loop.listen(taken); });
    EXPECT_SAYS(refusal, taken.to_string());
    EXPECT_SAYS(refusal, "any free one");
    auto main = [&]() -> task<void> {
        try {
            co_await loop.connect(endpoint::unix_path("/nonexistent/loopbench"));
            ADD_FAILURE() << "connected to nothing";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
            EXPECT_SAYS(error.what(), "/nonexistent/loopbench");
        }
    };
    loop.run(main());
    EXPECT_THROW(endpoint::ip("localhost", 80), std::invalid_argument);
    EXPECT_THROW(endpoint::unix_path(std::string(108, 'x')), std::invalid_argument);
    EXPECT_THROW(endpoint::unix_path(""), std::invalid_argument);
}

TEST_P(sockets, datagrams_are_sent_over_ipv4_and_ipv6) {
    event_loop& loop = keep(make_loop());
    for (const char* address : {"127.0.0.1", "::1"}) {
        if (std::string_view(address) == "::1" && !has_ipv6_loopback())
            GTEST_SKIP() << "this machine has no ::1 (IPv4 was tested)";
        datagram_socket one(loop, open_datagram(endpoint::ip(address, 0)));
        datagram_socket other(loop, open_datagram(endpoint::ip(address, 0)));
        loop.run(expect_datagrams(one, other));
        loop.run(expect_a_wait_for_a_datagram(loop, one, other));
    }
}

TEST_P(sockets, datagrams_without_an_address_go_to_the_connected_peer) {
    event_loop& loop = keep(make_loop());
    datagram_socket one(loop, open_datagram(endpoint::ip("127.0.0.1", 0)));
    datagram_socket other(loop, open_datagram(endpoint::ip("127.0.0.1", 0)));
    endpoint peer = other.local();
    ASSERT_EQ(::connect(one.native_handle(), reinterpret_cast<sockaddr*>(&peer.address()), peer.bytes()), 0);
    loop.run([](datagram_socket& from, datagram_socket& to) -> task<void> {
        std::array<std::byte, 64> buffer;
        const io_result sent = co_await from.send_to(bytes_of("there"), {});
        EXPECT_EQ(sent.error, 0);
        if (sent.error != 0) co_return;
        const datagram_result there = co_await to.receive_from(buffer);
        EXPECT_EQ(there.bytes, 5u);
    }(one, other));
}

TEST_P(sockets, datagrams_are_sent_between_unix_sockets_with_paths) {
    event_loop& loop = keep(make_loop());
    const temporary_folder folder;
    datagram_socket one(loop, open_datagram(endpoint::unix_path(folder.file("one"))));
    datagram_socket other(loop, open_datagram(endpoint::unix_path(folder.file("other"))));
    loop.run(expect_datagrams(one, other));
    loop.run(expect_a_wait_for_a_datagram(loop, one, other));
}

TEST_P(sockets, a_connected_socket_still_receives_data_after_an_accept_on_it_has_failed) {
    event_loop& loop = keep(make_loop());
    for (const auto& [tcp, has_received] :
         {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
        auto pair = tcp ? loop.run(make_tcp_pair(loop)) : make_unix_pair(loop);
        if (has_received) {
            put(pair.other.native_handle(), "before");
            EXPECT_EQ(loop.run(read_text(pair.one)), "before");
        }
        std::vector<std::int64_t> refusals;
        auto accepts = [&]() -> task<void> {
            refusals.push_back(co_await io_awaiter(loop.io(), io_kind::accept, pair.one.native_handle()));
        };
        std::string received;
        auto receives = [&]() -> task<void> { received = co_await read_text(pair.one); };
        loop.spawn(accepts());
        loop.spawn(accepts());
        loop.spawn(receives());
        turn_often(loop);
        EXPECT_EQ(received, "");
        put(pair.other.native_handle(), "data");
        turn_often(loop);
        EXPECT_EQ(received, "data");
        EXPECT_EQ(refusals, (std::vector<std::int64_t>{-EINVAL, -EINVAL}));
    }
}

class pipes : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, pipes, all_designs(), design_name);

TEST_P(pipes, pipes_carry_bytes_until_their_writer_closes) {
    event_loop& loop = keep(make_loop());
    auto pipe = loop.open_pipe();
    auto main = [&]() -> task<void> {
        loop.post([&] { put(pipe.writer.native_handle(), "first"); });
        EXPECT_EQ(co_await read_text(pipe.reader), "first");
        const io_result written = co_await pipe.writer.write_all(bytes_of("second"));
        EXPECT_EQ(written.bytes, 6u);
        pipe.writer.close();
        EXPECT_EQ(co_await read_text(pipe.reader), "second");
        EXPECT_EQ(co_await read_text(pipe.reader), "");
    };
    loop.run(main());
}

TEST_P(pipes, a_write_to_a_pipe_can_be_larger_than_the_pipe) {
    event_loop& loop = keep(make_loop());
    auto pipe = loop.open_pipe();
    const std::vector<std::byte> sent(1'000'000, std::byte{7});
    std::size_t received = 0;
    auto writes = [&]() -> task<void> {
        const io_result written = co_await pipe.writer.write_all(sent);
        EXPECT_EQ(written.bytes, sent.size());
        pipe.writer.close();
    };
    auto reads = [&]() -> task<void> {
        std::vector<std::byte> buffer(10'000);
        for (;;) {
            const io_result part = co_await pipe.reader.read_some(buffer);
            if (part.bytes == 0) co_return;
            received += part.bytes;
        }
    };
    auto main = [&]() -> task<void> {
        std::array both{writes(), reads()};
        co_await loop.gather(std::span(both));
    };
    loop.run(main());
    EXPECT_EQ(received, sent.size());
}

TEST_P(pipes, a_write_to_a_pipe_without_a_reader_returns_an_error) {
    event_loop& loop = keep(make_loop());
    auto pipe = loop.open_pipe();
    pipe.reader.close();
    auto main = [&]() -> task<void> {
        const io_result written = co_await pipe.writer.write_all(bytes_of("x"));
        EXPECT_EQ(written.error, EPIPE);
    };
    loop.run(main());
}

TEST_P(pipes, a_pipe_can_be_standard_input_and_stays_blocking) {
    event_loop& loop = keep(make_loop());
    int ends[2];
    checked(::pipe(ends), "pipe");
    const unique_fd reader(ends[0]);
    unique_fd writer(ends[1]);
    standard_input input(loop, reader.get());
    auto main = [&]() -> task<void> {
        loop.post([&] { put(writer.get(), "typed"); });
        EXPECT_EQ(co_await read_text(input), "typed");
        EXPECT_EQ(::fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0);
        loop.post([&] { writer.reset(); });
        EXPECT_EQ(co_await read_text(input), "");
    };
    loop.run(main());
}

// A regular file is always ready, but epoll refuses to watch it.
TEST_P(pipes, a_regular_file_can_be_standard_input) {
    event_loop& loop = keep(make_loop());
    const unique_fd file(checked(::memfd_create("standard input", MFD_CLOEXEC), "memfd_create"));
    put(file.get(), "line one\nline two\n");
    checked(static_cast<int>(::lseek(file.get(), 0, SEEK_SET)), "lseek");
    standard_input input(loop, file.get());
    auto main = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(input, 9), "line one\n");
        EXPECT_EQ(co_await read_text(input, 99), "line two\n");
        EXPECT_EQ(co_await read_text(input, 99), "");
    };
    loop.run(main());
}

}  // namespace loopbench::loop::test
