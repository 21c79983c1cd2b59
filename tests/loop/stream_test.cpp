// Streams in trouble: peers that reset, hang up, or do not read; and writes that the kernel takes in parts.
#include <netinet/in.h>

#include <csignal>
#include <cstring>

#include "tests/loop/counting_driver.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

/// Closing this stream sends a reset instead of the end.
void reset_on_close(int fd) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
}

void shrink_buffers(int fd) {
    const int bytes = 4096;
    ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
    ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
}

std::vector<std::byte> numbered_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
    return bytes;
}

}  // namespace

template <class R>
class stream_in_trouble : public on_design<R> {};
TYPED_TEST_SUITE(stream_in_trouble, real_designs, design_names);

TYPED_TEST(stream_in_trouble, tells_a_pending_read_that_the_peer_has_reset) {
    TypeParam runtime;
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(runtime);
        reset_on_close(pair.other.native_handle());
        runtime.post([&] { pair.other.close(); });
        EXPECT_EQ(co_await read_text(pair.one), "error " + std::to_string(ECONNRESET));
    };
    runtime.run(main());
}

TYPED_TEST(stream_in_trouble, tells_a_pending_write_that_the_peer_has_reset) {
    TypeParam runtime;
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{64} << 20);
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(runtime);
        reset_on_close(pair.other.native_handle());
        runtime.post([&] { pair.other.close(); });
        const io_result result = co_await pair.one.write_all(more_than_the_kernel_takes);
        EXPECT_TRUE(result.error == ECONNRESET || result.error == EPIPE) << result.error;
        EXPECT_LT(result.bytes, more_than_the_kernel_takes.size());
    };
    runtime.run(main());
}

TYPED_TEST(stream_in_trouble, gives_what_came_before_the_end_and_then_the_end_again_and_again) {
    TypeParam runtime;
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(runtime);
        co_await pair.other.write_all(bytes_of("last words"));
        pair.other.close();
        EXPECT_EQ(co_await read_text(pair.one), "last words");
        for (int i = 0; i < 3; ++i) EXPECT_EQ(co_await read_text(pair.one), "");
    };
    runtime.run(main());
}

TYPED_TEST(stream_in_trouble, that_is_half_closed_can_still_be_written_to) {
    TypeParam runtime;
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(runtime);
        pair.other.shutdown_write();
        EXPECT_EQ(co_await read_text(pair.one), "");
        const io_result written = co_await pair.one.write_all(bytes_of("reply"));
        EXPECT_EQ(written.error, 0);
        EXPECT_EQ(co_await read_text(pair.other), "reply");
    };
    runtime.run(main());
}

// The default action of SIGPIPE ends this process.
TYPED_TEST(stream_in_trouble, gives_an_error_and_no_signal_when_nobody_reads_any_more) {
    TypeParam runtime;
    const auto before = std::signal(SIGPIPE, SIG_DFL);
    auto write_until_error = [&](stream_pair<TypeParam> pair) -> task<void> {
        pair.other.close();
        io_result written;
        while (written.error == 0) written = co_await pair.one.write_all(bytes_of("anybody there?"));
        EXPECT_TRUE(written.error == EPIPE || written.error == ECONNRESET) << written.error;
    };
    auto main = [&]() -> task<void> {
        co_await write_until_error(make_unix_pair(runtime));
        auto tcp_pair = co_await make_tcp_pair(runtime);
        co_await write_until_error(std::move(tcp_pair));
    };
    runtime.run(main());
    std::signal(SIGPIPE, before);
}

TYPED_TEST(stream_in_trouble, writes_everything_although_the_kernel_takes_little_at_a_time) {
    TypeParam runtime;
    const auto sent = numbered_bytes(std::size_t{2} << 20);
    std::vector<std::byte> received;
    auto writes = [&](typename TypeParam::stream& stream) -> task<void> {
        const io_result result = co_await stream.write_all(sent);
        EXPECT_EQ(result.error, 0);
        EXPECT_EQ(result.bytes, sent.size());
        stream.shutdown_write();
    };
    auto reads = [&](typename TypeParam::stream& stream) -> task<void> {
        std::array<std::byte, 8192> buffer;
        for (;;) {
            const io_result result = co_await stream.read_some(buffer);
            EXPECT_EQ(result.error, 0);
            if (result.bytes == 0) co_return;
            received.insert(received.end(), buffer.begin(),
                            buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes));
            co_await runtime.yield();
        }
    };
    auto main = [&]() -> task<void> {
        auto pair = make_unix_pair(runtime);
        shrink_buffers(pair.one.native_handle());
        shrink_buffers(pair.other.native_handle());
        std::array both{writes(pair.one), reads(pair.other)};
        co_await runtime.gather(std::span(both));
    };
    runtime.run(main());
    EXPECT_TRUE(received == sent) << received.size() << " bytes of " << sent.size();
}

TYPED_TEST(stream_in_trouble, writes_sixteen_mebibytes_whole) {
    TypeParam runtime;
    const auto sent = numbered_bytes(std::size_t{16} << 20);
    std::size_t received = 0;
    std::size_t wrong = 0;
    auto writes = [&](typename TypeParam::stream& stream) -> task<void> {
        const io_result result = co_await stream.write_all(sent);
        EXPECT_EQ(result.bytes, sent.size());
        stream.close();
    };
    auto reads = [&](typename TypeParam::stream& stream) -> task<void> {
        std::vector<std::byte> buffer(100'000);
        for (;;) {
            const io_result result = co_await stream.read_some(buffer);
            if (result.bytes == 0) co_return;
            wrong += !std::equal(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes),
                                 sent.begin() + static_cast<std::ptrdiff_t>(received));
            received += result.bytes;
        }
    };
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(runtime);
        std::array both{writes(pair.one), reads(pair.other)};
        co_await runtime.gather(std::span(both));
    };
    runtime.run(main());
    EXPECT_EQ(received, sent.size());
    EXPECT_EQ(wrong, 0u);
}

// A read stops at the urgent mark, whatever lies beyond it.
TYPED_TEST(stream_in_trouble, goes_on_beyond_urgent_data) {
    TypeParam runtime;
    std::string received;
    auto pair = runtime.run(make_tcp_pair(runtime));
    auto reads = [&]() -> task<void> {
        while (received.size() < 6) received += co_await read_text(pair.one);
    };
    runtime.spawn(reads());
    turn_often(runtime);  // it waits
    put(pair.other.native_handle(), "abc");
    EXPECT_EQ(::send(pair.other.native_handle(), "!", 1, MSG_OOB), 1);
    put(pair.other.native_handle(), "def");
    turn_often(runtime);
    EXPECT_EQ(received, "abcdef");
}

TYPED_TEST(stream_in_trouble, goes_on_beyond_a_message_that_carries_a_descriptor) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    std::string received;
    auto reads = [&]() -> task<void> {
        while (received.size() < 6) received += co_await read_text(pair.one);
    };
    const auto send_with_descriptor = [&](std::string text) {
        iovec part{text.data(), text.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        const int sent = STDERR_FILENO;
        std::memcpy(CMSG_DATA(header), &sent, sizeof sent);
        ASSERT_EQ(::sendmsg(pair.other.native_handle(), &message, 0), static_cast<ssize_t>(text.size()));
    };
    runtime.spawn(reads());
    turn_often(runtime);  // it waits
    send_with_descriptor("abc");
    put(pair.other.native_handle(), "def");
    turn_often(runtime);
    EXPECT_EQ(received, "abcdef");
}

template <class R>
class hung_up_stream : public on_design<R> {
protected:
    /// How many waits the loop makes for one timer, while `make` keeps a stream that has hung up and is not
    /// read.
    template <class Make>
    static std::size_t waits_for_a_sleep(Make make) {
        R runtime;
        auto main = [&]() -> task<std::size_t> {
            const auto stream = co_await make(runtime);
            co_await runtime.sleep_for(1ms);
            const std::size_t before = runtime.driver().waits();
            co_await runtime.sleep_for(10ms);
            co_return runtime.driver().waits() - before;
        };
        return runtime.run(main());
    }

    /// A stream whose peer has sent something and is gone, after `reads` reads of three bytes.
    static task<typename R::stream> abandoned_after(R& runtime, int reads) {
        auto pair = co_await make_tcp_pair(runtime);
        co_await pair.other.write_all(bytes_of("abcdef"));
        pair.other.close();
        for (int i = 0; i < reads; ++i) co_await read_text(pair.one, 3);
        co_return std::move(pair.one);
    }

    static constexpr std::size_t waits_max = 5;
};
TYPED_TEST_SUITE(hung_up_stream, counted_designs, design_names);

TYPED_TEST(hung_up_stream, does_not_make_the_loop_spin_however_much_of_it_was_read) {
    for (const int reads : {0, 1, 2, 3}) {
        const auto make = [reads](TypeParam& runtime) {
            return TestFixture::abandoned_after(runtime, reads);
        };
        EXPECT_LE(this->waits_for_a_sleep(make), this->waits_max) << reads << " reads";
    }
}

TYPED_TEST(hung_up_stream, does_not_make_the_loop_spin_after_a_read_was_cancelled) {
    const auto make = [](TypeParam& runtime) -> task<typename TypeParam::stream> {
        auto pair = co_await make_tcp_pair(runtime);
        auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
        std::vector tasks{create_task(runtime, reads())};
        co_await yield_times(runtime, 100);
        tasks[0].cancel();
        co_await until_done(tasks);
        pair.other.close();
        co_return std::move(pair.one);
    };
    EXPECT_LE(this->waits_for_a_sleep(make), this->waits_max);
}

TYPED_TEST(hung_up_stream, does_not_make_the_loop_spin_after_a_reset) {
    const auto make = [](TypeParam& runtime) -> task<typename TypeParam::stream> {
        auto pair = co_await make_tcp_pair(runtime);
        reset_on_close(pair.other.native_handle());
        runtime.post([&] { pair.other.close(); });
        EXPECT_EQ(co_await read_text(pair.one), "error " + std::to_string(ECONNRESET));
        co_return std::move(pair.one);
    };
    EXPECT_LE(this->waits_for_a_sleep(make), this->waits_max);
}

TYPED_TEST(hung_up_stream, that_is_a_pipe_does_not_make_the_loop_spin) {
    for (const int reads : {0, 1, 3}) {
        const auto make = [reads](TypeParam& runtime) -> task<decltype(runtime.open_pipe().reader)> {
            auto pipe = runtime.open_pipe();
            put(pipe.writer.native_handle(), "abcdef");
            pipe.writer.close();
            std::string received;
            for (int i = 0; i < reads; ++i) received += co_await read_text(pipe.reader, 3);
            EXPECT_EQ(received, std::string("abcdef").substr(0, 3 * static_cast<std::size_t>(reads)));
            co_return std::move(pipe.reader);
        };
        EXPECT_LE(this->waits_for_a_sleep(make), this->waits_max) << reads << " reads";
    }
}

TYPED_TEST(hung_up_stream, calls_its_reader_back_and_does_not_make_the_loop_spin_after_that) {
    const auto make = [](TypeParam& runtime) -> task<decltype(runtime.open_pipe().reader)> {
        auto pipe = runtime.open_pipe();
        const int fd = pipe.reader.native_handle();
        event called(runtime);
        runtime.add_reader(fd, [&] { called.set(); });
        runtime.post([&] { pipe.writer.close(); });
        co_await called.wait();
        EXPECT_TRUE(runtime.remove_reader(fd));
        co_return std::move(pipe.reader);
    };
    EXPECT_LE(this->waits_for_a_sleep(make), this->waits_max);
}

namespace {

/// A kernel whose next accepts fail.
struct failing_accepts : manual_driver<epoll_driver> {
    using manual_driver::manual_driver;
    bool start(io_operation& op) {
        if (op.kind != io_kind::accept || errors.empty()) return manual_driver::start(op);
        op.result = -errors.back();
        errors.pop_back();
        return true;
    }
    std::vector<int> errors;
};

struct failing_design : manual<epoll_design> {
    using driver = failing_accepts;
};

}  // namespace

TEST(listeners, go_on_after_errors_that_befell_one_connection) {
    runtime<failing_design> loop;
    auto listener = loop.listen();
    auto accepts = [&]() -> task<void> { static_cast<void>(co_await listener.accept()); };
    for (const int error : {ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                            EOPNOTSUPP, ENETUNREACH, EPERM}) {
        loop.driver().errors = {error, error};
        auto main = [&]() -> task<void> {
            const auto client = co_await loop.connect(listener.port());
            co_await accepts();
        };
        EXPECT_NO_THROW(loop.run(main())) << error;
        EXPECT_TRUE(loop.driver().errors.empty());
    }
    loop.driver().errors = {EINVAL};
    EXPECT_THROW(loop.run(accepts()), std::system_error);
}

}  // namespace loopbench::loop::test
