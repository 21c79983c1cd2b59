// The queue of operations that are ready to run, and the spin that waits for the next post.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "loop/operation.hpp"
#include "loop/posting.hpp"

namespace loopbench::loop {

namespace {

using operations = std::array<operation, 4>;

std::vector<operation*> numbers_in(operation_queue& queue) {
    std::vector<operation*> order;
    while (!queue.empty()) order.push_back(&queue.pop());
    return order;
}

}  // namespace

TEST(operation_queue, operations_leave_in_the_order_in_which_they_came) {
    operations ops{};
    operation_queue queue;
    EXPECT_TRUE(queue.empty());
    for (operation& op : ops) queue.push(op);
    EXPECT_EQ(&queue.front(), &ops[0]);
    EXPECT_EQ(numbers_in(queue), (std::vector{&ops[0], &ops[1], &ops[2], &ops[3]}));
}

TEST(operation_queue, an_emptied_queue_is_as_good_as_new) {
    operations ops{};
    operation_queue queue;
    for (int round = 0; round < 2; ++round) {
        queue.push(ops[0]);
        queue.push(ops[1]);
        EXPECT_EQ(numbers_in(queue), (std::vector{&ops[0], &ops[1]}));
        EXPECT_TRUE(queue.empty());
    }
}

TEST(operation_queue, a_move_takes_the_operations_out_of_the_queue) {
    operations ops{};
    operation_queue queue;
    queue.push(ops[0]);
    queue.push(ops[1]);
    operation_queue batch(std::move(queue));
    queue.push(ops[2]);
    EXPECT_EQ(numbers_in(batch), (std::vector{&ops[0], &ops[1]}));
    EXPECT_EQ(numbers_in(queue), (std::vector{&ops[2]}));
}

TEST(operation_queue, a_prepended_rest_comes_before_what_was_pushed_meanwhile) {
    operations ops{};
    operation_queue queue;
    operation_queue rest;
    rest.push(ops[0]);
    rest.push(ops[1]);
    queue.push(ops[2]);
    queue.prepend(std::move(rest));
    queue.push(ops[3]);
    EXPECT_EQ(numbers_in(queue), (std::vector{&ops[0], &ops[1], &ops[2], &ops[3]}));
}

TEST(operation_queue, an_empty_queue_takes_pushes_after_a_rest_was_prepended) {
    operations ops{};
    operation_queue queue;
    operation_queue rest;
    rest.push(ops[0]);
    rest.push(ops[1]);
    queue.prepend(std::move(rest));
    queue.push(ops[2]);
    operation_queue nothing;
    queue.prepend(std::move(nothing));
    EXPECT_EQ(numbers_in(queue), (std::vector{&ops[0], &ops[1], &ops[2]}));
}

TEST(operation_queue, the_first_a_middle_and_the_last_operation_can_be_removed) {
    for (const std::size_t taken : {0u, 1u, 3u}) {
        operations ops{};
        operation_queue queue;
        std::vector<operation*> expected;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            queue.push(ops[i]);
            if (i != taken) expected.push_back(&ops[i]);
        }
        EXPECT_TRUE(queue.remove(ops[taken]));
        EXPECT_FALSE(queue.remove(ops[taken])) << "it was already removed";
        queue.push(ops[taken]);  // now it comes last
        expected.push_back(&ops[taken]);
        EXPECT_EQ(numbers_in(queue), expected);
    }
}

// At the end of a loop, operations arrive in several ways.
TEST(ready_queue, a_closed_queue_discards_what_is_in_it_and_what_comes_later) {
    struct counting : operation {
        counting() : operation{nullptr, &count} {}
        static void count(operation* op, completion how) {
            static_cast<counting*>(op)->discards += how == completion::discard ? 1 : 100;
        }
        int discards = 0;
    };
    counting ops[3];
    ready_queue ready;
    ready.push(ops[0]);
    EXPECT_FALSE(ready.closed());
    ready.close();
    EXPECT_TRUE(ready.closed());
    EXPECT_EQ(ops[0].discards, 1);
    ready.push(ops[1]);
    operation_stack posted;
    posted.push(ops[2]);
    posted.take_all(ready);
    EXPECT_TRUE(ready.empty());
    for (const counting& op : ops) EXPECT_EQ(op.discards, 1) << &op - ops;
}

TEST(adaptive_spin, a_spin_ends_with_the_first_look_that_finds_something) {
    adaptive_spin spin;
    for (const int found_by : {1, 2, adaptive_spin::looks_max}) {
        int looks = 0;
        EXPECT_TRUE(spin.until([&] { return ++looks == found_by; }));
        EXPECT_EQ(looks, found_by);
    }
}

// A look without a spin would have found it, so it does not encourage the next spin.
TEST(adaptive_spin, a_spin_does_not_pay_if_something_was_there_before) {
    adaptive_spin spin;
    int looks = 0;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(spin.until([] { return true; }));
        EXPECT_FALSE(spin.until([&] { return ++looks, false; }));
    }
    EXPECT_LT(looks, 1000 + static_cast<int>(adaptive_spin::vain_max) * adaptive_spin::looks_max);
}

TEST(adaptive_spin, a_spin_in_vain_is_hardly_ever_tried_again_until_it_pays) {
    adaptive_spin spin;
    const auto tries_in_vain = [&](unsigned times) {
        unsigned tries = 0;
        for (unsigned i = 0; i < times; ++i) {
            int looks = 0;
            EXPECT_FALSE(spin.until([&] { return ++looks, false; }));
            tries += looks > 1;
        }
        return tries;
    };
    const auto pays = [&] {
        int looks = 0;
        return spin.until([&] { return ++looks == 2; });
    };
    EXPECT_EQ(tries_in_vain(1000), adaptive_spin::vain_max);
    EXPECT_EQ(tries_in_vain(10 * adaptive_spin::tried_once_in), 10u);
    unsigned waits = 1;
    while (waits <= adaptive_spin::tried_once_in && !pays()) ++waits;
    EXPECT_LE(waits, adaptive_spin::tried_once_in);
    EXPECT_TRUE(pays()) << "and each time afterwards";
    EXPECT_EQ(tries_in_vain(1000), adaptive_spin::vain_max);
}

}  // namespace loopbench::loop
