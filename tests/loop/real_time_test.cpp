// Sleeps on the real clock: not early by a nanosecond, and without polling for the last fraction of a
// millisecond. How late they are is for the benchmarks to say, not for a test.
#include <random>

#include "tests/loop/counting_driver.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

}  // namespace

template <class R>
class real_sleeps : public on_design<R> {};
TYPED_TEST_SUITE(real_sleeps, real_designs, design_names);

TYPED_TEST(real_sleeps, are_never_early) {
    TypeParam runtime;
    std::mt19937 random(1);
    int ended = 0;
    auto sleeper = [&](nanoseconds length) -> task<void> {
        for (int i = 0; i < 3; ++i) {
            const time_point deadline = runtime.now() + length;
            co_await runtime.sleep_until(deadline);
            EXPECT_GE(runtime.now(), deadline);
            ++ended;
        }
    };
    for (int i = 0; i < 50; ++i) runtime.spawn(sleeper(nanoseconds(random() % 3'000'000)));
    for (const nanoseconds length : {1ns, 999ns, 1'000ns, 999'999ns, 1'000'001ns})
        runtime.spawn(sleeper(length));
    auto main = [&]() -> task<void> {
        while (ended < 165) co_await runtime.sleep_for(1ms);
    };
    runtime.run(main());
}

template <class R>
class waits_for_sleeps : public on_design<R> {};
TYPED_TEST_SUITE(waits_for_sleeps, counted_designs, design_names);

// A timeout that is cut to whole milliseconds leaves a rest of which every microsecond is polled for.
TYPED_TEST(waits_for_sleeps, of_a_millisecond_and_a_half_are_a_handful) {
    constexpr std::size_t sleeps = 20;
    TypeParam runtime;
    auto main = [&]() -> task<void> {
        for (std::size_t i = 0; i < sleeps; ++i) co_await runtime.sleep_for(1'500us);
    };
    runtime.run(main());
    EXPECT_LE(runtime.driver().waits(), 3 * sleeps);
}

TYPED_TEST(waits_for_sleeps, of_a_hundred_microseconds_are_a_handful) {
    constexpr std::size_t sleeps = 20;
    TypeParam runtime;
    auto main = [&]() -> task<void> {
        for (std::size_t i = 0; i < sleeps; ++i) co_await runtime.sleep_for(100us);
    };
    runtime.run(main());
    EXPECT_LE(runtime.driver().waits(), 3 * sleeps);
}

// What the manual driver keeps from the kernel's timers: deadlines that do not fit where they have to go.
TYPED_TEST(waits_for_sleeps, are_not_disturbed_by_deadlines_of_long_ago_or_in_a_hundred_years) {
    TypeParam runtime;
    auto sleeps = [&](time_point deadline) -> task<void> {
        co_await runtime.sleep_until(deadline);
        ADD_FAILURE() << "this test takes no century";
    };
    constexpr nanoseconds century = std::chrono::hours(24 * 365 * 100);
    for (const time_point far : {runtime.now() + century, never - 1ns, never}) runtime.spawn(sleeps(far));
    bool called = false;
    runtime.call_at(time_point::min() + 1ns, [&] { called = true; });
    auto main = [&]() -> task<void> { co_await runtime.sleep_for(1ms); };
    runtime.run(main());
    EXPECT_TRUE(called);
    EXPECT_LE(runtime.driver().waits(), 5u);
}

}  // namespace loopbench::loop::test
