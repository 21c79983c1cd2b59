// Functions posted by other threads: none is lost, and each thread's stay in order, while the loop falls
// asleep and is woken as fast as it can.
//
// Ten million posts; a hundredth of that under a sanitizer and in a debug build, where each takes a hundred
// times as long (LOOPBENCH_POSTS, set in CMakeLists.txt).
#include <atomic>
#include <thread>

#include "tests/loop/counting_driver.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

template <class R>
class posting : public on_design<R> {
protected:
    static constexpr std::size_t threads = 4;

    /// How many posts each thread makes. A bell of eventfd's rings for every driver but io_uring's, which has
    /// its own; so one of each kind takes them all, and the others a share.
    static constexpr bool takes_all = on_design<R>::is("loop-epoll") || on_design<R>::is("loop-uring");
    static constexpr std::size_t posts = (takes_all ? LOOPBENCH_POSTS : LOOPBENCH_POSTS / 100) / threads;
};
TYPED_TEST_SUITE(posting, real_designs, design_names);

TYPED_TEST(posting, from_four_threads_loses_nothing_and_keeps_the_order_of_each) {
    TypeParam runtime;
    std::array<std::size_t, TestFixture::threads> next{};
    std::size_t out_of_order = 0;
    std::size_t received = 0;
    {
        std::vector<std::jthread> posters;
        for (std::size_t poster = 0; poster < TestFixture::threads; ++poster) {
            posters.emplace_back([&, poster] {
                for (std::size_t i = 0; i < TestFixture::posts; ++i) {
                    runtime.post_from_any_thread([&, poster, i] {
                        out_of_order += next[poster]++ != i;
                        if (++received == TestFixture::threads * TestFixture::posts) runtime.stop();
                    });
                }
            });
        }
        runtime.run_forever();
    }
    EXPECT_EQ(received, TestFixture::threads * TestFixture::posts);
    EXPECT_EQ(out_of_order, 0u);
}

// Each post finds the loop on its way to sleep: the next is made only when the one before has run.
TYPED_TEST(posting, one_at_a_time_wakes_the_loop_each_time) {
    constexpr int rounds = 2'000;
    TypeParam runtime;
    std::atomic<int> answered{0};
    std::jthread poster([&] {
        for (int i = 0; i < rounds; ++i) {
            runtime.post_from_any_thread([&] {
                if (++answered == rounds) runtime.stop();
                answered.notify_one();
            });
            answered.wait(i);
        }
    });
    runtime.run_forever();
    EXPECT_EQ(answered, rounds);
}

TYPED_TEST(posting, wakes_a_loop_that_waits_for_a_far_timer_or_for_input) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await runtime.sleep_for(24h); };
    runtime.spawn(reads());
    runtime.spawn(sleeps());
    std::jthread poster([&] { runtime.post_from_any_thread([&] { runtime.stop(); }); });
    runtime.run_forever();
}

TYPED_TEST(posting, before_the_loop_runs_is_kept_for_it) {
    TypeParam runtime;
    std::vector<int> calls;
    std::jthread([&] {
        for (int i = 0; i < 3; ++i) runtime.post_from_any_thread([&, i] { calls.push_back(i); });
    }).join();
    EXPECT_TRUE(calls.empty());
    runtime.run_until_idle();
    EXPECT_EQ(calls, (std::vector{0, 1, 2}));
}

TYPED_TEST(posting, from_inside_a_posted_function_is_for_a_later_turn) {
    TypeParam runtime;
    int depth = 0;
    auto again = [&](auto& self) -> void {
        if (++depth < 100) runtime.post_from_any_thread([&] { self(self); });
    };
    runtime.post_from_any_thread([&] { again(again); });
    runtime.turn();
    EXPECT_EQ(depth, 1);
    runtime.run_until_idle();
    EXPECT_EQ(depth, 100);
}

TYPED_TEST(posting, can_be_a_stop_that_wakes_the_loop) {
    TypeParam runtime;
    auto sleeps = [&]() -> task<void> { co_await runtime.sleep_for(24h); };
    runtime.spawn(sleeps());
    for (int i = 0; i < 2; ++i) {
        std::jthread stopper([&] { runtime.stop_from_any_thread(); });
        i == 0 ? runtime.run_forever() : runtime.run_until_idle();
    }
    std::jthread([&] { runtime.stop_from_any_thread(); }).join();
    runtime.run_forever();  // asked before it began
}

template <class R>
class posting_in_bursts : public on_design<R> {};
TYPED_TEST_SUITE(posting_in_bursts, counted_designs, design_names);

// Flat-out threads hardly let the loop sleep. These wait together until all that they have posted has run, so
// that it falls asleep between two bursts, or is just about to.
TYPED_TEST(posting_in_bursts, finds_the_loop_asleep_and_loses_nothing) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t bursts = 500;
    constexpr std::size_t burst = 25;
    TypeParam runtime;
    std::atomic<std::size_t> received{0};
    {
        std::vector<std::jthread> posters;
        for (std::size_t poster = 0; poster < threads; ++poster) {
            posters.emplace_back([&] {
                for (std::size_t round = 1; round <= bursts; ++round) {
                    for (std::size_t i = 0; i < burst; ++i) {
                        runtime.post_from_any_thread([&] {
                            const std::size_t count = ++received;
                            if (count % (threads * burst) == 0) received.notify_all();
                            if (count == threads * burst * bursts) runtime.stop();
                        });
                    }
                    for (std::size_t seen = received; seen < round * threads * burst; seen = received)
                        received.wait(seen);
                }
            });
        }
        runtime.run_forever();
    }
    EXPECT_EQ(received, threads * burst * bursts);
    EXPECT_GE(runtime.driver().sleeps(), 1u)
        << "how often is the machine's affair, but everybody waits for it";
}

}  // namespace loopbench::loop::test
