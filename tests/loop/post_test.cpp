// Tests that no post of another thread is lost, and that each thread's posts stay in order.
//
// CMakeLists.txt sets LOOPBENCH_POSTS to ten million posts, or to a hundredth of that in sanitizer and debug
// builds, in which a post takes about a hundred times as long.
#include <atomic>
#include <thread>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

class posting : public on_real_time {
protected:
    static constexpr std::size_t threads = 4;

    /// Returns the number of posts of each thread. The io_uring driver has its own way to wake the loop; all
    /// other drivers use an eventfd. For each of the two ways, one design receives all posts; the other
    /// designs receive a hundredth of them, to save time.
    static std::size_t posts() {
        const bool takes_all = is("loop-epoll") || is("loop-uring");
        return (takes_all ? LOOPBENCH_POSTS : LOOPBENCH_POSTS / 100) / threads;
    }
};
INSTANTIATE_TEST_SUITE_P(, posting, all_designs(), design_name);

TEST_P(posting, posts_from_four_threads_are_not_lost_and_keep_the_order_of_each_thread) {
    event_loop& loop = keep(make_loop());
    const std::size_t posts_of_each = posts();
    std::array<std::size_t, threads> next{};
    std::size_t out_of_order = 0;
    std::size_t received = 0;
    {
        std::vector<std::jthread> posters;
        for (std::size_t poster = 0; poster < threads; ++poster) {
            posters.emplace_back([&, poster] {
                for (std::size_t i = 0; i < posts_of_each; ++i) {
                    loop.post_from_any_thread([&, poster, i] {
                        out_of_order += next[poster]++ != i;
                        if (++received == threads * posts_of_each) loop.stop();
                    });
                }
            });
        }
        loop.run_forever();
    }
    EXPECT_EQ(received, threads * posts_of_each);
    EXPECT_EQ(out_of_order, 0u);
}

// The test delays each post by zero to about ten microseconds. Posts therefore arrive at every step that the
// loop makes before it sleeps.
TEST_P(posting, each_single_post_wakes_the_loop) {
    constexpr int rounds = 2'000;
    event_loop& loop = keep(make_loop());
    std::atomic<int> answered{0};
    std::jthread poster([&] {
        for (int i = 0; i < rounds; ++i) {
            for (int moment = i % 100 * 100; moment > 0; --moment) answered.load();
            loop.post_from_any_thread([&] {
                if (++answered == rounds) loop.stop();
                answered.notify_one();
            });
            answered.wait(i);
        }
    });
    loop.run_forever();
    EXPECT_EQ(answered, rounds);
}

TEST_P(posting, a_post_wakes_a_loop_that_waits_for_a_far_timer_or_for_input) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(24h); };
    loop.spawn(reads());
    loop.spawn(sleeps());
    std::jthread poster([&] { loop.post_from_any_thread([&] { loop.stop(); }); });
    loop.run_forever();
}

TEST_P(posting, functions_that_are_posted_before_the_loop_runs_are_not_lost) {
    event_loop& loop = keep(make_loop());
    std::vector<int> calls;
    std::jthread([&] {
        for (int i = 0; i < 3; ++i) loop.post_from_any_thread([&, i] { calls.push_back(i); });
    }).join();
    EXPECT_TRUE(calls.empty());
    loop.run_until_idle();
    EXPECT_EQ(calls, (std::vector{0, 1, 2}));
}

TEST_P(posting, a_post_from_inside_a_posted_function_runs_in_a_later_turn) {
    event_loop& loop = keep(make_loop());
    int depth = 0;
    auto again = [&](auto& self) -> void {
        if (++depth < 100) loop.post_from_any_thread([&] { self(self); });
    };
    loop.post_from_any_thread([&] { again(again); });
    loop.turn();
    EXPECT_EQ(depth, 1);
    loop.run_until_idle();
    EXPECT_EQ(depth, 100);
}

TEST_P(posting, posts_from_inside_posted_functions_do_not_starve_input_and_timers) {
    const int last = is("loop-tick") ? 10 : 1'000;
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    int depth = 0, read_at = last, woken_at = last;
    auto reads = [&]() -> task<void> {
        co_await read_text(pair.one);
        read_at = depth;
    };
    auto sleeps = [&]() -> task<void> {
        co_await loop.sleep_for(1ns);
        woken_at = depth;
    };
    auto begins = [&]() -> task<void> {
        co_await pair.other.write_all(bytes_of("x"));
        loop.spawn(sleeps());
    };
    auto again = [&](auto& self) -> void {
        if (++depth == last / 2) loop.spawn(begins());
        depth < last ? loop.post_from_any_thread([&] { self(self); }) : loop.stop();
    };
    loop.spawn(reads());
    loop.post_from_any_thread([&] { again(again); });
    loop.run_forever();
    EXPECT_LT(read_at, last - 1);
    EXPECT_LT(woken_at, last - 1);
}

class posting_to_flagships : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, posting_to_flagships, flagships(), design_name);

TEST_P(posting_to_flagships, a_post_from_inside_a_posted_function_makes_no_system_call) {
    event_loop& loop = keep(make_loop());
    int depth = 0;
    auto again = [&](auto& self) -> void {
        ++depth < 1000 ? loop.post_from_any_thread([&] { self(self); }) : loop.stop();
    };
    loop.post_from_any_thread([&] { again(again); });
    loop.run_forever();
    EXPECT_LE(clock.waits(), 1u);
}

TEST_P(posting, stopping_the_loop_from_another_thread_wakes_the_loop) {
    event_loop& loop = keep(make_loop());
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(24h); };
    loop.spawn(sleeps());
    for (int i = 0; i < 2; ++i) {
        std::jthread stopper([&] { loop.stop_from_any_thread(); });
        i == 0 ? loop.run_forever() : loop.run_until_idle();
    }
    std::jthread([&] { loop.stop_from_any_thread(); }).join();
    loop.run_forever();
}

class posting_in_bursts : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, posting_in_bursts, sleeping_designs(), design_name);

// If the threads posted without pauses, the loop would hardly ever sleep. Here, each burst finds the loop
// asleep or about to sleep.
TEST_P(posting_in_bursts, no_post_of_a_burst_is_lost_if_the_loop_sleeps_between_bursts) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t bursts = 500;
    constexpr std::size_t burst = 25;
    event_loop& loop = keep(make_loop());
    std::atomic<std::size_t> received{0};
    {
        std::vector<std::jthread> posters;
        for (std::size_t poster = 0; poster < threads; ++poster) {
            posters.emplace_back([&] {
                for (std::size_t round = 1; round <= bursts; ++round) {
                    for (std::size_t i = 0; i < burst; ++i) {
                        loop.post_from_any_thread([&] {
                            const std::size_t count = ++received;
                            if (count % (threads * burst) == 0) received.notify_all();
                            if (count == threads * burst * bursts) loop.stop();
                        });
                    }
                    for (std::size_t seen = received; seen < round * threads * burst; seen = received)
                        received.wait(seen);
                }
            });
        }
        loop.run_forever();
    }
    EXPECT_EQ(received, threads * burst * bursts);
    EXPECT_GE(clock.sleeps(), 1u) << "every design must sleep at least once before a post arrives";
}

}  // namespace loopbench::loop::test
