// Tests the list of designs, and how often each design asks the kernel for events.
#include <chrono>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

TEST(designs, each_design_can_be_found_by_its_unique_name) {
    std::set<std::string_view> names;
    for (const design& each : designs()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_EQ(find_design(each.name), &each);
        EXPECT_FALSE(each.about.empty()) << each.name;
    }
    EXPECT_EQ(find_design("loop-unknown"), nullptr);
    EXPECT_THROW(make_loop("loop-unknown"), std::invalid_argument);
}

class every_design : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, every_design, all_designs(), design_name);

TEST_P(every_design, the_loop_of_a_design_has_the_name_of_the_design) {
    EXPECT_EQ(make_loop()->name(), GetParam());
}

TEST_P(every_design, three_steps_run_a_hundred_posted_callbacks) {
    const auto owner = make_loop();
    int ran = 0;
    for (int i = 0; i < 100; ++i) owner->post([&] { ++ran; });
    for (int steps = 0; steps < 3; ++steps) owner->step(1000, do_not_wait);
    EXPECT_EQ(ran, 100);
}

// The fixtures in support.hpp compare the names of designs. They would silently treat a new or renamed design
// in the wrong way.
TEST(designs, the_list_of_designs_in_this_test_is_complete) {
    std::multiset<std::string_view> names;
    for (const design& each : designs()) names.insert(each.name);
    EXPECT_EQ(names, (std::multiset<std::string_view>{"loop-round-robin", "loop-tick", "loop-layered",
                                                      "loop-scheduler", "loop-asyncio", "loop-poll",
                                                      "loop-epoll", "loop-uring", "loop-precise"}));
}

// This test uses the tutorial's tick of 100 ms. The conformance tests use a tick of 1 ms.
TEST(designs, loop_tick_sleeps_a_hundred_milliseconds_on_every_turn_except_the_first) {
    manual_time::now = manual_time::start;
    manual_clock clock;
    const auto owner = make_loop("loop-tick", &clock);
    event_loop& loop = *owner;
    for (int turns = 1; turns <= 5; ++turns) {
        loop.post([] {});
        loop.turn();
        EXPECT_EQ(loop.now() - manual_time::start, (turns - 1) * std::chrono::milliseconds(100));
    }
}

std::size_t waits_of_a_hundred_busy_turns(std::string_view design) {
    counting_clock clock;
    const auto owner = make_loop(design, &clock);
    event_loop& loop = *owner;
    loop.run(yield_times(loop, 100));
    return clock.waits();
}

// loop-layered and loop-asyncio call select on every turn, as their tutorials do. loop-scheduler (tutorial
// 003) calls select only when no task is ready. loop-poll and loop-epoll do not ask the kernel while no
// operation is pending.
TEST(designs, loop_layered_and_loop_asyncio_call_select_on_every_turn) {
    EXPECT_EQ(waits_of_a_hundred_busy_turns("loop-layered"), 101u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns("loop-asyncio"), 101u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns("loop-scheduler"), 0u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns("loop-poll"), 0u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns("loop-epoll"), 0u);
}

TEST(designs, loop_tick_calls_select_on_every_turn) {
    EXPECT_EQ(waits_of_a_hundred_busy_turns("loop-tick"), 101u);
}

TEST(designs, loop_round_robin_never_sleeps) {
    manual_time::now = manual_time::start;
    manual_clock clock(std::chrono::microseconds(1));
    const auto owner = make_loop("loop-round-robin", &clock);
    event_loop& loop = *owner;
    auto pair = make_unix_pair(loop);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(std::chrono::milliseconds(50)); };
    loop.spawn(reads());
    const std::size_t before = clock.waits();
    loop.run(sleeps());
    EXPECT_EQ(clock.sleeps(), 0u);
    EXPECT_GE(clock.waits() - before, 1'000u) << "the loop must ask the kernel on every turn";
}

}  // namespace loopbench::loop::test
