// Nobody is starved: neither by a queue that is never empty, nor by a socket that is always ready, nor by a
// task that sleeps for no time at all.
#include <optional>
#include <stdexcept>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

/// How many callbacks of a queue that is never empty may run before time and I/O have their turn.
template <class D>
constexpr std::size_t callbacks_max = std::max<std::size_t>(D::callbacks_between_polls, 1);

/// Never lets the queue get empty, until told to; a callback takes 1 ms.
template <class R>
struct saturation {
    static constexpr std::size_t callbacks_max = 10'000;
    R& runtime;
    std::size_t callbacks = 0;
    bool wanted = true;

    void go_on() {
        manual_time::pass(1ms);
        if (++callbacks < callbacks_max && wanted) runtime.post([this] { go_on(); });
    }
};

}  // namespace

template <class R>
class fairness : public on_design<R> {
protected:
    static constexpr bool starves = on_design<R>::is("loop-scheduler");
    static constexpr const char* why_it_starves =
        "loop-scheduler looks at timers and I/O only when its queue is empty, as its document does";
};
TYPED_TEST_SUITE(fairness, manual_designs, design_names);

TYPED_TEST(fairness, a_queue_that_is_never_empty_does_not_starve_a_timer) {
    if (this->starves) GTEST_SKIP() << this->why_it_starves;
    TypeParam runtime;
    saturation<TypeParam> busy{runtime};
    runtime.post([&] { busy.go_on(); });
    std::size_t fired_after = 0;
    runtime.call_later(10ms, [&] {
        fired_after = busy.callbacks;
        busy.wanted = false;
    });
    runtime.run_until_idle();
    EXPECT_LE(fired_after, 10 + callbacks_max<typename TestFixture::design> + 2);
    EXPECT_GE(fired_after, 1u);
}

TYPED_TEST(fairness, a_queue_that_is_never_empty_does_not_starve_input) {
    if (this->starves) GTEST_SKIP() << this->why_it_starves;
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    saturation<TypeParam> busy{runtime};
    std::size_t read_after = 0;
    auto reader = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(pair.one), "input");
        read_after = busy.callbacks;
        busy.wanted = false;
    };
    runtime.spawn(reader());
    runtime.turn();  // the reader waits
    put(pair.other.native_handle(), "input");
    runtime.post([&] { busy.go_on(); });
    runtime.run_until_idle();
    EXPECT_LE(read_after, callbacks_max<typename TestFixture::design> + 2);
}

// Ten thousand tasks that yield once: what becomes due while the first of them run is found soon, and so gets
// its turn before they come for the second time.
TYPED_TEST(fairness, a_wide_batch_is_interrupted_where_there_is_a_bound) {
    constexpr std::size_t width = 10'000;
    constexpr std::size_t bound = TestFixture::design::callbacks_between_polls;
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    std::size_t callbacks = 0;
    std::vector<std::size_t> had_to_wait_for;
    auto reader = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(pair.one), "input");
        had_to_wait_for.push_back(callbacks);
    };
    runtime.spawn(reader());
    turn_often(runtime);  // it waits
    runtime.call_later(10ms, [&] { had_to_wait_for.push_back(callbacks); });
    auto step = [&] {
        manual_time::pass(1ms);
        if (callbacks++ == 0) put(pair.other.native_handle(), "input");
    };
    for (std::size_t i = 0; i < width; ++i) {
        runtime.post([&] {
            step();
            runtime.post(step);
        });
    }
    runtime.run_until_idle();
    ASSERT_EQ(had_to_wait_for.size(), 2u);
    for (const std::size_t waited : had_to_wait_for) {
        if (bound == 0 || this->starves) {
            EXPECT_EQ(waited % width, 0u) << "whole batches, as the documents do it";
        } else {
            EXPECT_LE(waited, width + 10 + bound + 2);
        }
    }
}

TYPED_TEST(fairness, a_callback_that_throws_and_comes_again_does_not_starve_a_timer) {
    if (this->starves) GTEST_SKIP() << this->why_it_starves;
    TypeParam runtime;
    std::size_t thrown = 0;
    bool fired = false;
    runtime.call_later(10ms, [&] { fired = true; });
    auto throws = [&](auto& self) -> void {
        manual_time::pass(1ms);
        runtime.post([&] { self(self); });
        ++thrown;
        throw std::runtime_error("again");
    };
    runtime.post([&] { throws(throws); });
    while (!fired && thrown < 1'000) {
        try {
            runtime.turn();
        } catch (const std::runtime_error&) {  // it comes again
        }
    }
    EXPECT_LE(thrown, 10 + callbacks_max<typename TestFixture::design> + 2);
}

TYPED_TEST(fairness, only_the_founding_scheduler_starves_them_as_its_document_does) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    saturation<TypeParam> busy{runtime};
    std::vector<std::size_t> had_to_wait_for;
    auto reader = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(pair.one), "input");
        had_to_wait_for.push_back(busy.callbacks);
    };
    runtime.spawn(reader());
    runtime.turn();
    put(pair.other.native_handle(), "input");
    runtime.call_later(10ms, [&] { had_to_wait_for.push_back(busy.callbacks); });
    runtime.post([&] { busy.go_on(); });
    runtime.run_until_idle();
    ASSERT_EQ(had_to_wait_for.size(), 2u);
    for (const std::size_t callbacks : had_to_wait_for)
        EXPECT_EQ(callbacks == saturation<TypeParam>::callbacks_max, this->starves) << callbacks;
}

TYPED_TEST(fairness, a_turn_runs_only_what_was_ready_when_it_began) {
    TypeParam runtime;
    std::vector<int> order;
    runtime.post([&] {
        order.push_back(1);
        runtime.post([&] { order.push_back(3); });
        runtime.call_soon([&] { order.push_back(4); });
    });
    runtime.post([&] { order.push_back(2); });
    runtime.turn();
    EXPECT_EQ(order, (std::vector{1, 2}));
    runtime.turn();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TYPED_TEST(fairness, zero_sleeps_let_others_run) {
    TypeParam runtime;
    std::vector<char> order;
    auto sleeper = [&](char name) -> task<void> {
        for (int i = 0; i < 3; ++i) {
            order.push_back(name);
            co_await runtime.sleep_for(0ns);
        }
    };
    runtime.spawn(sleeper('a'));
    runtime.spawn(sleeper('b'));
    runtime.run_until_idle();
    EXPECT_EQ(order, (std::vector{'a', 'b', 'a', 'b', 'a', 'b'}));
}

TYPED_TEST(fairness, zero_sleeps_do_not_starve_a_timer_or_input) {
    if (this->starves) GTEST_SKIP() << this->why_it_starves;
    constexpr std::size_t sleeps_max = 10'000;
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    put(pair.other.native_handle(), "input");
    int ended = 0;
    auto reader = [&]() -> task<void> {
        co_await runtime.yield();
        EXPECT_EQ(co_await read_text(pair.one), "input");
        ++ended;
    };
    runtime.spawn(reader());
    runtime.call_later(10ms, [&] { ++ended; });
    std::size_t sleeps = 0;
    auto sleeper = [&]() -> task<void> {
        for (; ended < 2 && sleeps < sleeps_max; ++sleeps) {
            manual_time::pass(1ms);
            co_await runtime.sleep_for(0ns);
        }
    };
    runtime.run(sleeper());
    EXPECT_EQ(ended, 2);
    EXPECT_LE(sleeps, 10 + callbacks_max<typename TestFixture::design> + 3);
}

TYPED_TEST(fairness, a_task_whose_socket_is_always_ready_lets_others_run) {
    constexpr int reads = 400;
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    put(pair.other.native_handle(), std::string(reads, 'x'));
    int read_count = 0;
    int longest_run = 0;
    auto reader = [&]() -> task<void> {
        for (; read_count < reads; ++read_count) EXPECT_EQ(co_await read_text(pair.one, 1), "x");
    };
    auto other = [&]() -> task<void> {
        for (int seen = 0; seen < reads;) {
            longest_run = std::max(longest_run, read_count - std::exchange(seen, read_count));
            co_await runtime.yield();
        }
    };
    runtime.spawn(reader());
    runtime.run(other());
    EXPECT_EQ(read_count, reads);
    EXPECT_LE(longest_run, static_cast<int>(loop_core::inline_completions_max) + 1);
}

// On loopback the kernel takes some megabytes before it says no; until then nothing makes the sender wait.
TYPED_TEST(fairness, a_sender_that_is_never_refused_does_not_starve_its_receiver_or_a_timer) {
    if (this->starves) GTEST_SKIP() << this->why_it_starves;
    constexpr std::size_t chunk = 65'536;
    TypeParam runtime;
    std::size_t sent = 0;
    std::optional<std::size_t> sent_until_read;
    std::optional<std::size_t> sent_until_fired;
    auto receives = [&](typename TypeParam::stream& stream) -> task<void> {
        std::vector<std::byte> buffer(chunk);
        co_await stream.read_some(buffer);
        sent_until_read = sent;
    };
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(runtime);
        const auto receiver = create_task(runtime, receives(pair.other));
        co_await runtime.yield();  // it waits
        runtime.call_later(1ms, [&] { sent_until_fired = sent; });
        manual_time::pass(1ms);
        const std::vector<std::byte> out(chunk);
        while (sent < 16 * chunk && !(sent_until_read && sent_until_fired)) {
            const io_result result = co_await pair.one.write_all(out);
            sent += result.bytes;
        }
        co_await receiver;
    };
    runtime.run(main());
    const std::size_t callbacks = callbacks_max<typename TestFixture::design> + 2;
    EXPECT_LE(sent_until_read.value_or(16 * chunk), callbacks * loop_core::bytes_of_a_callback + chunk);
    EXPECT_LE(sent_until_fired.value_or(16 * chunk), callbacks * loop_core::bytes_of_a_callback + chunk);
}

TYPED_TEST(fairness, tasks_take_turns) {
    TypeParam runtime;
    std::vector<char> order;
    auto walker = [&](char name) -> task<void> {
        for (int i = 0; i < 3; ++i) {
            order.push_back(name);
            co_await runtime.yield();
        }
    };
    for (const char name : {'a', 'b', 'c'}) runtime.spawn(walker(name));
    runtime.run_until_idle();
    EXPECT_EQ(std::string(order.begin(), order.end()), "abcabcabc");
}

}  // namespace loopbench::loop::test
