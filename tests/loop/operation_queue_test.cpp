// Tests the queue of ready operations and the adaptive spin.
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

TEST(operation_queue, operations_leave_the_queue_in_the_order_of_their_arrival) {
    operations ops{};
    operation_queue queue;
    EXPECT_TRUE(queue.empty());
    for (operation& op : ops) queue.push(op);
    EXPECT_EQ(&queue.front(), &ops[0]);
    EXPECT_EQ(numbers_in(queue), (std::vector{&ops[0], &ops[1], &ops[2], &ops[3]}));
}

TEST(operation_queue, an_emptied_queue_can_be_used_again) {
    operations ops{};
    operation_queue queue;
    for (int round = 0; round < 2; ++round) {
        queue.push(ops[0]);
        queue.push(ops[1]);
        EXPECT_EQ(numbers_in(queue), (std::vector{&ops[0], &ops[1]}));
        EXPECT_TRUE(queue.empty());
    }
}

TEST(operation_queue, moving_a_queue_moves_all_operations_and_leaves_the_source_queue_empty) {
    operations ops{};
    operation_queue queue;
    queue.push(ops[0]);
    queue.push(ops[1]);
    operation_queue batch(std::move(queue));
    queue.push(ops[2]);
    EXPECT_EQ(numbers_in(batch), (std::vector{&ops[0], &ops[1]}));
    EXPECT_EQ(numbers_in(queue), (std::vector{&ops[2]}));
}

TEST(operation_queue, prepended_operations_run_before_operations_that_were_already_in_the_queue) {
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

TEST(operation_queue, pushes_work_after_a_prepend_to_an_empty_queue) {
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

TEST(operation_queue, operations_at_any_position_of_the_queue_can_be_removed) {
    for (const std::size_t taken : {0u, 1u, 3u}) {
        operations ops{};
        operation_queue queue;
        std::vector<operation*> expected;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            queue.push(ops[i]);
            if (i != taken) expected.push_back(&ops[i]);
        }
        EXPECT_TRUE(queue.remove(ops[taken]));
        EXPECT_FALSE(queue.remove(ops[taken])) << "the operation was already removed";
        queue.push(ops[taken]);
        expected.push_back(&ops[taken]);
        EXPECT_EQ(numbers_in(queue), expected);
    }
}

// Operations can still be pushed or posted while the loop is destroyed.
TEST(ready_queue, a_closed_queue_discards_its_operations_and_all_operations_that_are_pushed_later) {
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

TEST(adaptive_spin, a_spin_ends_with_the_first_check_that_finds_work) {
    adaptive_spin spin;
    for (const int found_by : {1, 2, adaptive_spin::looks_max}) {
        int looks = 0;
        EXPECT_TRUE(spin.until([&] { return ++looks == found_by; }));
        EXPECT_EQ(looks, found_by);
    }
}

// If the first check finds work, no spin was needed, so this case must not make the next spin more likely.
TEST(adaptive_spin, a_spin_whose_first_check_finds_work_does_not_count_as_a_successful_spin) {
    adaptive_spin spin;
    int looks = 0;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(spin.until([] { return true; }));
        EXPECT_FALSE(spin.until([&] { return ++looks, false; }));
    }
    EXPECT_LT(looks, 1000 + static_cast<int>(adaptive_spin::vain_max) * adaptive_spin::looks_max);
}

TEST(adaptive_spin, after_unsuccessful_spins_the_loop_spins_rarely_until_a_spin_succeeds) {
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
    EXPECT_TRUE(pays()) << "after a successful spin, the next call must spin, too";
    EXPECT_EQ(tries_in_vain(1000), adaptive_spin::vain_max);
}

}  // namespace loopbench::loop
