// Tests that no task, timer or socket starves.
#include <sys/ioctl.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

struct saturation {
    static constexpr std::size_t callbacks_max = 10'000;
    event_loop& loop;
    std::size_t callbacks = 0;
    bool wanted = true;

    void go_on() {
        manual_time::pass(1ms);
        if (++callbacks < callbacks_max && wanted) loop.post([this] { go_on(); });
    }
};

}  // namespace

class fairness : public on_manual_time {
protected:
    /// Returns the largest number of callbacks in a turn if the queue always contains exactly one callback.
    static std::size_t callbacks_max() {
        return runs_whole_batches() ? 1 : work_budget::units_max / work_budget::units_of_a_callback;
    }

    static constexpr const char* why_it_starves =
        "loop-scheduler checks timers and I/O only when its queue is empty, as its tutorial does";
};
INSTANTIATE_TEST_SUITE_P(, fairness, all_designs(), design_name);

TEST_P(fairness, a_queue_that_is_never_empty_does_not_starve_a_timer) {
    if (starves()) GTEST_SKIP() << why_it_starves;
    event_loop& loop = keep(make_loop());
    saturation busy{loop};
    loop.post([&] { busy.go_on(); });
    std::size_t fired_after = 0;
    loop.call_later(10ms, [&] {
        fired_after = busy.callbacks;
        busy.wanted = false;
    });
    loop.run_until_idle();
    EXPECT_LE(fired_after, 10 + callbacks_max() + 2);
    EXPECT_GE(fired_after, 1u);
}

TEST_P(fairness, a_queue_that_is_never_empty_does_not_starve_a_pending_read) {
    if (starves()) GTEST_SKIP() << why_it_starves;
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    saturation busy{loop};
    std::size_t read_after = 0;
    auto reader = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(pair.one), "input");
        read_after = busy.callbacks;
        busy.wanted = false;
    };
    loop.spawn(reader());
    loop.turn();
    put(pair.other.native_handle(), "input");
    loop.post([&] { busy.go_on(); });
    loop.run_until_idle();
    EXPECT_LE(read_after, callbacks_max() + 2);
}

TEST_P(fairness, designs_that_limit_a_turn_serve_a_timer_and_a_read_before_a_large_batch_ends) {
    constexpr std::size_t width = 10'000;
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    std::size_t callbacks = 0;
    std::vector<std::size_t> had_to_wait_for;
    auto reader = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(pair.one), "input");
        had_to_wait_for.push_back(callbacks);
    };
    loop.spawn(reader());
    turn_often(loop);
    loop.call_later(10ms, [&] { had_to_wait_for.push_back(callbacks); });
    auto step = [&] {
        manual_time::pass(1ms);
        if (callbacks++ == 0) put(pair.other.native_handle(), "input");
    };
    for (std::size_t i = 0; i < width; ++i) {
        loop.post([&] {
            step();
            loop.post(step);
        });
    }
    loop.run_until_idle();
    ASSERT_EQ(had_to_wait_for.size(), 2u);
    for (const std::size_t waited : had_to_wait_for) {
        if (runs_whole_batches() || starves()) {
            EXPECT_EQ(waited % width, 0u) << "the design must run whole batches, as in its tutorial";
        } else {
            EXPECT_LE(waited, width + 10 + callbacks_max() + 2);
        }
    }
}

// Without a limit, the hundred children of the gather would write 6.4 MB in one callback.
TEST_P(fairness, a_gather_of_children_that_write_many_bytes_lets_other_callbacks_run) {
    constexpr std::size_t all = 100;
    event_loop& loop = keep(make_loop());
    const std::vector<std::byte> much(std::size_t{64} << 10U);
    std::vector<stream_pair> pairs;
    for (std::size_t i = 0; i < all; ++i) pairs.push_back(make_unix_pair(loop));
    const auto have_written = [&] {
        return std::ranges::count_if(pairs, [](const stream_pair& pair) {
            int bytes = 0;
            EXPECT_EQ(::ioctl(pair.other.native_handle(), FIONREAD, &bytes), 0);
            return bytes > 0;
        });
    };
    std::ptrdiff_t before_the_other = all;
    auto child = [&](stream& to) -> task<void> { co_await to.write_all(much); };
    auto main = [&]() -> task<void> {
        loop.post([&] { before_the_other = have_written(); });
        std::vector<task<void>> children;
        for (auto& pair : pairs) children.push_back(child(pair.one));
        co_await loop.gather(std::span(children));
    };
    loop.run(main());
    EXPECT_EQ(have_written(), all);
    EXPECT_LE(before_the_other, all / 2);
}

TEST_P(fairness, a_callback_that_throws_and_posts_itself_again_does_not_starve_a_timer) {
    if (starves()) GTEST_SKIP() << why_it_starves;
    event_loop& loop = keep(make_loop());
    std::size_t thrown = 0;
    bool fired = false;
    loop.call_later(10ms, [&] { fired = true; });
    auto throws = [&](auto& self) -> void {
        manual_time::pass(1ms);
        loop.post([&] { self(self); });
        ++thrown;
        throw std::runtime_error("again");
    };
    loop.post([&] { throws(throws); });
    while (!fired && thrown < 1'000) {
        try {
            loop.turn();
        } catch (const std::runtime_error&) {
        }
    }
    EXPECT_LE(thrown, 10 + callbacks_max() + 2);
}

TEST_P(fairness, only_loop_scheduler_starves_timers_and_reads_while_its_queue_is_never_empty) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    saturation busy{loop};
    std::vector<std::size_t> had_to_wait_for;
    auto reader = [&]() -> task<void> {
        EXPECT_EQ(co_await read_text(pair.one), "input");
        had_to_wait_for.push_back(busy.callbacks);
    };
    loop.spawn(reader());
    loop.turn();
    put(pair.other.native_handle(), "input");
    loop.call_later(10ms, [&] { had_to_wait_for.push_back(busy.callbacks); });
    loop.post([&] { busy.go_on(); });
    loop.run_until_idle();
    ASSERT_EQ(had_to_wait_for.size(), 2u);
    for (const std::size_t callbacks : had_to_wait_for)
        EXPECT_EQ(callbacks == saturation::callbacks_max, starves()) << callbacks;
}

TEST_P(fairness, a_turn_runs_only_callbacks_that_were_ready_at_its_beginning) {
    event_loop& loop = keep(make_loop());
    std::vector<int> order;
    loop.post([&] {
        order.push_back(1);
        loop.post([&] { order.push_back(3); });
        loop.call_soon([&] { order.push_back(4); });
    });
    loop.post([&] { order.push_back(2); });
    loop.turn();
    EXPECT_EQ(order, (std::vector{1, 2}));
    loop.turn();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TEST_P(fairness, sleeps_of_zero_length_let_other_tasks_run) {
    event_loop& loop = keep(make_loop());
    std::vector<char> order;
    auto sleeper = [&](char name) -> task<void> {
        for (int i = 0; i < 3; ++i) {
            order.push_back(name);
            co_await loop.sleep_for(0ns);
        }
    };
    loop.spawn(sleeper('a'));
    loop.spawn(sleeper('b'));
    loop.run_until_idle();
    EXPECT_EQ(order, (std::vector{'a', 'b', 'a', 'b', 'a', 'b'}));
}

TEST_P(fairness, sleeps_of_zero_length_do_not_starve_a_timer_or_a_read) {
    if (starves()) GTEST_SKIP() << why_it_starves;
    constexpr std::size_t sleeps_max = 10'000;
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    put(pair.other.native_handle(), "input");
    int ended = 0;
    auto reader = [&]() -> task<void> {
        co_await loop.yield();
        EXPECT_EQ(co_await read_text(pair.one), "input");
        ++ended;
    };
    loop.spawn(reader());
    loop.call_later(10ms, [&] { ++ended; });
    std::size_t sleeps = 0;
    auto sleeper = [&]() -> task<void> {
        for (; ended < 2 && sleeps < sleeps_max; ++sleeps) {
            manual_time::pass(1ms);
            co_await loop.sleep_for(0ns);
        }
    };
    loop.run(sleeper());
    EXPECT_EQ(ended, 2);
    EXPECT_LE(sleeps, 10 + callbacks_max() + 3);
}

TEST_P(fairness, a_task_whose_socket_is_always_ready_lets_other_tasks_run) {
    constexpr int reads = 400;
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    put(pair.other.native_handle(), std::string(reads, 'x'));
    int read_count = 0;
    int longest_run = 0;
    auto reader = [&]() -> task<void> {
        for (; read_count < reads; ++read_count) EXPECT_EQ(co_await read_text(pair.one, 1), "x");
    };
    auto other = [&]() -> task<void> {
        for (int seen = 0; seen < reads;) {
            longest_run = std::max(longest_run, read_count - std::exchange(seen, read_count));
            co_await loop.yield();
        }
    };
    loop.spawn(reader());
    loop.run(other());
    EXPECT_EQ(read_count, reads);
    EXPECT_LE(longest_run, static_cast<int>(work_budget::units_max) + 1);
}

TEST_P(fairness, in_designs_that_run_whole_batches_each_callback_has_its_own_work_budget) {
    if (!runs_whole_batches()) GTEST_SKIP() << GetParam() << " has one work budget for the whole turn";
    constexpr int reads = work_budget::units_max;
    event_loop& loop = keep(make_loop());
    stream_pair pairs[] = {make_unix_pair(loop), make_unix_pair(loop)};
    int read_counts[] = {0, 0};
    auto reader = [&](int number) -> task<void> {
        for (; read_counts[number] < reads; ++read_counts[number])
            EXPECT_EQ(co_await read_text(pairs[number].one, 1), "x");
    };
    for (const int number : {0, 1}) {
        put(pairs[number].other.native_handle(), std::string(reads, 'x'));
        loop.spawn(reader(number));
    }
    loop.turn();
    EXPECT_GT(read_counts[0], reads / 2);
    EXPECT_LT(read_counts[0], reads);
    EXPECT_EQ(read_counts[1], read_counts[0]);
}

// A connection on the loopback interface accepts several megabytes before a write has to wait.
TEST_P(fairness, a_sender_that_never_has_to_wait_does_not_starve_its_receiver_or_a_timer) {
    if (starves()) GTEST_SKIP() << why_it_starves;
    constexpr std::size_t chunk = 65'536;
    event_loop& loop = keep(make_loop());
    std::size_t sent = 0;
    std::optional<std::size_t> sent_until_read;
    std::optional<std::size_t> sent_until_fired;
    auto receives = [&](stream& stream) -> task<void> {
        std::vector<std::byte> buffer(chunk);
        co_await stream.read_some(buffer);
        sent_until_read = sent;
    };
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        const auto receiver = create_task(loop, receives(pair.other));
        co_await loop.yield();
        loop.call_later(1ms, [&] { sent_until_fired = sent; });
        manual_time::pass(1ms);
        const std::vector<std::byte> out(chunk);
        while (sent < 16 * chunk && !(sent_until_read && sent_until_fired)) {
            const io_result result = co_await pair.one.write_all(out);
            sent += result.bytes;
        }
        co_await receiver;
    };
    loop.run(main());
    // The limit allows the chunks of one work budget, rounded up, and one chunk that the sender has already
    // started to write.
    constexpr std::size_t sent_max = (work_budget::units_max / work_budget::units_of(chunk) + 2) * chunk;
    EXPECT_LE(sent_until_read.value_or(16 * chunk), sent_max);
    EXPECT_LE(sent_until_fired.value_or(16 * chunk), sent_max);
}

// Single connections arrive before the burst. A driver that then watched the listener level-triggered would
// accept only one connection of the burst per reported event.
TEST_P(fairness, a_burst_of_connections_is_accepted_although_the_queue_is_never_empty) {
    if (starves()) GTEST_SKIP() << why_it_starves;
    constexpr std::size_t one_by_one = 20;
    constexpr std::size_t at_once = 100;
    event_loop& loop = keep(make_loop());
    auto listener = loop.listen();
    const endpoint where = local_endpoint(listener.native_handle());
    std::vector<unique_fd> clients;
    auto connect = [&] {
        clients.emplace_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        checked(::connect(clients.back().get(), reinterpret_cast<const sockaddr*>(&where.address()),
                          where.bytes()),
                "connect");
    };
    saturation busy{loop};
    std::size_t accepted = 0;
    auto server = [&]() -> task<void> {
        while (accepted < one_by_one + at_once) {
            co_await listener.accept();
            ++accepted;
        }
        busy.wanted = false;
    };
    loop.spawn(server());
    for (std::size_t i = 0; i < one_by_one; ++i) {
        connect();
        turn_often(loop);
        ASSERT_EQ(accepted, i + 1);
    }
    for (std::size_t i = 0; i < at_once; ++i) connect();
    loop.post([&] { busy.go_on(); });
    loop.run_until_idle();
    EXPECT_EQ(accepted, one_by_one + at_once);
    EXPECT_LE(busy.callbacks, 3 * callbacks_max() + 2);
}

TEST_P(fairness, tasks_that_yield_run_alternately) {
    event_loop& loop = keep(make_loop());
    std::vector<char> order;
    auto walker = [&](char name) -> task<void> {
        for (int i = 0; i < 3; ++i) {
            order.push_back(name);
            co_await loop.yield();
        }
    };
    for (const char name : {'a', 'b', 'c'}) loop.spawn(walker(name));
    loop.run_until_idle();
    EXPECT_EQ(std::string(order.begin(), order.end()), "abcabcabc");
}

}  // namespace loopbench::loop::test
