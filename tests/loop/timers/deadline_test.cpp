// Tests sleeps on the manual clock.
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

task<void> observe_sleep(event_loop& loop, time_point deadline, std::vector<observation>& seen) {
    co_await loop.sleep_until(deadline);
    seen.push_back({deadline, loop.now()});
}

/// Returns at least `count` random deadlines. Each of them occurs twice, and also one nanosecond earlier and
/// one nanosecond later.
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

namespace {

/// Returns how long the loop's next turn sleeps after a timer that is due in 1 ms is cancelled. Many other
/// timers are due in 10 s.
nanoseconds sleep_after_a_near_one_is_cancelled(event_loop& loop) {
    const time_point now = loop.now();
    std::vector<call_handle> far;
    for (int i = 0; i < 200; ++i) far.push_back(loop.call_at(now + 10s + i * 1ns, [] {}));
    loop.call_at(now + 1ms, [] {}).cancel();
    loop.turn();
    const nanoseconds slept = loop.now() - now;
    for (auto& each : far) each.cancel();
    return slept;
}

}  // namespace

// The wheel places a timer by its distance from the wheel's last known time. If that time is long ago, near
// and far timers share a slot. The loop then wakes up too early, only to place the far timers again.
TEST(wheel, the_wheel_of_a_new_or_long_idle_loop_places_timers_relative_to_the_current_time) {
    manual_time::now = manual_time::start;
    manual_clock clock;
    const auto owner = make_loop("loop-epoll", &clock);
    event_loop& loop = *owner;
    EXPECT_EQ(sleep_after_a_near_one_is_cancelled(loop), 10s);
    manual_time::pass(std::chrono::hours(1000));
    EXPECT_EQ(sleep_after_a_near_one_is_cancelled(loop), 10s);
}

class deadlines : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, deadlines, all_designs(), design_name);

TEST_P(deadlines, no_sleep_ends_even_a_nanosecond_early) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        manual_time::now = manual_time::start;
        const auto owner = make_loop();
        event_loop& loop = *owner;
        const auto all = random_deadlines(seed, 200);
        std::vector<observation> seen;
        for (const time_point deadline : all) loop.spawn(observe_sleep(loop, deadline, seen));
        loop.run_until_idle();
        ASSERT_EQ(seen.size(), all.size()) << "seed " << seed;
        for (const observation& sleep : seen) {
            ASSERT_GE(sleep.resumed, sleep.deadline) << "seed " << seed;
            ASSERT_LE(sleep.resumed - sleep.deadline, late_max()) << "seed " << seed;
        }
    }
}

TEST_P(deadlines, sleeps_end_in_the_order_of_their_deadlines) {
    if (is("loop-layered") || is("loop-round-robin"))
        GTEST_SKIP() << GetParam() << " runs due sleeps in the order of their start, as its tutorial does";
    event_loop& loop = keep(make_loop());
    std::vector<observation> seen;
    for (const time_point deadline : random_deadlines(6, 200))
        loop.spawn(observe_sleep(loop, deadline, seen));
    loop.run_until_idle();
    EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &observation::deadline));
}

TEST(deadline_after, any_delay_gives_a_deadline_between_now_and_the_latest_time_of_the_clock) {
    constexpr time_point now{1h};
    static_assert(deadline_after(now, 1ns) == now + 1ns);
    static_assert(deadline_after(now, 0ns) == now);
    static_assert(deadline_after(now, -1ns) == now);
    static_assert(deadline_after(now, nanoseconds::min()) == now);
    static_assert(deadline_after(now, nanoseconds::max()) == never);
    EXPECT_EQ(deadline_after(now, never - now), never);
    EXPECT_EQ(deadline_after(now, never - now - 1ns), never - 1ns);
}

TEST_P(deadlines, sleeps_until_past_deadlines_end_in_the_next_turn) {
    event_loop& loop = keep(make_loop());
    const time_point now = loop.now();
    std::vector<observation> seen;
    for (const time_point past : {now, now - 1ns, now - 24h, time_point{}, time_point::min()})
        loop.spawn(observe_sleep(loop, past, seen));
    loop.turn();
    EXPECT_TRUE(seen.empty()) << "an overdue sleep must also end through the ready queue";
    loop.turn();
    EXPECT_EQ(seen.size(), 5u);
}

TEST_P(deadlines, calls_with_past_deadlines_run_in_the_next_turn) {
    event_loop& loop = keep(make_loop());
    const time_point now = loop.now();
    int calls = 0;
    for (const time_point past : {now, now - 1ns, now - 24h, time_point{}, time_point::min()})
        loop.call_at(past, [&] { ++calls; });
    loop.call_later(-1h, [&] { ++calls; });
    loop.turn();
    EXPECT_EQ(calls, 6);
    EXPECT_LE(loop.now() - now, late_max());
}

TEST_P(deadlines, negative_and_zero_sleeps_end_after_one_turn) {
    event_loop& loop = keep(make_loop());
    auto sleeps = [&]() -> task<void> {
        const time_point before = loop.now();
        co_await loop.sleep_for(0ns);
        co_await loop.sleep_for(-1ns);
        co_await loop.sleep_for(nanoseconds::min());
        EXPECT_LE(loop.now() - before, 4 * late_max());
    };
    loop.run(sleeps());
}

TEST_P(deadlines, sleeps_until_the_latest_times_of_the_clock_never_end_and_delay_no_other_sleep) {
    event_loop& loop = keep(make_loop());
    std::vector<observation> seen;
    std::vector<task_handle<void>> sleepers;
    sleepers.push_back(create_task(loop, observe_sleep(loop, never, seen)));
    sleepers.push_back(create_task(loop, observe_sleep(loop, never - 1ns, seen)));
    const time_point overflowing = deadline_after(loop.now(), nanoseconds::max());
    EXPECT_EQ(overflowing, never);
    sleepers.push_back(create_task(loop, observe_sleep(loop, overflowing, seen)));
    EXPECT_FALSE(loop.call_at(never, [] { ADD_FAILURE(); }).pending());
    auto main = [&]() -> task<void> {
        co_await loop.sleep_for(50ms);
        EXPECT_TRUE(seen.empty());
        for (const auto& sleeper : sleepers) sleeper.cancel();
        co_await yield_times(loop, 2);
    };
    loop.run(main());
    for (const auto& sleeper : sleepers) EXPECT_EQ(ending_of(sleeper.outcome()), "cancelled");
}

TEST_P(deadlines, run_until_idle_does_not_wait_for_endless_sleeps) {
    if (is("loop-round-robin")) GTEST_SKIP() << GetParam() << " reads the clock on every turn";
    event_loop& loop = keep(make_loop());
    std::vector<observation> seen;
    const auto sleeper = create_task(loop, observe_sleep(loop, never, seen));
    loop.run_until_idle();
    EXPECT_EQ(ending_of(sleeper.outcome()), "still running");
    sleeper.cancel();
    loop.run_until_idle();
    EXPECT_EQ(ending_of(sleeper.outcome()), "cancelled");
}

TEST_P(deadlines, a_sleep_of_a_hundred_years_ends_after_a_hundred_years) {
    if (late_max() != 0ns && !is("loop-precise"))
        GTEST_SKIP() << GetParam() << " advances the clock in steps that are too short for a hundred years";
    event_loop& loop = keep(make_loop());
    constexpr nanoseconds century = std::chrono::hours(24 * 365 * 100);
    std::vector<observation> seen;
    const time_point deadline = loop.now() + century;
    loop.run(observe_sleep(loop, deadline, seen));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_GE(seen[0].resumed, deadline);
    EXPECT_LE(seen[0].resumed - deadline, late_max());
    EXPECT_LE(clock.sleeps(), 10u) << "moving timers inside the wheel must not wake the loop";
}

TEST_P(deadlines, each_of_many_sleeps_makes_the_loop_wait_exactly_once) {
    if (is("loop-tick") || is("loop-round-robin"))
        GTEST_SKIP() << GetParam() << " does not sleep until deadlines";
    constexpr std::size_t sleeps = 100;
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        for (std::size_t i = 0; i < sleeps; ++i) co_await loop.sleep_for(1'500us + 1ns);
    };
    loop.run(main());
    EXPECT_EQ(clock.sleeps(), sleeps);
}

TEST_P(deadlines, a_loop_waits_for_deadlines_and_input_at_the_same_time) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    std::vector<std::string> order;
    auto reader = [&]() -> task<void> { order.push_back(co_await read_text(pair.one)); };
    loop.spawn(reader());
    loop.call_later(200ms, [&] { put(pair.other.native_handle(), "input"); });
    loop.call_later(100ms, [&] { order.push_back("before"); });
    loop.call_later(500ms, [&] { order.push_back("after"); });
    loop.run_until_idle();
    EXPECT_EQ(order, (std::vector<std::string>{"before", "input", "after"}));
}

}  // namespace loopbench::loop::test
