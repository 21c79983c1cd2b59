// Which designs the loop's tests run on, and what the tests share.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "loop/designs.hpp"
#include "loop/net/pipe.hpp"
#include "loop/task_handle.hpp"
#include "tests/freed_counter.hpp"
#include "tests/loop/manual_clock.hpp"

namespace loopbench::loop::test {

/// loop-tick sleeps 100 ms on every turn. With the same parts and a manual clock it does not.
struct fast_tick_design : tick_design {
    using clock = manual_clock;
};

/// Every design, on the real clock. (Its names are compared with for_each_design() in design_test.cpp.)
using real_designs = testing::Types<  //
    round_robin_runtime,              //
    runtime<fast_tick_design>,        //
    layered_runtime,                  //
    scheduler_runtime,                //
    asyncio_runtime,                  //
    poll_runtime,                     //
    epoll_runtime,                    //
    uring_runtime,                    //
    precise_runtime>;

/// Every design on the manual clock.
using manual_designs = testing::Types<                      //
    basic_round_robin_runtime<manual<round_robin_design>>,  //
    runtime<manual<tick_design>>,                           //
    runtime<manual<layered_design>>,                        //
    runtime<manual<scheduler_design>>,                      //
    runtime<manual<asyncio_design>>,                        //
    runtime<manual<poll_design>>,                           //
    runtime<manual<epoll_design>>,                          //
    runtime<manual<uring_design>>,                          //
    runtime<manual<precise_design>>>;

struct design_names {
    template <class R>
    static std::string GetName(int) {
        std::string name(R::name);
        std::ranges::replace(name, '-', '_');  // a minus sign in a test filter means "but not"
        return name;
    }
};

/// The design of a runtime.
template <class R>
struct design_of;
template <class D>
struct design_of<runtime<D>> {
    using type = D;
};
template <class D>
struct design_of<basic_round_robin_runtime<D>> {
    using type = D;
};

/// A test on one design. Skipped, with the kernel's reason, where io_uring is refused.
template <class R>
class on_design : public testing::Test {
protected:
    using design = typename design_of<R>::type;

    static constexpr bool is(std::string_view name) { return R::name == name; }

    /// By how much a deadline may be missed on the manual clock, for what the design is.
    static constexpr nanoseconds late_max() {
        if (is("loop-tick")) return tick_wait::tick;
        return std::is_same_v<typename design::clock, stepping_clock> ? std::chrono::milliseconds(1)
                                                                      : nanoseconds::zero();
    }

    void SetUp() override {
        manual_time::now = manual_time::start;
        if constexpr (is("loop-uring")) {
            static const std::string refusal = io_uring_refusal();
            if (!refusal.empty()) GTEST_SKIP() << R::name << " is not possible here: " << refusal;
        }
    }
};

template <class R>
task<void> yield_times(R& runtime, int times) {
    for (int i = 0; i < times; ++i) co_await runtime.yield();
}

/// Turns, and none that sleeps: enough for every driver to find what the kernel has.
template <class R>
void turn_often(R& runtime) {
    for (int i = 0; i < 200; ++i) {
        runtime.driver().wait(do_not_wait);
        runtime.post([] {});
        runtime.turn();
    }
}

template <class R>
struct stream_pair {
    typename R::stream one;
    typename R::stream other;
};

/// Two connected Unix streams: what is written to one can be read from the other when the call returns.
template <class R>
stream_pair<R> make_unix_pair(R& runtime) {
    int ends[2];
    checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    return {typename R::stream(runtime, unique_fd(ends[0])), typename R::stream(runtime, unique_fd(ends[1]))};
}

template <class R>
task<stream_pair<R>> make_tcp_pair(R& runtime) {
    auto listener = runtime.listen();
    auto client = co_await runtime.connect(listener.port());
    auto server = co_await listener.accept();
    co_return stream_pair<R>{std::move(client), std::move(server)};
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// Writes around the loop, as another process would.
inline void put(int fd, std::string_view text) {
    ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

/// One read, as text. "error N" when it failed.
template <class Stream>
task<std::string> read_text(Stream& stream, std::size_t bytes_max = 64) {
    std::string text(bytes_max, '\0');
    const io_result result = co_await stream.read_some(std::as_writable_bytes(std::span(text)));
    if (result.error != 0) co_return "error " + std::to_string(result.error);
    text.resize(result.bytes);
    co_return text;
}

/// Waits for tasks, whatever becomes of them.
template <class Handle = task_handle<void>>
task<void> until_done(const std::vector<Handle>& tasks) {
    for (const auto& each : tasks) {
        try {
            co_await each;
        } catch (...) {  // ending_of() tells
        }
    }
}

/// What became of a task: "value", "cancelled", or what its exception says.
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
