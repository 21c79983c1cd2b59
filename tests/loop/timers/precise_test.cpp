// Tests the precise wait policy, which wakes up before a deadline and then spins. The time between the
// wake-up and the deadline is the policy's guard. The policy learns the guard's length from the lateness of
// earlier wake-ups.
#include <random>

#include "loop/timers/precise_wait.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

void record_often(wakeup_guard& guard, nanoseconds error, int times) {
    for (int i = 0; i < times; ++i) guard.record(error);
}

}  // namespace

TEST(wakeup_guard, the_guard_grows_with_late_wake_ups_up_to_a_maximum) {
    wakeup_guard guard;
    const nanoseconds at_first = guard.value();
    guard.record(at_first + 1ns);
    EXPECT_GT(guard.value(), at_first);
    record_often(guard, 1h, 1'000);
    EXPECT_EQ(guard.value(), wakeup_guard::longest);
}

TEST(wakeup_guard, the_guard_shrinks_with_punctual_wake_ups_down_to_a_minimum) {
    wakeup_guard guard;
    const nanoseconds at_first = guard.value();
    guard.record(0ns);
    EXPECT_LT(guard.value(), at_first);
    record_often(guard, 0ns, 10'000);
    EXPECT_EQ(guard.value(), wakeup_guard::shortest);
    record_often(guard, -1h, 10);
    EXPECT_EQ(guard.value(), wakeup_guard::shortest);
}

TEST(wakeup_guard, a_guard_that_has_shrunk_to_its_minimum_can_grow_again) {
    wakeup_guard guard;
    record_often(guard, 0ns, 10'000);
    record_often(guard, 100us, 100);
    EXPECT_GE(guard.value(), 90us);
}

TEST(wakeup_guard, a_few_extremely_late_wake_ups_change_the_guard_only_temporarily) {
    wakeup_guard guard;
    record_often(guard, 20us, 10'000);
    const nanoseconds at_rest = guard.value();
    guard.record(10s);
    EXPECT_LE(guard.value(), at_rest + at_rest / 5);
    record_often(guard, 10s, 5);
    EXPECT_GE(guard.value(), at_rest + at_rest / 2);
    record_often(guard, 20us, 2'000);
    EXPECT_LE(guard.value(), at_rest + at_rest / 5);
}

TEST(wakeup_guard, the_guard_settles_at_a_length_at_which_one_wake_up_in_two_hundred_is_late) {
    wakeup_guard guard;
    std::mt19937 random(1);
    std::exponential_distribution<double> error_us(1.0 / 20);
    int late = 0;
    constexpr int counted = 100'000;
    for (int i = 0; i < 2 * counted; ++i) {
        const nanoseconds error{static_cast<std::int64_t>(1'000 * error_us(random))};
        late += i >= counted && error > guard.value();
        guard.record(error);
    }
    EXPECT_GE(late, counted * 4 / 1000);
    EXPECT_LE(late, counted * 6 / 1000);
}

TEST(wakeup_guard, deadlines_that_are_too_near_for_a_sleep_shrink_the_guard) {
    wakeup_guard guard;
    for (int i = 0; i < 10'000; ++i) guard.record_none();
    EXPECT_EQ(guard.value(), wakeup_guard::shortest);
}

class precise_waits : public testing::Test {
protected:
    static constexpr nanoseconds step = 1us;

    void SetUp() override { manual_time::now = manual_time::start; }
    void TearDown() override { manual_time::oversleep = 0ns; }

    static nanoseconds worst_lateness(nanoseconds oversleep) {
        manual_time::oversleep = oversleep;
        manual_clock clock(step);
        const auto owner = make_loop("loop-precise", &clock);
        event_loop& loop = *owner;
        nanoseconds worst{};
        auto main = [&]() -> task<void> {
            for (int i = 0; i < 10; ++i) {
                const time_point deadline = loop.now() + 1ms;
                co_await loop.sleep_until(deadline);
                const nanoseconds lateness = loop.now() - deadline;
                EXPECT_GE(lateness, 0ns);
                worst = std::max(worst, lateness);
            }
            EXPECT_EQ(clock.sleeps(), 10u) << "each of the ten waits must sleep once, until its guard begins";
        };
        loop.run(main());
        return worst;
    }
};

TEST_F(precise_waits, precise_waits_compensate_for_late_wake_ups) {
    EXPECT_LE(worst_lateness(0us), 5 * step);
    EXPECT_LE(worst_lateness(50us), 5 * step);
}

TEST_F(precise_waits, precise_waits_cannot_compensate_for_wake_ups_that_are_later_than_the_guard) {
    EXPECT_GE(worst_lateness(500us), 300us) << "wake-ups that are 500 us late must make the waits late";
}

// Late wake-ups first make the guard longer than the time between two deadlines. The loop then only spins.
TEST_F(precise_waits, a_loop_that_spins_because_its_guard_is_too_long_learns_to_sleep_again) {
    manual_clock clock(step);
    const auto owner = make_loop("loop-precise", &clock);
    event_loop& loop = *owner;
    auto sleeps = [&](nanoseconds period, int count) -> task<void> {
        const time_point start = loop.now();
        for (int i = 1; i <= count; ++i) co_await loop.sleep_until(start + i * period);
    };
    manual_time::oversleep = 500us;
    loop.run(sleeps(1ms, 50));
    manual_time::oversleep = 0us;
    const std::size_t before = clock.sleeps();
    loop.run(sleeps(100us, 200));
    EXPECT_EQ(clock.sleeps(), before) << "the guard must have the length that this test expects";
    loop.run(sleeps(100us, 3'000));
    EXPECT_GT(clock.sleeps(), before + 100);
}

TEST_F(precise_waits, a_spinning_wait_ends_early_for_posts_and_input) {
    manual_clock clock(step);
    const auto owner = make_loop("loop-precise", &clock);
    event_loop& loop = *owner;
    auto pair = make_unix_pair(loop);
    std::vector<std::string> order;
    auto reads = [&]() -> task<void> { order.push_back(co_await read_text(pair.one)); };
    auto main = [&]() -> task<void> {
        loop.spawn(reads());
        co_await loop.yield();
        // The deadline is nearer than the guard, so the loop does not sleep.
        const time_point deadline = loop.now() + wakeup_guard::shortest;
        loop.call_at(deadline, [&] { order.push_back("timer"); });
        put(pair.other.native_handle(), "input");
        co_await loop.sleep_until(deadline + 1us);
    };
    loop.run(main());
    EXPECT_EQ(order, (std::vector<std::string>{"input", "timer"}));
}

}  // namespace loopbench::loop::test
