// Tests partial writes, and streams whose peers reset the connection, hang up or do not read.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "loop/coro/future.hpp"
#include "loop/timers/heap.hpp"
#include "loop/turn.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

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

// After fork(), parent and child share the epoll set. If the driver watched the listener level-triggered, the
// close in the child would remove the listener from this set.
TEST(loop_epoll, a_listener_still_accepts_after_a_forked_child_has_closed_it) {
    const auto owner = make_loop("loop-epoll");
    event_loop& loop = *owner;
    auto main = [&]() -> task<void> {
        listener acceptor = loop.listen(endpoint::ip("127.0.0.1", 0));
        const auto accept_one = [&]() -> task<void> { static_cast<void>(co_await acceptor.accept()); };
        const endpoint here = endpoint::ip("127.0.0.1", acceptor.port());
        for (int i = 0; i < 20; ++i) {  // a driver might change how it watches the listener
            auto accepting = create_task(loop, accept_one());
            co_await loop.yield();
            stream client = co_await loop.connect(here);
            co_await accepting;
        }
        auto accepting = create_task(loop, accept_one());
        co_await loop.yield();
        const pid_t child = ::fork();
        if (child == 0) {
            acceptor.close();
            std::_Exit(0);
        }
        int status = 1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        stream client = co_await loop.connect(here);
        co_await accepting;
    };
    loop.run(main());
}

class stream_in_trouble : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, stream_in_trouble, all_designs(), design_name);

TEST_P(stream_in_trouble, a_pending_read_reports_a_reset_of_the_connection) {
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        reset_on_close(pair.other.native_handle());
        loop.post([&] { pair.other.close(); });
        EXPECT_EQ(co_await read_text(pair.one), "error " + std::to_string(ECONNRESET));
    };
    loop.run(main());
}

TEST_P(stream_in_trouble, a_pending_write_reports_a_reset_of_the_connection) {
    event_loop& loop = keep(make_loop());
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{64} << 20);
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        reset_on_close(pair.other.native_handle());
        loop.post([&] { pair.other.close(); });
        const io_result result = co_await pair.one.write_all(more_than_the_kernel_takes);
        EXPECT_TRUE(result.error == ECONNRESET || result.error == EPIPE) << result.error;
        EXPECT_LT(result.bytes, more_than_the_kernel_takes.size());
    };
    loop.run(main());
}

TEST_P(stream_in_trouble,
       reads_return_the_data_that_a_closed_peer_has_sent_and_then_only_the_end_of_the_stream) {
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        co_await pair.other.write_all(bytes_of("last words"));
        pair.other.close();
        EXPECT_EQ(co_await read_text(pair.one), "last words");
        for (int i = 0; i < 3; ++i) EXPECT_EQ(co_await read_text(pair.one), "");
    };
    loop.run(main());
}

TEST_P(stream_in_trouble, a_half_closed_stream_can_still_be_written_to) {
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        pair.other.shutdown_write();
        EXPECT_EQ(co_await read_text(pair.one), "");
        const io_result written = co_await pair.one.write_all(bytes_of("reply"));
        EXPECT_EQ(written.error, 0);
        EXPECT_EQ(co_await read_text(pair.other), "reply");
    };
    loop.run(main());
}

// The test sets SIGPIPE to its default action, so that a raised signal would end the process.
TEST_P(stream_in_trouble, a_write_without_a_reader_returns_an_error_and_raises_no_signal) {
    event_loop& loop = keep(make_loop());
    const auto before = std::signal(SIGPIPE, SIG_DFL);
    auto write_until_error = [&](stream_pair pair) -> task<void> {
        pair.other.close();
        io_result written;
        while (written.error == 0) written = co_await pair.one.write_all(bytes_of("hello there"));
        EXPECT_TRUE(written.error == EPIPE || written.error == ECONNRESET) << written.error;
    };
    auto main = [&]() -> task<void> {
        co_await write_until_error(make_unix_pair(loop));
        auto tcp_pair = co_await make_tcp_pair(loop);
        co_await write_until_error(std::move(tcp_pair));
    };
    loop.run(main());
    std::signal(SIGPIPE, before);
}

TEST_P(stream_in_trouble, a_write_completes_although_the_kernel_accepts_only_small_parts) {
    event_loop& loop = keep(make_loop());
    const auto sent = numbered_bytes(std::size_t{2} << 20);
    std::vector<std::byte> received;
    auto writes = [&](stream& to) -> task<void> {
        const io_result result = co_await to.write_all(sent);
        EXPECT_EQ(result.error, 0);
        EXPECT_EQ(result.bytes, sent.size());
        to.shutdown_write();
    };
    auto reads = [&](stream& from) -> task<void> {
        std::array<std::byte, 8192> buffer;
        for (;;) {
            const io_result result = co_await from.read_some(buffer);
            EXPECT_EQ(result.error, 0);
            if (result.bytes == 0) co_return;
            received.insert(received.end(), buffer.begin(),
                            buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes));
            co_await loop.yield();
        }
    };
    auto main = [&]() -> task<void> {
        auto pair = make_unix_pair(loop);
        shrink_buffers(pair.one.native_handle());
        shrink_buffers(pair.other.native_handle());
        std::array both{writes(pair.one), reads(pair.other)};
        co_await loop.gather(std::span(both));
    };
    loop.run(main());
    EXPECT_TRUE(received == sent) << received.size() << " bytes of " << sent.size();
}

TEST_P(stream_in_trouble, sixteen_mebibytes_are_written_completely) {
    event_loop& loop = keep(make_loop());
    const auto sent = numbered_bytes(std::size_t{16} << 20);
    std::size_t received = 0;
    std::size_t wrong = 0;
    auto writes = [&](stream& to) -> task<void> {
        const io_result result = co_await to.write_all(sent);
        EXPECT_EQ(result.bytes, sent.size());
        to.close();
    };
    auto reads = [&](stream& from) -> task<void> {
        std::vector<std::byte> buffer(100'000);
        for (;;) {
            const io_result result = co_await from.read_some(buffer);
            if (result.bytes == 0) co_return;
            wrong += !std::equal(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes),
                                 sent.begin() + static_cast<std::ptrdiff_t>(received));
            received += result.bytes;
        }
    };
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        std::array both{writes(pair.one), reads(pair.other)};
        co_await loop.gather(std::span(both));
    };
    loop.run(main());
    EXPECT_EQ(received, sent.size());
    EXPECT_EQ(wrong, 0u);
}

// The kernel ends a read at the position of TCP's urgent data, even if more bytes follow.
TEST_P(stream_in_trouble, a_stream_can_still_be_read_after_urgent_data) {
    event_loop& loop = keep(make_loop());
    std::string received;
    auto pair = loop.run(make_tcp_pair(loop));
    auto reads = [&]() -> task<void> {
        while (received.size() < 6) received += co_await read_text(pair.one);
    };
    loop.spawn(reads());
    turn_often(loop);
    put(pair.other.native_handle(), "abc");
    EXPECT_EQ(::send(pair.other.native_handle(), "!", 1, MSG_OOB), 1);
    put(pair.other.native_handle(), "def");
    turn_often(loop);
    EXPECT_EQ(received, "abcdef");
}

TEST_P(stream_in_trouble, a_stream_can_still_be_read_after_a_message_that_carries_a_descriptor) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    std::string received;
    // The test repeats the messages, because a driver might change how it reads a stream after some reads.
    std::string expected;
    auto reads = [&]() -> task<void> {
        while (received.size() < 120) received += co_await read_text(pair.one);
    };
    loop.spawn(reads());
    while (expected.size() < 120) {
        turn_often(loop);
        put_with_descriptor(pair.other.native_handle(), "abc");
        put(pair.other.native_handle(), "def");
        turn_often(loop);
        expected += "abcdef";
        ASSERT_EQ(received, expected);
    }
}

/// The outcome of a write. `went_on` becomes true when the task continues after the yield that follows the
/// write.
struct write_outcome {
    io_result written;
    bool done = false;
    bool went_on = false;
};

class whole_writes : public on_real_time {
protected:
    static constexpr std::size_t much = std::size_t{4} << 20;

    template <class End>
    static task<void> write(event_loop& loop, End& end, write_outcome& outcome) {
        const std::vector<std::byte> bytes = numbered_bytes(much);
        outcome.written = co_await end.write_all(bytes);
        outcome.done = true;
        co_await loop.yield();
        outcome.went_on = true;
    }

    static std::vector<std::byte> drain_stream(int fd, std::size_t bytes_max = much) {
        std::vector<std::byte> all(bytes_max);
        std::size_t filled = 0;
        for (ssize_t bytes;
             filled < bytes_max && (bytes = ::read(fd, all.data() + filled, bytes_max - filled)) > 0;)
            filled += static_cast<std::size_t>(bytes);
        all.resize(filled);
        return all;
    }

    static bool is_beginning(const std::vector<std::byte>& received) {
        const auto sent = numbered_bytes(much);
        return std::equal(received.begin(), received.end(), sent.begin());
    }

    /// Starts a write, and reads from `fd` while parts of the write are still pending. Returns the bytes that
    /// it has read.
    template <class End>
    static std::vector<std::byte> write_some_parts(event_loop& loop, End& end, int fd,
                                                   std::vector<task_handle<void>>& writing,
                                                   write_outcome& outcome) {
        writing.push_back(create_task(loop, write(loop, end, outcome)));
        std::vector<std::byte> received;
        for (int part = 0; part < 4; ++part) {
            turn_often(loop);
            const auto taken = drain_stream(fd, 10'000);
            EXPECT_EQ(taken.size(), 10'000u);
            received.insert(received.end(), taken.begin(), taken.end());
        }
        turn_often(loop);
        EXPECT_FALSE(outcome.done);
        return received;
    }

    static void append(std::vector<std::byte>& all, const std::vector<std::byte>& rest) {
        all.insert(all.end(), rest.begin(), rest.end());
    }

    template <class End>
    static void expect_cancelled_write(event_loop& loop, End& end, int fd) {
        std::vector<task_handle<void>> writing;
        write_outcome outcome;
        auto received = write_some_parts(loop, end, fd, writing, outcome);
        writing[0].cancel();
        turn_often(loop);
        append(received, drain_stream(fd));
        turn_often(loop);
        append(received, drain_stream(fd));
        EXPECT_TRUE(outcome.done);
        EXPECT_EQ(outcome.written.error, ECANCELED);
        EXPECT_EQ(outcome.written.bytes, received.size());
        EXPECT_TRUE(is_beginning(received));
        EXPECT_FALSE(outcome.went_on) << "the next await must throw task_cancelled";
        EXPECT_EQ(ending_of(writing[0].outcome()), "cancelled");
    }

    template <class End>
    static void expect_closed_write(event_loop& loop, End& end, int fd) {
        std::vector<task_handle<void>> writing;
        write_outcome outcome;
        auto received = write_some_parts(loop, end, fd, writing, outcome);
        // This read makes space for the rest of the write. Before the loop detects the space, another socket
        // gets the descriptor number.
        append(received, drain_stream(fd, 20'000));
        auto next = make_unix_pair(loop);
        const int number = end.native_handle();
        end.close();
        append(received, drain_stream(fd));
        const unique_fd same_number(checked(::dup3(next.one.native_handle(), number, O_CLOEXEC), "dup3"));
        turn_often(loop);
        EXPECT_TRUE(drain_stream(next.other.native_handle()).empty())
            << "bytes for the closed stream must not reach the next stream";
        EXPECT_TRUE(outcome.done);
        EXPECT_EQ(outcome.written.error, ECANCELED);
        EXPECT_EQ(outcome.written.bytes, received.size());
        EXPECT_TRUE(is_beginning(received));
        EXPECT_TRUE(outcome.went_on);
    }
};
INSTANTIATE_TEST_SUITE_P(, whole_writes, all_designs(), design_name);

TEST_P(whole_writes, a_write_that_is_awaited_twice_writes_twice) {
    event_loop& loop = keep(make_loop());
    auto pipe = loop.open_pipe();
    std::vector<std::size_t> written;
    loop.run([&]() -> task<void> {
        auto kept = pipe.writer.write_all(bytes_of("abcd"));
        for (int i = 0; i < 2; ++i) written.push_back((co_await kept).bytes);
    }());
    EXPECT_EQ(written, (std::vector<std::size_t>{4, 4}));
    EXPECT_EQ(drain_stream(pipe.reader.native_handle()).size(), 8U);
}

TEST_P(whole_writes, a_cancelled_write_reports_the_number_of_written_bytes) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    expect_cancelled_write(loop, pair.one, pair.other.native_handle());
    auto pipe = loop.open_pipe();
    expect_cancelled_write(loop, pipe.writer, pipe.reader.native_handle());
}

TEST_P(whole_writes, a_write_whose_stream_is_closed_reports_the_number_of_written_bytes) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    expect_closed_write(loop, pair.one, pair.other.native_handle());
    auto pipe = loop.open_pipe();
    expect_closed_write(loop, pipe.writer, pipe.reader.native_handle());
}

TEST_P(whole_writes, a_write_without_a_reader_reports_the_number_of_written_bytes) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    std::vector<task_handle<void>> writing;
    write_outcome outcome;
    const auto received = write_some_parts(loop, pair.one, pair.other.native_handle(), writing, outcome);
    pair.other.close();
    turn_often(loop);
    EXPECT_TRUE(outcome.done);
    EXPECT_EQ(outcome.written.error, EPIPE);
    EXPECT_GE(outcome.written.bytes, received.size());
    EXPECT_LT(outcome.written.bytes, much);
}

TEST_P(whole_writes, the_bytes_of_simultaneous_writes_to_several_streams_are_not_mixed) {
    event_loop& loop = keep(make_loop());
    std::vector<stream_pair> pairs;
    for (int i = 0; i < 5; ++i) pairs.push_back(make_unix_pair(loop));
    std::vector<write_outcome> outcomes(pairs.size());
    std::vector<std::vector<std::byte>> received(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) loop.spawn(write(loop, pairs[i].one, outcomes[i]));
    const auto all_done = [&] {
        return std::ranges::all_of(outcomes, [](const write_outcome& each) { return each.done; });
    };
    for (int round = 0; round < 100'000 && !all_done(); ++round) {
        loop.io().wait(do_not_wait);
        loop.post([] {});
        loop.turn();
        for (std::size_t i = 0; i < pairs.size(); ++i)
            append(received[i], drain_stream(pairs[i].other.native_handle()));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        append(received[i], drain_stream(pairs[i].other.native_handle()));
        EXPECT_EQ(outcomes[i].written.bytes, much);
        EXPECT_EQ(outcomes[i].written.error, 0);
        EXPECT_EQ(received[i].size(), much);
        EXPECT_TRUE(is_beginning(received[i]));
    }
}

class hung_up_stream : public on_real_time {
protected:
    /// Returns the number of the loop's waits during a sleep of 10 ms. During this sleep, no task reads the
    /// stream that `make` returns. The peer of this stream has hung up.
    template <class Make>
    std::size_t waits_for_a_sleep(Make make) {
        const auto owner = make_loop();
        event_loop& loop = *owner;
        auto main = [&]() -> task<std::size_t> {
            const auto stream = co_await make(loop);
            co_await loop.sleep_for(1ms);
            const std::size_t before = clock.waits();
            co_await loop.sleep_for(10ms);
            co_return clock.waits() - before;
        };
        return loop.run(main());
    }

    /// Returns a stream after `reads` reads of at most three bytes each. The stream's peer has sent six bytes
    /// and then closed its end.
    static task<stream> abandoned_after(event_loop& loop, int reads) {
        auto pair = co_await make_tcp_pair(loop);
        co_await pair.other.write_all(bytes_of("abcdef"));
        pair.other.close();
        for (int i = 0; i < reads; ++i) co_await read_text(pair.one, 3);
        co_return std::move(pair.one);
    }

    static constexpr std::size_t waits_max = 5;
};
INSTANTIATE_TEST_SUITE_P(, hung_up_stream, sleeping_designs(), design_name);

TEST_P(hung_up_stream, unread_data_of_a_hung_up_stream_does_not_make_the_loop_spin) {
    for (const int reads : {0, 1, 2, 3}) {
        const auto make = [reads](event_loop& loop) { return abandoned_after(loop, reads); };
        EXPECT_LE(waits_for_a_sleep(make), waits_max) << reads << " reads";
    }
}

TEST_P(hung_up_stream, a_cancelled_read_of_a_hung_up_stream_does_not_make_the_loop_spin) {
    const auto make = [](event_loop& loop) -> task<stream> {
        auto pair = co_await make_tcp_pair(loop);
        auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
        std::vector tasks{create_task(loop, reads())};
        co_await yield_times(loop, 100);
        tasks[0].cancel();
        co_await until_done(tasks);
        pair.other.close();
        co_return std::move(pair.one);
    };
    EXPECT_LE(waits_for_a_sleep(make), waits_max);
}

TEST_P(hung_up_stream, a_reset_stream_does_not_make_the_loop_spin) {
    const auto make = [](event_loop& loop) -> task<stream> {
        auto pair = co_await make_tcp_pair(loop);
        reset_on_close(pair.other.native_handle());
        loop.post([&] { pair.other.close(); });
        EXPECT_EQ(co_await read_text(pair.one), "error " + std::to_string(ECONNRESET));
        co_return std::move(pair.one);
    };
    EXPECT_LE(waits_for_a_sleep(make), waits_max);
}

TEST_P(hung_up_stream, a_hung_up_pipe_does_not_make_the_loop_spin) {
    for (const int reads : {0, 1, 3}) {
        const auto make = [reads](event_loop& loop) -> task<pipe_end> {
            auto pipe = loop.open_pipe();
            put(pipe.writer.native_handle(), "abcdef");
            pipe.writer.close();
            std::string received;
            for (int i = 0; i < reads; ++i) received += co_await read_text(pipe.reader, 3);
            EXPECT_EQ(received, std::string("abcdef").substr(0, 3 * static_cast<std::size_t>(reads)));
            co_return std::move(pipe.reader);
        };
        EXPECT_LE(waits_for_a_sleep(make), waits_max) << reads << " reads";
    }
}

TEST_P(hung_up_stream, a_hung_up_pipe_whose_callback_was_removed_does_not_make_the_loop_spin) {
    const auto make = [](event_loop& loop) -> task<pipe_end> {
        auto pipe = loop.open_pipe();
        const int fd = pipe.reader.native_handle();
        event called(loop);
        loop.add_reader(fd, [&] { called.set(); });
        loop.post([&] { pipe.writer.close(); });
        co_await called.wait();
        EXPECT_TRUE(loop.remove_reader(fd));
        co_return std::move(pipe.reader);
    };
    EXPECT_LE(waits_for_a_sleep(make), waits_max);
}

namespace {

/// A driver whose accepts fail with the `errors`, the last of them first. Each accept removes one of the
/// `errors`; when none is left, accepts work.
class failing_accepts final : public driver {
public:
    explicit failing_accepts(ready_queue& ready) : driver(ready), rest_(make_epoll_driver(ready)) {}

    bool start(io_operation& op) override {
        if (op.kind != io_kind::accept || errors.empty()) return rest_->start(op);
        op.result = -errors.back();
        errors.pop_back();
        return true;
    }
    void cancel(io_operation& op) noexcept override { rest_->cancel(op); }
    void discard(io_operation& op) noexcept override { rest_->discard(op); }
    void close(int fd) noexcept override { rest_->close(fd); }
    void unwatch(int fd) noexcept override { rest_->unwatch(fd); }
    void wait(time_point deadline) override { rest_->wait(deadline); }
    void wake() noexcept override { rest_->wake(); }

    static std::unique_ptr<driver> make(ready_queue& ready) {
        return std::make_unique<failing_accepts>(ready);
    }

    static inline thread_local std::vector<int> errors;

private:
    std::unique_ptr<driver> rest_;
};

}  // namespace

TEST(listeners, a_listener_continues_to_accept_after_a_single_connection_has_failed) {
    manual_clock clock;
    design_loop<heap_timers, block_wait, waits_after_a_budget> loop("failing", &failing_accepts::make,
                                                                    &clock);
    auto listener = loop.listen();
    auto accepts = [&]() -> task<void> { static_cast<void>(co_await listener.accept()); };
    for (const int error : {ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                            EOPNOTSUPP, ENETUNREACH, EPERM}) {
        failing_accepts::errors = {error, error};
        auto main = [&]() -> task<void> {
            const auto client = co_await loop.connect(listener.port());
            co_await accepts();
        };
        EXPECT_NO_THROW(loop.run(main())) << error;
        EXPECT_TRUE(failing_accepts::errors.empty());
    }
    failing_accepts::errors = {EINVAL};
    EXPECT_THROW(loop.run(accepts()), std::system_error);
}

}  // namespace loopbench::loop::test
