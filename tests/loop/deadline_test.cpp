// When sleeps end, on the manual clock: never early, in order, whatever the deadline.
#include <algorithm>
#include <random>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

struct observation {
    time_point deadline;
    time_point resumed;
};

template <class R>
task<void> observe_sleep(R& runtime, time_point deadline, std::vector<observation>& seen) {
    co_await runtime.sleep_until(deadline);
    seen.push_back({deadline, runtime.now()});
}

/// Some clustered, some equal, some apart by a nanosecond.
std::vector<time_point> random_deadlines(std::uint32_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::vector<time_point> deadlines;
    while (deadlines.size() < count) {
        const auto near = manual_time::start + nanoseconds(random() % 100'000'000);
        deadlines.insert(deadlines.end(), {near, near, near + 1ns, near - 1ns});
    }
    return deadlines;
}

}  // namespace

/// The next deadline of a loop in which one near timer among many far ones was cancelled, from now.
template <class R>
nanoseconds next_after_a_near_one_is_cancelled(R& loop) {
    const time_point now = loop.now();
    std::vector<call_handle<event_loop<typename design_of<R>::type>>> far;
    for (int i = 0; i < 200; ++i) far.push_back(loop.call_at(now + 10s + i * 1ns, [] {}));
    loop.call_at(now + 1ms, [] {}).cancel();
    const nanoseconds next = loop.next_deadline() - now;
    for (auto& each : far) each.cancel();
    return next;
}

// The wheel places timers by their distance from the last time that it knows: when that is long ago, near and
// far ones are thrown together, and are placed a second time when they could have run.
TEST(wheel, of_a_loop_that_is_new_or_had_no_timers_for_long_knows_the_time) {
    manual_time::now = manual_time::start;
    runtime<manual<epoll_design>> loop;
    EXPECT_EQ(next_after_a_near_one_is_cancelled(loop), 10s);
    manual_time::pass(std::chrono::hours(1000));
    EXPECT_EQ(next_after_a_near_one_is_cancelled(loop), 10s);
}

template <class R>
class deadlines : public on_design<R> {};
TYPED_TEST_SUITE(deadlines, manual_designs, design_names);

TYPED_TEST(deadlines, are_never_met_early_not_even_by_a_nanosecond) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        manual_time::now = manual_time::start;
        TypeParam runtime;
        const auto all = random_deadlines(seed, 200);
        std::vector<observation> seen;
        for (const time_point deadline : all) runtime.spawn(observe_sleep(runtime, deadline, seen));
        runtime.run_until_idle();
        ASSERT_EQ(seen.size(), all.size()) << "seed " << seed;
        for (const observation& sleep : seen) {
            ASSERT_GE(sleep.resumed, sleep.deadline) << "seed " << seed;
            ASSERT_LE(sleep.resumed - sleep.deadline, this->late_max()) << "seed " << seed;
        }
    }
}

TYPED_TEST(deadlines, are_met_in_their_order) {
    if (!TypeParam::timer_queue::ordered || this->is("loop-round-robin"))
        GTEST_SKIP() << TypeParam::name
                     << " runs what is due in the order of its start, as its document does";
    TypeParam runtime;
    std::vector<observation> seen;
    for (const time_point deadline : random_deadlines(6, 200))
        runtime.spawn(observe_sleep(runtime, deadline, seen));
    runtime.run_until_idle();
    EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &observation::deadline));
}

TEST(deadline_after, is_bounded_by_now_and_never) {
    constexpr time_point now{1h};
    static_assert(deadline_after(now, 1ns) == now + 1ns);
    static_assert(deadline_after(now, 0ns) == now);
    static_assert(deadline_after(now, -1ns) == now);
    static_assert(deadline_after(now, nanoseconds::min()) == now);
    static_assert(deadline_after(now, nanoseconds::max()) == never);
    EXPECT_EQ(deadline_after(now, never - now), never);
    EXPECT_EQ(deadline_after(now, never - now - 1ns), never - 1ns);
}

TYPED_TEST(deadlines, that_have_passed_are_met_on_the_next_turn) {
    TypeParam runtime;
    const time_point now = runtime.now();
    std::vector<observation> seen;
    for (const time_point past : {now, now - 1ns, now - 24h, time_point{}, time_point::min()})
        runtime.spawn(observe_sleep(runtime, past, seen));
    runtime.turn();  // they start
    EXPECT_TRUE(seen.empty()) << "a sleep goes through the queue, even when its time has passed";
    runtime.turn();
    EXPECT_EQ(seen.size(), 5u);
}

TYPED_TEST(deadlines, of_calls_that_have_passed_are_met_without_waiting) {
    TypeParam runtime;
    const time_point now = runtime.now();
    int calls = 0;
    for (const time_point past : {now, now - 1ns, now - 24h, time_point{}, time_point::min()})
        runtime.call_at(past, [&] { ++calls; });
    runtime.call_later(-1h, [&] { ++calls; });
    runtime.turn();
    EXPECT_EQ(calls, 6);
    EXPECT_LE(runtime.now() - now, this->late_max());
}

TYPED_TEST(deadlines, of_negative_and_zero_sleeps_are_now) {
    TypeParam runtime;
    auto sleeps = [&]() -> task<void> {
        const time_point before = runtime.now();
        co_await runtime.sleep_for(0ns);
        co_await runtime.sleep_for(-1ns);
        co_await runtime.sleep_for(nanoseconds::min());
        EXPECT_LE(runtime.now() - before, 4 * this->late_max());  // a turn for each
    };
    runtime.run(sleeps());
}

TYPED_TEST(deadlines, beyond_the_clock_are_never_met_and_hold_nothing_up) {
    TypeParam runtime;
    std::vector<observation> seen;
    std::vector<task_handle<void>> sleepers;
    sleepers.push_back(create_task(runtime, observe_sleep(runtime, never, seen)));
    sleepers.push_back(create_task(runtime, observe_sleep(runtime, never - 1ns, seen)));
    const time_point overflowing = deadline_after(runtime.now(), nanoseconds::max());
    EXPECT_EQ(overflowing, never);
    sleepers.push_back(create_task(runtime, observe_sleep(runtime, overflowing, seen)));
    EXPECT_FALSE(runtime.call_at(never, [] { ADD_FAILURE(); }).pending());
    auto main = [&]() -> task<void> {
        co_await runtime.sleep_for(50ms);
        EXPECT_TRUE(seen.empty());
        for (const auto& sleeper : sleepers) sleeper.cancel();
        co_await yield_times(runtime, 2);
    };
    runtime.run(main());
    for (const auto& sleeper : sleepers) EXPECT_EQ(ending_of(sleeper.outcome()), "cancelled");
}

TYPED_TEST(deadlines, that_never_come_keep_no_loop_running) {
    if (this->is("loop-round-robin")) GTEST_SKIP() << TypeParam::name << " asks the clock on every turn";
    TypeParam runtime;
    std::vector<observation> seen;
    const auto sleeper = create_task(runtime, observe_sleep(runtime, never, seen));
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(sleeper.outcome()), "still running");
    sleeper.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(sleeper.outcome()), "cancelled");
}

TYPED_TEST(deadlines, in_a_hundred_years_are_met_in_a_hundred_years) {
    if (this->late_max() != 0ns && !this->is("loop-precise"))
        GTEST_SKIP() << TypeParam::name << " looks at the clock too often to get there";
    TypeParam runtime;
    constexpr nanoseconds century = std::chrono::hours(24 * 365 * 100);
    std::vector<observation> seen;
    const time_point deadline = runtime.now() + century;
    runtime.run(observe_sleep(runtime, deadline, seen));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_GE(seen[0].resumed, deadline);
    EXPECT_LE(seen[0].resumed - deadline, this->late_max());
    EXPECT_LE(runtime.driver().sleeps(), 10u) << "timers do not wake the loop on their way";
}

TYPED_TEST(deadlines, of_many_sleeps_cost_one_wait_each) {
    if (this->is("loop-tick") || this->is("loop-round-robin"))
        GTEST_SKIP() << TypeParam::name << " does not sleep until deadlines";
    constexpr std::size_t sleeps = 100;
    TypeParam runtime;
    auto main = [&]() -> task<void> {
        for (std::size_t i = 0; i < sleeps; ++i) co_await runtime.sleep_for(1'500us + 1ns);
    };
    runtime.run(main());
    EXPECT_EQ(runtime.driver().sleeps(), sleeps);
}

// The wait for I/O ends the kernel's way, and that for a time on the manual clock: both in one loop.
TYPED_TEST(deadlines, and_input_are_waited_for_together) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    std::vector<std::string> order;
    auto reader = [&]() -> task<void> { order.push_back(co_await read_text(pair.one)); };
    runtime.spawn(reader());
    runtime.call_later(200ms, [&] { put(pair.other.native_handle(), "input"); });
    runtime.call_later(100ms, [&] { order.push_back("before"); });
    runtime.call_later(500ms, [&] { order.push_back("after"); });
    runtime.run_until_idle();
    EXPECT_EQ(order, (std::vector<std::string>{"before", "input", "after"}));
}

}  // namespace loopbench::loop::test
