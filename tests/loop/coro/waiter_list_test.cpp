// Tests the order and the lifetime of waiters in a list.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "loop/coro/event.hpp"

namespace loopbench::loop::test {

namespace {

struct numbered : waiter_node {
    explicit numbered(int of) : number(of) {}
    int number;
};

std::vector<int> drain(waiter_list& list) {
    std::vector<int> numbers;
    while (!list.empty()) numbers.push_back(static_cast<numbered&>(list.pop()).number);
    return numbers;
}

}  // namespace

TEST(waiter_lists, the_remaining_waiters_keep_their_order_when_any_waiter_leaves_the_list) {
    for (int leaving = 0; leaving < 4; ++leaving) {
        std::array<numbered, 4> waiters{numbered{0}, numbered{1}, numbered{2}, numbered{3}};
        waiter_list list;
        for (numbered& each : waiters) list.push(each);
        EXPECT_TRUE(waiters[static_cast<std::size_t>(leaving)].unlink());
        EXPECT_FALSE(waiters[static_cast<std::size_t>(leaving)].unlink())
            << "the waiter was already unlinked";
        std::vector<int> expected{0, 1, 2, 3};
        std::erase(expected, leaving);
        EXPECT_EQ(drain(list), expected);
    }
}

TEST(waiter_lists, a_waiter_that_has_left_can_be_added_again) {
    numbered first(1);
    numbered second(2);
    waiter_list list;
    list.push(first);
    list.push(second);
    EXPECT_TRUE(first.unlink());
    list.push(first);
    EXPECT_EQ(drain(list), (std::vector{2, 1}));
}

TEST(waiter_lists, a_destroyed_waiter_leaves_the_list) {
    waiter_list list;
    std::optional<numbered> first(std::in_place, 1);
    numbered second(2);
    std::optional<numbered> third(std::in_place, 3);
    for (numbered* each : {&*first, &second, &*third}) list.push(*each);
    first.reset();
    third.reset();
    EXPECT_EQ(drain(list), std::vector{2});
}

TEST(waiter_lists, a_destroyed_list_releases_its_waiters) {
    numbered left_behind(1);
    {
        waiter_list list;
        list.push(left_behind);
    }
    EXPECT_FALSE(left_behind.unlink());
}

}  // namespace loopbench::loop::test
