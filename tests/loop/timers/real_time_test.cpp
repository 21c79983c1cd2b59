// Tests sleeps on the real clock. The benchmarks measure how late sleeps end.
#include <random>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

}  // namespace

class real_sleeps : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, real_sleeps, all_designs(), design_name);

TEST_P(real_sleeps, sleeps_on_the_real_clock_never_end_early) {
    event_loop& loop = keep(make_loop());
    std::mt19937 random(1);
    int ended = 0;
    auto sleeper = [&](nanoseconds length) -> task<void> {
        for (int i = 0; i < 3; ++i) {
            const time_point deadline = loop.now() + length;
            co_await loop.sleep_until(deadline);
            EXPECT_GE(loop.now(), deadline);
            ++ended;
        }
    };
    for (int i = 0; i < 50; ++i) loop.spawn(sleeper(nanoseconds(random() % 3'000'000)));
    for (const nanoseconds length : {1ns, 999ns, 1'000ns, 999'999ns, 1'000'001ns})
        loop.spawn(sleeper(length));
    auto main = [&]() -> task<void> {
        while (ended < 165) co_await loop.sleep_for(1ms);
    };
    loop.run(main());
}

class waits_for_sleeps : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, waits_for_sleeps, sleeping_designs(), design_name);

// If the loop rounded timeouts down to whole milliseconds, it would poll during the last half millisecond.
TEST_P(waits_for_sleeps, sleeps_of_one_and_a_half_milliseconds_cause_few_waits_of_the_driver) {
    constexpr std::size_t sleeps = 20;
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        for (std::size_t i = 0; i < sleeps; ++i) co_await loop.sleep_for(1'500us);
    };
    loop.run(main());
    EXPECT_LE(clock.waits(), 3 * sleeps);
}

TEST_P(waits_for_sleeps, sleeps_of_a_hundred_microseconds_cause_few_waits_of_the_driver) {
    constexpr std::size_t sleeps = 20;
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        for (std::size_t i = 0; i < sleeps; ++i) co_await loop.sleep_for(100us);
    };
    loop.run(main());
    EXPECT_LE(clock.waits(), 3 * sleeps);
}

// The kernel's types might be too small for such deadlines. The test uses the real clock, because the manual
// clock passes no deadlines to the kernel.
TEST_P(waits_for_sleeps, deadlines_far_in_the_past_or_the_future_cause_no_extra_waits_of_the_driver) {
    event_loop& loop = keep(make_loop());
    auto sleeps = [&](time_point deadline) -> task<void> {
        co_await loop.sleep_until(deadline);
        ADD_FAILURE() << "this test must not take a century";
    };
    constexpr nanoseconds century = std::chrono::hours(24 * 365 * 100);
    for (const time_point far : {loop.now() + century, never - 1ns, never}) loop.spawn(sleeps(far));
    bool called = false;
    loop.call_at(time_point::min() + 1ns, [&] { called = true; });
    auto main = [&]() -> task<void> { co_await loop.sleep_for(1ms); };
    loop.run(main());
    EXPECT_TRUE(called);
    EXPECT_LE(clock.waits(), 5u);
}

}  // namespace loopbench::loop::test
