// The kinds of sockets and pipes: IPv4 and IPv6, TCP and UDP, Unix streams and datagrams, pipes, standard
// input.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>

#include <cstring>
#include <filesystem>

#include "loop/net/datagram.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

template <class R>
using loop_of = event_loop<typename design_of<R>::type>;

template <class R>
using datagram_socket = basic_datagram_socket<loop_of<R>>;

bool has_ipv6_loopback() {
    try {
        open_listener(endpoint::ip("::1", 0));
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

/// A name in the abstract space of Unix sockets, so that nothing is left in the file system.
endpoint abstract_name(std::string_view name) {
    return endpoint::unix_path(std::string(1, '\0').append(name));
}

/// A folder of this test's own, removed in the end.
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

/// What is sent comes back, in both directions.
template <class R>
task<void> expect_conversation(R& runtime, typename R::listener listener, endpoint where) {
    auto client = co_await runtime.connect(where);
    auto server = co_await listener.accept();
    co_await client.write_all(bytes_of("question"));
    EXPECT_EQ(co_await read_text(server), "question");
    co_await server.write_all(bytes_of("answer"));
    EXPECT_EQ(co_await read_text(client), "answer");
}

/// A datagram each way, of which the second is answered to the sender's address; and an empty one.
template <class R>
task<void> expect_datagrams(datagram_socket<R>& one, datagram_socket<R>& other) {
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

template <class R>
task<void> expect_a_wait_for_a_datagram(R& runtime, datagram_socket<R>& one, datagram_socket<R>& other) {
    const endpoint where = other.local();
    auto sends = [&]() -> task<void> {
        co_await yield_times(runtime, 10);
        co_await one.send_to(bytes_of("late"), where);
    };
    runtime.spawn(sends());
    std::array<std::byte, 2> too_short;
    const datagram_result cut = co_await other.receive_from(too_short);
    EXPECT_EQ(cut.error, 0);
    EXPECT_EQ(cut.bytes, 2u) << "a datagram is cut to the buffer, and the rest is gone";
}

}  // namespace

template <class R>
class sockets : public on_design<R> {};
TYPED_TEST_SUITE(sockets, real_designs, design_names);

TYPED_TEST(sockets, speak_tcp_over_ipv4) {
    TypeParam runtime;
    auto listener = runtime.listen();
    const auto where = endpoint::loopback(listener.port());
    EXPECT_EQ(where.to_string(), "127.0.0.1:" + std::to_string(listener.port()));
    runtime.run(expect_conversation(runtime, std::move(listener), where));
}

TYPED_TEST(sockets, speak_tcp_over_ipv6) {
    if (!has_ipv6_loopback()) GTEST_SKIP() << "this machine has no ::1";
    TypeParam runtime;
    auto listener = runtime.listen(endpoint::ip("::1", 0));
    const auto where = endpoint::ip("::1", listener.port());
    EXPECT_EQ(where.to_string(), "[::1]:" + std::to_string(listener.port()));
    runtime.run(expect_conversation(runtime, std::move(listener), where));
}

TYPED_TEST(sockets, speak_over_a_path) {
    TypeParam runtime;
    const temporary_folder folder;
    const auto where = endpoint::unix_path(folder.file("stream"));
    EXPECT_EQ(where.to_string(), folder.file("stream"));
    auto listener = runtime.listen(where);
    runtime.run(expect_conversation(runtime, std::move(listener), where));
}

TYPED_TEST(sockets, speak_over_an_abstract_name) {
    TypeParam runtime;
    const auto where = abstract_name("loopbench stream " + std::to_string(::getpid()));
    auto listener = runtime.listen(where);
    runtime.run(expect_conversation(runtime, std::move(listener), where));
}

TYPED_TEST(sockets, say_why_they_cannot_listen_or_connect) {
    TypeParam runtime;
    auto listener = runtime.listen();
    const auto taken = endpoint::loopback(listener.port());
    std::string refusal;
    try {
        runtime.listen(taken);
    } catch (const std::system_error& error) {
        refusal = error.what();
    }
    EXPECT_NE(refusal.find(taken.to_string()), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("port 0"), std::string::npos) << refusal;
    auto main = [&]() -> task<void> {
        try {
            co_await runtime.connect(endpoint::unix_path("/nonexistent/loopbench"));
            ADD_FAILURE() << "connected to nothing";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
            EXPECT_NE(std::string(error.what()).find("/nonexistent/loopbench"), std::string::npos);
        }
    };
    runtime.run(main());
    EXPECT_THROW(endpoint::ip("localhost", 80), std::invalid_argument);
    EXPECT_THROW(endpoint::unix_path(std::string(108, 'x')), std::invalid_argument);
    EXPECT_THROW(endpoint::unix_path(""), std::invalid_argument);
}

TYPED_TEST(sockets, send_datagrams_over_ipv4_and_ipv6) {
    TypeParam runtime;
    for (const char* address : {"127.0.0.1", "::1"}) {
        if (std::string_view(address) == "::1" && !has_ipv6_loopback())
            GTEST_SKIP() << "this machine has no ::1 (IPv4 was tested)";
        datagram_socket<TypeParam> one(runtime, open_datagram(endpoint::ip(address, 0)));
        datagram_socket<TypeParam> other(runtime, open_datagram(endpoint::ip(address, 0)));
        runtime.run(expect_datagrams<TypeParam>(one, other));
        runtime.run(expect_a_wait_for_a_datagram(runtime, one, other));
    }
}

TYPED_TEST(sockets, send_datagrams_over_a_path) {
    TypeParam runtime;
    const temporary_folder folder;
    datagram_socket<TypeParam> one(runtime, open_datagram(endpoint::unix_path(folder.file("one"))));
    datagram_socket<TypeParam> other(runtime, open_datagram(endpoint::unix_path(folder.file("other"))));
    runtime.run(expect_datagrams<TypeParam>(one, other));
    runtime.run(expect_a_wait_for_a_datagram(runtime, one, other));
}

template <class R>
class pipes : public on_design<R> {};
TYPED_TEST_SUITE(pipes, real_designs, design_names);

TYPED_TEST(pipes, carry_bytes_until_their_writer_closes) {
    TypeParam runtime;
    auto pipe = open_pipe<loop_of<TypeParam>>(runtime);
    auto main = [&]() -> task<void> {
        runtime.post([&] { put(pipe.writer.native_handle(), "first"); });
        EXPECT_EQ(co_await read_text(pipe.reader), "first");
        const io_result written = co_await pipe.writer.write_all(bytes_of("second"));
        EXPECT_EQ(written.bytes, 6u);
        pipe.writer.close();
        EXPECT_EQ(co_await read_text(pipe.reader), "second");
        EXPECT_EQ(co_await read_text(pipe.reader), "");
    };
    runtime.run(main());
}

TYPED_TEST(pipes, take_more_than_they_hold) {
    TypeParam runtime;
    auto pipe = open_pipe<loop_of<TypeParam>>(runtime);
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
        co_await runtime.gather(std::span(both));
    };
    runtime.run(main());
    EXPECT_EQ(received, sent.size());
}

TYPED_TEST(pipes, give_an_error_when_nobody_reads_any_more) {
    TypeParam runtime;
    auto pipe = open_pipe<loop_of<TypeParam>>(runtime);
    pipe.reader.close();
    auto main = [&]() -> task<void> {
        const io_result written = co_await pipe.writer.write_all(bytes_of("x"));
        EXPECT_EQ(written.error, EPIPE);
    };
    runtime.run(main());
}

TYPED_TEST(pipes, may_be_standard_input_and_are_left_blocking) {
    TypeParam runtime;
    int ends[2];
    checked(::pipe(ends), "pipe");
    const unique_fd reader(ends[0]);
    unique_fd writer(ends[1]);
    standard_input<loop_of<TypeParam>> input(runtime, reader.get());
    auto main = [&]() -> task<void> {
        runtime.post([&] { put(writer.get(), "typed"); });
        EXPECT_EQ(co_await read_text(input), "typed");
        EXPECT_EQ(::fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0);
        runtime.post([&] { writer.reset(); });
        EXPECT_EQ(co_await read_text(input), "");
    };
    runtime.run(main());
}

// epoll refuses to watch one, and nobody need wait for it.
TYPED_TEST(pipes, may_be_replaced_by_a_regular_file_as_standard_input) {
    TypeParam runtime;
    const unique_fd file(checked(::memfd_create("standard input", MFD_CLOEXEC), "memfd_create"));
    put(file.get(), "line one\nline two\n");
    checked(static_cast<int>(::lseek(file.get(), 0, SEEK_SET)), "lseek");
    standard_input<loop_of<TypeParam>> input(runtime, file.get());
    auto main = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(input, 9), "line one\n");
        EXPECT_EQ(co_await read_text(input, 99), "line two\n");
        EXPECT_EQ(co_await read_text(input, 99), "");
    };
    runtime.run(main());
}

}  // namespace loopbench::loop::test
