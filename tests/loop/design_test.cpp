// Whether the tests miss a design.
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

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
