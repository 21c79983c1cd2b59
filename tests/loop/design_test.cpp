// Whether the tests miss a design.
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "tests/loop/counting_driver.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

std::multiset<std::string> names_of_all_designs() {
    std::multiset<std::string> names;
    for_each_design([&]<class R>() { names.emplace(R::name); });
    return names;
}

template <class... R>
std::multiset<std::string> names_in(testing::Types<R...>) {
    return {std::string(R::name)...};
}

}  // namespace

TEST(designs, are_all_tested_on_the_real_and_on_the_manual_clock) {
    EXPECT_EQ(names_in(real_designs{}), names_of_all_designs());
    EXPECT_EQ(names_in(manual_designs{}), names_of_all_designs());
}

// The conformance tests run it with a shorter tick; this is the document's.
TEST(designs, named_loop_tick_sleep_a_hundred_milliseconds_on_every_turn_but_the_first) {
    static_assert(std::is_same_v<tick_design::wait, basic_tick_wait<100>>);
    manual_time::now = manual_time::start;
    runtime<manual<tick_design>> loop;
    for (int turns = 1; turns <= 5; ++turns) {
        loop.post([] {});  // not even with work in the queue
        loop.turn();
        EXPECT_EQ(loop.now() - manual_time::start, (turns - 1) * std::chrono::milliseconds(100));
    }
}

/// In how many of a hundred turns, each with work and nothing to wait for, the kernel is asked.
template <class Design>
std::size_t waits_of_a_hundred_busy_turns() {
    runtime<counted<Design>> loop;
    loop.run(yield_times(loop, 100));  // and the turn that starts it
    return loop.driver().waits();
}

// The documents call select on every turn. The flagships spare the call while no operation is under way, and
// document 003's loop asks only when nothing is ready.
TEST(designs, named_loop_layered_and_loop_asyncio_ask_select_on_every_turn) {
    EXPECT_EQ(waits_of_a_hundred_busy_turns<layered_design>(), 101u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns<asyncio_design>(), 101u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns<scheduler_design>(), 0u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns<poll_design>(), 0u);
    EXPECT_EQ(waits_of_a_hundred_busy_turns<epoll_design>(), 0u);
}

TEST(designs, named_loop_tick_ask_select_on_every_turn) {
    struct fast_tick : fast_tick_design {
        using driver = counting_driver<select_driver>;
    };
    runtime<fast_tick> loop;
    loop.run(yield_times(loop, 100));
    EXPECT_EQ(loop.driver().waits(), 101u);
}

TEST(designs, named_loop_round_robin_never_sleep) {
    manual_time::now = manual_time::start;
    basic_round_robin_runtime<manual<round_robin_design>> loop;
    auto pair = make_unix_pair(loop);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(std::chrono::milliseconds(50)); };
    loop.spawn(reads());
    const std::size_t before = loop.driver().waits();
    loop.run(sleeps());
    EXPECT_EQ(loop.driver().sleeps(), 0u);
    EXPECT_GE(loop.driver().waits() - before, 1'000u) << "it asks on every turn";
}

}  // namespace loopbench::loop::test
