// Tests the order of trials, which a report's seed must reproduce.
#include "bench/harness/experiment/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
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

// The expected orders come from an independent implementation of MT19937-64 and of the shuffle.
TEST(plan, the_same_seed_gives_the_same_order_of_trials_on_every_platform) {
    block_orders orders{7, 3, 3};
    EXPECT_EQ(spelled(orders.next()), "11 12 10 22 20 21 01 02 00 ");
    EXPECT_EQ(spelled(orders.next()), "10 12 11 21 22 20 02 01 00 ");
}

TEST(plan, the_trials_of_a_workload_in_a_block_are_adjacent_and_include_each_contender_once) {
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

TEST(plan, different_blocks_and_seeds_have_different_orders_of_trials) {
    block_orders one{1, 6, 6}, two{2, 6, 6};
    const auto first = one.next();
    EXPECT_NE(first, one.next());
    EXPECT_NE(first, two.next());
}

TEST(plan, each_attempt_at_a_workload_in_a_block_has_its_own_order_of_slices) {
    std::set<std::uint64_t> seeds;
    for (std::uint64_t block = 0; block < 2000; ++block)
        for (const std::size_t workload : {0U, 1U, 2U})
            for (const std::uint64_t attempt : {0U, 1U})
                seeds.insert(bench::seed_of_slices(7, block, workload, attempt));
    EXPECT_EQ(seeds.size(), 12'000U);
    EXPECT_EQ(bench::seed_of_slices(7, 3, 2, 1), bench::seed_of_slices(7, 3, 2, 1));
    EXPECT_NE(bench::seed_of_slices(7, 3, 2, 1), bench::seed_of_slices(8, 3, 2, 1));
}

TEST(plan, each_contender_runs_first_in_about_the_same_number_of_blocks) {
    block_orders orders{3, 1, 4};
    std::array<int, 4> first{};
    for (int block = 0; block < 4000; ++block) ++first[orders.next().front().contender];
    for (const int count : first) EXPECT_NEAR(count, 1000, 140);  // the tolerance is five standard deviations
}

TEST(plan, a_plan_without_contenders_has_empty_blocks) {
    EXPECT_TRUE((block_orders{1, 0, 0}.next().empty()));
}

TEST(plan, the_shards_cover_each_block_exactly_once_and_each_shard_spreads_over_the_whole_run) {
    constexpr std::uint64_t blocks = 13;
    for (const std::uint64_t of : {1U, 3U, 4U, 13U}) {
        std::uint64_t all = 0;
        for (std::uint64_t number = 1; number <= of; ++number) {
            const bench::shard part{number, of};
            std::uint64_t found = 0;
            for (std::uint64_t block = 0; block < blocks; ++block) {
                EXPECT_EQ(part.count(block), found) << "blocks before block " << block;
                found += part.has(block) ? 1U : 0U;
            }
            EXPECT_EQ(part.count(blocks), found);
            EXPECT_LE(found - blocks / of, 1U) << "shares differ by at most one block";
            all += found;
        }
        EXPECT_EQ(all, blocks) << of;
    }
    EXPECT_TRUE((bench::shard{2, 4}.has(1) && bench::shard{2, 4}.has(5) && !bench::shard{2, 4}.has(2)));
}

bench::run_plan plan_of_layouts(std::size_t of_base, std::size_t of_next, std::uint64_t seed = 1) {
    bench::run_plan plan;
    plan.contenders = {{"base", "base", {}, ""}, {"next", "next", {}, ""}};
    plan.contenders[0].layouts.resize(of_base);
    plan.contenders[1].layouts.resize(of_next);
    plan.baseline = "base";
    plan.seed = seed;
    bench::add_aa_copy(plan);
    return plan;
}

std::vector<std::size_t> drawn(const bench::run_plan& plan, std::size_t contender, std::uint64_t first,
                               std::uint64_t count) {
    std::vector<std::size_t> all;
    for (auto block = first; block < first + count; ++block)
        all.push_back(bench::layout_of(plan, block, contender));
    return all;
}

TEST(plan, every_layout_is_used_once_before_the_sequence_repeats) {
    const auto plan = plan_of_layouts(9, 9);
    for (const std::size_t who : {0U, 1U, 2U}) {
        const auto first = drawn(plan, who, 0, 9);
        EXPECT_EQ(std::set(first.begin(), first.end()).size(), 9U) << who;
        EXPECT_EQ(drawn(plan, who, 9, 9), first) << who;
    }
    EXPECT_NE(drawn(plan, 0, 0, 9), drawn(plan, 1, 0, 9)) << "the two contenders have different orders";
}

TEST(plan, the_seed_determines_the_order_of_the_layouts) {
    EXPECT_EQ(drawn(plan_of_layouts(9, 9), 0, 0, 9), drawn(plan_of_layouts(9, 9), 0, 0, 9));
    EXPECT_NE(drawn(plan_of_layouts(9, 9), 0, 0, 9), drawn(plan_of_layouts(9, 9, 2), 0, 0, 9));
}

TEST(plan, the_build_with_fewer_layouts_limits_the_number_of_layout_pairs) {
    const auto plan = plan_of_layouts(8, 12);
    EXPECT_EQ(plan.layout_pairs(), 8U);
    EXPECT_EQ(drawn(plan, 1, 8, 8), drawn(plan, 1, 0, 8)) << "the same pairs of layouts meet again";
    EXPECT_EQ(plan_of_layouts(8, 0).layout_pairs(), 0U);
    EXPECT_EQ(bench::layout_of(plan_of_layouts(0, 0), 5, 0), 0U);
}

TEST(plan, a_layout_is_never_compared_with_itself_and_the_aa_copy_has_its_own_layout_if_possible) {
    for (const std::size_t layouts : {6U, 7U, 20U}) {
        const auto plan = plan_of_layouts(layouts, layouts);
        for (std::uint64_t block = 0; block < 40; ++block)
            EXPECT_NE(bench::layout_of(plan, block, 0), bench::layout_of(plan, block, 2)) << block;
    }
    const auto many = plan_of_layouts(20, 10);
    auto all = drawn(many, 0, 0, 10);
    std::ranges::copy(drawn(many, 2, 0, 10), std::back_inserter(all));
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), 20U);
}

}  // namespace

}  // namespace loopbench::tests
