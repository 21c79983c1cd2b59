// The order of trials is a promise: a seed in a report has to reproduce it.
#include "bench/experiment/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace loopbench::tests {

namespace {

using bench::block_orders;
using bench::cell;

std::string spelled(const std::vector<cell>& block) {
    std::string text;
    for (const auto& [workload, contender] : block)
        text += std::to_string(workload) + std::to_string(contender) + " ";
    return text;
}

// Reckoned with an implementation of its own of MT19937-64 and of the shuffle.
TEST(plan, a_seed_gives_the_same_order_anywhere) {
    block_orders orders{7, 3, 3};
    EXPECT_EQ(spelled(orders.next()), "11 12 10 22 20 21 01 02 00 ");
    EXPECT_EQ(spelled(orders.next()), "10 12 11 21 22 20 02 01 00 ");
}

TEST(plan, every_block_holds_every_cell_once_with_the_contenders_of_a_workload_adjacent) {
    block_orders orders{1, 4, 5};
    for (int block = 0; block < 20; ++block) {
        const auto order = orders.next();
        ASSERT_EQ(order.size(), 20U);
        for (std::size_t first = 0; first < order.size(); first += 5) {
            std::set<std::size_t> contenders;
            for (std::size_t i = first; i < first + 5; ++i) {
                EXPECT_EQ(order[i].workload, order[first].workload);
                contenders.insert(order[i].contender);
            }
            EXPECT_EQ(contenders.size(), 5U);
        }
    }
}

TEST(plan, blocks_and_seeds_differ) {
    block_orders one{1, 6, 6}, two{2, 6, 6};
    const auto first = one.next();
    EXPECT_NE(first, one.next());
    EXPECT_NE(first, two.next());
}

TEST(plan, each_contender_goes_first_about_equally_often) {
    block_orders orders{3, 1, 4};
    std::array<int, 4> first{};
    for (int block = 0; block < 4000; ++block) ++first[orders.next().front().contender];
    for (const int count : first) EXPECT_NEAR(count, 1000, 140);  // five standard deviations
}

TEST(plan, without_cells_the_blocks_are_empty) {
    EXPECT_TRUE((block_orders{1, 0, 0}.next().empty()));
}

}  // namespace

}  // namespace loopbench::tests
