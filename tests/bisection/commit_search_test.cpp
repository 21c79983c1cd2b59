// Tests the order in which a bisection measures commits, with perfect and with noisy verdicts.
#include "bench/harness/bisection/commit_search.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "bench/harness/statistics/sequential_test.hpp"

namespace loopbench::tests {

namespace {

using bench::commit_search;
using bench::commit_verdict;

constexpr double error = 0.05;

/// Runs a search with these verdicts. Returns the measured commits.
std::vector<std::size_t> run(commit_search& search,
                             const std::function<commit_verdict(std::size_t, double)>& verdict) {
    std::vector<std::size_t> measured;
    while (const auto next = search.next()) {
        measured.push_back(*next);
        search.take(*next, verdict(*next, search.error_of_next()));
    }
    return measured;
}

commit_verdict exact(std::size_t commit, std::size_t step) {
    return commit >= step ? commit_verdict::slower : commit_verdict::not_slower;
}

TEST(commit_search, every_commit_is_found_in_the_fewest_steps) {
    for (std::size_t commits = 1; commits <= 70; ++commits)
        for (std::size_t step = 0; step < commits; ++step) {
            commit_search search{commits, error};
            const auto most = search.steps_left();
            const auto measured =
                run(search, [&](std::size_t commit, double) { return exact(commit, step); });
            EXPECT_EQ(search.first(), step) << commits;
            EXPECT_EQ(search.last(), step) << commits;
            EXPECT_LE(measured.size(), most) << commits;
        }
    EXPECT_EQ((commit_search{63, error}).steps_left(), 6U);
    EXPECT_EQ((commit_search{64, error}).steps_left(), 6U);
    EXPECT_EQ((commit_search{65, error}).steps_left(), 7U);
}

TEST(commit_search, no_commit_is_measured_twice_and_the_last_one_never) {
    for (std::size_t broken = 0; broken < 63; ++broken) {
        commit_search search{63, error};
        const auto measured = run(search, [&](std::size_t commit, double) {
            return commit == broken ? commit_verdict::skipped : exact(commit, 20);
        });
        EXPECT_EQ(std::set<std::size_t>(measured.begin(), measured.end()).size(), measured.size());
        for (const auto commit : measured) EXPECT_LT(commit, 62U);
    }
}

TEST(commit_search, a_skipped_commit_costs_no_further_measurement) {
    for (const std::size_t commits : {63U, 64U})
        for (std::size_t step = 0; step < commits; ++step)
            for (std::size_t broken = 0; broken < commits; ++broken) {
                commit_search search{commits, error};
                std::size_t decided = 0;
                run(search, [&](std::size_t commit, double) {
                    if (commit == broken) return commit_verdict::skipped;
                    ++decided;
                    return exact(commit, step);
                });
                EXPECT_LE(decided, 6U) << commits << " commits, step " << step << ", broken " << broken;
            }
}

TEST(commit_search, a_skipped_commit_leaves_a_doubt_only_if_it_is_next_to_the_step) {
    constexpr std::size_t step = 20;
    for (std::size_t broken = 0; broken < 63; ++broken) {
        commit_search search{63, error};
        run(search, [&](std::size_t commit, double) {
            return commit == broken ? commit_verdict::skipped : exact(commit, step);
        });
        const bool is_doubtful = broken == step || broken + 1 == step;
        EXPECT_EQ(search.first() == search.last(), !is_doubtful) << broken;
        EXPECT_LE(search.first(), step) << broken;
        EXPECT_GE(search.last(), step) << broken;
        EXPECT_LE(search.last() - search.first(), 1U) << broken;
    }
}

TEST(commit_search, a_long_row_of_skipped_commits_is_left_in_few_steps) {
    commit_search search{64, error};
    std::size_t skipped = 0;
    const auto measured = run(search, [&](std::size_t commit, double) {
        if (commit >= 24 && commit < 44) {
            ++skipped;
            return commit_verdict::skipped;
        }
        return exact(commit, 50);
    });
    EXPECT_EQ(search.first(), 50U);
    EXPECT_EQ(search.last(), 50U);
    EXPECT_LE(skipped, 6U);
    EXPECT_LE(measured.size(), 14U);
}

TEST(commit_search, a_search_ends_after_ten_skipped_commits_in_a_row) {
    commit_search search{20, error};
    const auto measured = run(search, [](std::size_t, double) { return commit_verdict::skipped; });
    EXPECT_EQ(measured.size(), 10U);
    EXPECT_TRUE(search.is_given_up());
    EXPECT_EQ(search.first(), 0U);
    EXPECT_EQ(search.last(), 19U);
}

TEST(commit_search, a_search_ends_after_three_undecided_commits) {
    commit_search search{64, error};
    const auto measured = run(search, [](std::size_t, double) { return commit_verdict::undecided; });
    EXPECT_EQ(measured.size(), 3U);
}

TEST(commit_search, the_error_rates_of_all_comparisons_add_up_to_less_than_that_of_the_search) {
    for (std::size_t commits = 2; commits < 300; ++commits) {
        for (const std::size_t undecided : {0U, 1U, 2U, 3U}) {
            commit_search search{commits, error};
            double sum = 0;
            std::size_t left = undecided;
            run(search, [&](std::size_t commit, double of_this) {
                sum += of_this;
                return left > 0 ? (--left, commit_verdict::undecided) : exact(commit, commits / 3);
            });
            EXPECT_LT(sum, error) << commits;
        }
    }
}

TEST(commit_search, a_search_with_noisy_blocks_names_a_wrong_commit_in_at_most_5_pct_of_all_cases) {
    std::mt19937_64 random{20270117};
    constexpr int runs = 400;
    int wrong = 0;
    for (int i = 0; i < runs; ++i) {
        const std::size_t step = std::uniform_int_distribution<std::size_t>{0, 62}(random);
        commit_search search{63, error};
        run(search, [&](std::size_t commit, double of_this) {
            std::bernoulli_distribution is_above{commit >= step ? 0.7 : 0.3};
            std::vector<double> blocks;
            while (blocks.size() < 1000) {
                blocks.push_back(is_above(random) ? 1 : -1);
                if (const auto found = bench::side_of_median(blocks, of_this))
                    return *found == bench::side::above ? commit_verdict::slower : commit_verdict::not_slower;
            }
            return commit_verdict::undecided;
        });
        if (search.first() != step || search.last() != step) ++wrong;
    }
    EXPECT_LE(wrong, error * runs);
}

}  // namespace

}  // namespace loopbench::tests
