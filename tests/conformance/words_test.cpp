// The words that a runtime may lack (bench/runtime.hpp): timers that call a function, Unix sockets, pipes. A
// runtime that lacks one is skipped, with the word.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "tests/conformance/bytes.hpp"
#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

namespace {

using namespace std::chrono_literals;

/// A name for a socket, and nothing of it left behind.
class socket_path {
public:
    socket_path() {
        if (::mkdtemp(folder_.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), "mkdtemp");
        path_ = folder_ + "/socket";
    }
    socket_path(const socket_path&) = delete;
    socket_path& operator=(const socket_path&) = delete;
    ~socket_path() {
        ::unlink(path_.c_str());
        ::rmdir(folder_.c_str());
    }

    const std::string& text() const noexcept { return path_; }

private:
    std::string folder_ = "/tmp/loopbench-conformance-XXXXXX";
    std::string path_;
};

}  // namespace

#define LOOPBENCH_NEEDS(word)                                        \
    if constexpr (!bench::word<TypeParam>) {                         \
        GTEST_SKIP() << TypeParam::name << " lacks the word " #word; \
    } else

template <class R>
class call_timers : public conformance_test<R> {};
TYPED_TEST_SUITE(call_timers, runtimes, runtime_names);

TYPED_TEST(call_timers, call_when_the_time_has_come_and_never_before_or_inline) {
    LOOPBENCH_NEEDS(CallTimers) {
        TypeParam runtime;
        std::vector<int> called;
        auto main = [&]() -> task_of<TypeParam> {
            const bench::time_point start = runtime.now();
            for (const int delay_ms : {2, 0, 1}) {
                const bench::time_point when = start + std::chrono::milliseconds(delay_ms);
                runtime.call_at(when, [&called, delay_ms, when] {
                    EXPECT_GE(std::chrono::steady_clock::now(), when);
                    called.push_back(delay_ms);
                });
                EXPECT_TRUE(called.empty());
            }
            while (called.size() < 3) co_await runtime.yield();
        };
        runtime.run(main());
        EXPECT_EQ(called, (std::vector{0, 1, 2}));
    }
}

TYPED_TEST(call_timers, are_not_called_after_a_cancellation_which_is_harmless_afterwards) {
    LOOPBENCH_NEEDS(CallTimers) {
        TypeParam runtime;
        int calls = 0;
        auto main = [&]() -> task_of<TypeParam> {
            auto cancelled = runtime.call_at(runtime.now() + 1ms, [&] { ADD_FAILURE(); });
            cancelled.cancel();
            cancelled.cancel();
            auto called = runtime.call_at(runtime.now() + 2ms, [&] { ++calls; });
            while (calls == 0) co_await runtime.yield();
            called.cancel();
        };
        runtime.run(main());
        EXPECT_EQ(calls, 1);
    }
}

// Both are due when the first of them, whichever that is, is called.
TYPED_TEST(call_timers, may_be_cancelled_by_another_that_is_due_at_the_same_time) {
    LOOPBENCH_NEEDS(CallTimers) {
        TypeParam runtime;
        int calls = 0;
        auto main = [&]() -> task_of<TypeParam> {
            using handle = decltype(runtime.call_at(runtime.now(), [] {}));
            std::vector<handle> handles;
            const bench::time_point when = runtime.now() + 1ms;
            for (int i = 0; i < 2; ++i) {
                handles.push_back(runtime.call_at(when, [&] {
                    ++calls;
                    for (handle& each : handles) each.cancel();
                }));
            }
            co_await runtime.sleep_until(when + 1ms);
            for (int i = 0; i < 10; ++i) co_await runtime.yield();
        };
        runtime.run(main());
        EXPECT_EQ(calls, 1);
    }
}

TYPED_TEST(call_timers, throw_out_of_run_and_leave_the_others_armed) {
    LOOPBENCH_NEEDS(CallTimers) {
        TypeParam runtime;
        int calls = 0;
        auto until_called = [&]() -> task_of<TypeParam> {
            while (calls == 0) co_await runtime.yield();
        };
        runtime.call_at(runtime.now() + 1ms, [] { throw std::runtime_error("from a timer"); });
        runtime.call_at(runtime.now() + 3ms, [&] { ++calls; });
        EXPECT_THROW(runtime.run(until_called()), std::runtime_error);
        runtime.run(until_called());
        EXPECT_EQ(calls, 1);
    }
}

TYPED_TEST(call_timers, are_freed_with_the_runtime_when_their_time_never_comes) {
    LOOPBENCH_NEEDS(CallTimers) {
        int freed = 0;
        {
            TypeParam runtime;
            runtime.call_at(runtime.now() + 1h, [owned = std::make_shared<freed_counter>(freed)] {});
            EXPECT_EQ(freed, 0);
        }
        EXPECT_EQ(freed, 1);
    }
}

template <class R>
class unix_sockets : public conformance_test<R> {};
TYPED_TEST_SUITE(unix_sockets, runtimes, runtime_names);

TYPED_TEST(unix_sockets, carry_more_than_they_hold_and_end_with_half_a_close) {
    LOOPBENCH_NEEDS(UnixSockets) {
        TypeParam runtime;
        const socket_path path;
        const auto request = numbered_bytes(300'000);
        const auto reply = numbered_bytes(1000);
        auto client = [&]() -> task_of<TypeParam> {
            auto stream = co_await runtime.connect_unix(path.text());
            const auto result = co_await stream.write_all(request);
            EXPECT_EQ(result.error, 0);
            EXPECT_EQ(result.bytes, request.size());
            stream.shutdown_write();
            std::vector<std::byte> received;
            co_await read_to_end(runtime, stream, received, 4096);
            EXPECT_EQ(received, reply);
        };
        auto main = [&]() -> task_of<TypeParam> {
            auto listener = runtime.listen_unix(path.text());
            std::vector<task_of<TypeParam>> clients;
            clients.push_back(client());
            auto server = [&]() -> task_of<TypeParam> {
                auto stream = co_await listener.accept();
                std::vector<std::byte> received;
                co_await read_to_end(runtime, stream, received, 4096);
                EXPECT_EQ(received, request);
                const auto result = co_await stream.write_all(reply);
                EXPECT_EQ(result.error, 0);
                stream.shutdown_write();
            };
            clients.push_back(server());
            co_await gather_all(runtime, clients);
        };
        runtime.run(main());
    }
}

TYPED_TEST(unix_sockets, say_why_they_cannot_connect) {
    LOOPBENCH_NEEDS(UnixSockets) {
        TypeParam runtime;
        const socket_path path;
        auto main = [&]() -> task_of<TypeParam> {
            try {
                co_await runtime.connect_unix(path.text());
                ADD_FAILURE() << "connected to a path that does not exist";
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory) << error.what();
            }
        };
        runtime.run(main());
    }
}

TYPED_TEST(unix_sockets, that_are_closed_complete_what_is_pending) {
    LOOPBENCH_NEEDS(UnixSockets) {
        TypeParam runtime;
        const socket_path path;
        auto main = [&]() -> task_of<TypeParam> {
            auto listener = runtime.listen_unix(path.text());
            auto client = co_await runtime.connect_unix(path.text());
            auto server = co_await listener.accept();
            runtime.post([&] {
                client.close();
                client.close();
            });
            std::array<std::byte, 16> buffer;
            const auto closed = co_await client.read_some(buffer);
            EXPECT_EQ(closed.error, ECANCELED);
            const auto ended = co_await server.read_some(buffer);
            EXPECT_EQ(ended.error, 0);
            EXPECT_EQ(ended.bytes, 0u);
            runtime.post([&] { listener.close(); });
            try {
                co_await listener.accept();
                ADD_FAILURE() << "accepted a connection that nobody made";
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::operation_canceled) << error.what();
            }
        };
        runtime.run(main());
    }
}

template <class R>
class piped : public conformance_test<R> {};
TYPED_TEST_SUITE(piped, runtimes, runtime_names);

TYPED_TEST(piped, bytes_arrive_whole_and_end_when_the_writer_closes) {
    LOOPBENCH_NEEDS(Pipes) {
        TypeParam runtime;
        const auto sent = numbered_bytes(300'000);
        auto pipe = runtime.open_pipe();
        std::vector<std::byte> received;
        auto writes = [&]() -> task_of<TypeParam> {
            const auto result = co_await pipe.writer.write_all(sent);
            EXPECT_EQ(result.error, 0);
            EXPECT_EQ(result.bytes, sent.size());
            pipe.writer.close();
        };
        runtime.spawn(writes());
        runtime.run(read_to_end(runtime, pipe.reader, received, 4096));
        EXPECT_EQ(received, sent);
    }
}

TYPED_TEST(piped, writes_that_nobody_reads_give_an_error_and_no_signal) {
    LOOPBENCH_NEEDS(Pipes) {
        TypeParam runtime;
        auto pipe = runtime.open_pipe();
        auto main = [&]() -> task_of<TypeParam> {
            pipe.reader.close();
            const auto result = co_await pipe.writer.write_all(numbered_bytes(16));
            EXPECT_EQ(result.error, EPIPE);
        };
        runtime.run(main());
    }
}

TYPED_TEST(piped, reads_and_writes_complete_when_their_own_end_is_closed) {
    LOOPBENCH_NEEDS(Pipes) {
        TypeParam runtime;
        const auto more_than_it_holds = numbered_bytes(std::size_t{4} << 20);
        auto pipe = runtime.open_pipe();
        auto main = [&]() -> task_of<TypeParam> {
            runtime.post([&] { pipe.reader.close(); });
            std::array<std::byte, 16> buffer;
            const auto read = co_await pipe.reader.read_some(buffer);
            EXPECT_EQ(read.error, ECANCELED);
            auto full = runtime.open_pipe();
            runtime.post([&] { full.writer.close(); });
            const auto written = co_await full.writer.write_all(more_than_it_holds);
            EXPECT_EQ(written.error, ECANCELED);
        };
        runtime.run(main());
    }
}

#undef LOOPBENCH_NEEDS

}  // namespace loopbench::conformance
