#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "loop/coro/event.hpp"
#include "loop/coro/future.hpp"
#include "loop/designs.hpp"
#include "loop/io/drivers.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/stream.hpp"
#include "tests/freed_counter.hpp"
#include "tests/loop/manual_clock.hpp"

namespace loopbench::loop::test {

inline auto all_designs() {
    std::vector<std::string_view> names;
    for (const design& each : designs()) names.push_back(each.name);
    return testing::ValuesIn(names);
}

/// Returns the designs that sleep when they have no work, and only then. This leaves out loop-round-robin,
/// which never sleeps, and loop-tick, which also sleeps while it has work. loop-precise is included, although
/// it spins shortly before a deadline.
inline auto sleeping_designs() {
    std::vector<std::string_view> names;
    for (const design& each : designs())
        if (each.name != "loop-round-robin" && each.name != "loop-tick") names.push_back(each.name);
    return testing::ValuesIn(names);
}

inline auto flagships() {
    return testing::Values<std::string_view>("loop-epoll", "loop-uring");
}

/// Returns the design's name with each minus sign replaced by an underscore, because in a test filter, a
/// minus sign excludes tests.
inline std::string design_name(const testing::TestParamInfo<std::string_view>& info) {
    std::string name(info.param);
    std::ranges::replace(name, '-', '_');
    return name;
}

/// A fixture for tests on one design. On loop-uring, the tests are skipped if the kernel refuses io_uring.
class on_design : public testing::TestWithParam<std::string_view> {
protected:
    /// Keeps the loop until the end of the test's body, unless end_loop() destroys it earlier.
    event_loop& keep(std::unique_ptr<event_loop> loop) {
        kept_ = std::move(loop);
        return *kept_;
    }
    void end_loop() { kept_.reset(); }
    void TearDown() override { end_loop(); }

    static bool is(std::string_view name) { return GetParam() == name; }

    /// Returns true if the design checks timers and I/O only when its queue is empty (tutorial 003).
    static bool starves() { return is("loop-scheduler"); }
    static bool runs_whole_batches() {
        return is("loop-round-robin") || is("loop-tick") || is("loop-layered") || is("loop-asyncio");
    }

    void SetUp() override {
        if (!is("loop-uring")) return;
        static const std::string refusal = io_uring_refusal();
        if (!refusal.empty()) GTEST_SKIP() << GetParam() << " cannot run here: " << refusal;
    }

private:
    std::unique_ptr<event_loop> kept_;
};

/// A fixture with a clock that counts the loop's waits. The ticks of loop-tick take 1 ms instead of 100 ms.
class on_real_time : public on_design {
protected:
    std::unique_ptr<event_loop> make_loop() { return loop::make_loop(GetParam(), &clock); }

    counting_clock clock;
};

/// A fixture with a manual clock. In designs that spin, each reading of the clock advances it by 1 µs.
class on_manual_time : public on_design {
protected:
    void SetUp() override {
        manual_time::now = manual_time::start;
        manual_time::oversleep = nanoseconds::zero();
        on_design::SetUp();
    }

    std::unique_ptr<event_loop> make_loop() { return loop::make_loop(GetParam(), &clock); }

    static bool spins() { return is("loop-round-robin") || is("loop-precise"); }
    static nanoseconds late_max() {
        if (is("loop-tick")) return std::chrono::milliseconds(100);
        return spins() ? std::chrono::milliseconds(1) : nanoseconds::zero();
    }

    manual_clock clock{spins() ? nanoseconds(1'000) : nanoseconds::zero()};
};

inline task<void> yield_times(event_loop& loop, int times) {
    for (int i = 0; i < times; ++i) co_await loop.yield();
}

/// Runs 200 turns. This is enough for every driver to find all events that the kernel can report.
inline void turn_often(event_loop& loop) {
    for (int i = 0; i < 200; ++i) {
        loop.io().wait(do_not_wait);
        loop.post([] {});
        loop.turn();
    }
}

struct stream_pair {
    stream one;
    stream other;
};

/// Returns two connected streams. A byte written to one can be read from the other as soon as the write has
/// returned.
inline stream_pair make_unix_pair(event_loop& loop) {
    int ends[2];
    checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    return {stream(loop, unique_fd(ends[0])), stream(loop, unique_fd(ends[1]))};
}

inline task<stream_pair> make_tcp_pair(event_loop& loop) {
    auto listener = loop.listen();
    auto client = co_await loop.connect(listener.port());
    auto server = co_await listener.accept();
    co_return stream_pair{std::move(client), std::move(server)};
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

inline void put(int fd, std::string_view text) {
    ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

inline void put_with_descriptor(int fd, std::string text) {
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
    ASSERT_EQ(::sendmsg(fd, &message, 0), static_cast<ssize_t>(text.size()));
}

/// Reads once. Returns the text, or "error N" if the read failed with errno N.
template <class Stream>
task<std::string> read_text(Stream& stream, std::size_t bytes_max = 64) {
    std::string text(bytes_max, '\0');
    const io_result result = co_await stream.read_some(std::as_writable_bytes(std::span(text)));
    if (result.error != 0) co_return "error " + std::to_string(result.error);
    text.resize(result.bytes);
    co_return text;
}

template <class Handle = task_handle<void>>
task<void> until_done(const std::vector<Handle>& tasks) {
    for (const auto& each : tasks) {
        try {
            co_await each;
        } catch (...) {
        }
    }
}

/// Returns the state of the outcome: "still running", "value", "cancelled", or the text of its exception.
template <class T>
std::string ending_of(const future<T>& outcome) {
    if (!outcome.done()) return "still running";
    try {
        outcome.result();
        return "value";
    } catch (const task_cancelled&) {
        return "cancelled";
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

}  // namespace loopbench::loop::test
