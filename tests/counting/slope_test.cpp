// Tests the separation of the cost of an operation from the other costs of a process.
#include "bench/harness/counting/slope.hpp"

#include <gtest/gtest.h>

namespace loopbench::bench {
namespace {

TEST(slope, the_batches_of_a_log_are_summed_up) {
    const auto work = work_in_log(
        "note\n-->LOG(2): Running BM_x/8 for 1\n-->LOG(2): Ran in 0/0\n"
        "-- LOG(2): Running a benchmark for 7 for 100\nRunning by hand for 5\n-->LOG(2): Running BM_x/8 for "
        "1000",
        1);
    EXPECT_EQ(work, (work_of_process{1101, 3}));
    EXPECT_EQ(work_in_log("-->LOG(2): Running BM_x/threads:2 for 10\n", 2), (work_of_process{20, 1}));
    EXPECT_EQ(work_in_log("-->LOG(2): Running BM_x for many\n", 1), work_of_process{});
}

/// Returns the counts of processes in a program with these costs.
std::vector<double> counts_of(std::span<const work_of_process> all, double start, double set_up,
                              double each) {
    std::vector<double> counts;
    for (const auto& [operations, batches] : all)
        counts.push_back(start + set_up * batches + each * operations);
    return counts;
}

TEST(slope, the_slope_excludes_start_up_and_set_up) {
    for (const std::vector<work_of_process>& processes :
         {std::vector<work_of_process>{{1, 1}, {1211, 4}, {5211, 4}},
          {{1, 1}, {1211, 4}, {12'511, 5}},
          {{100, 1}, {200, 1}},
          {{1, 1}, {4, 2}, {10, 2}}}) {
        const auto found = slope_of(processes);
        ASSERT_TRUE(found);
        EXPECT_FALSE(found->set_up_included);
        EXPECT_NEAR(found->of(counts_of(processes, 9000, 700, 2.5)), 2.5, 1e-9);
    }
}

TEST(slope, the_slope_includes_the_set_up_if_it_cannot_be_separated) {
    const std::vector<work_of_process> fixed{{50, 1}, {50, 1}, {50, 1}, {150, 3}};
    const auto found = slope_of(fixed);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->set_up_included);
    EXPECT_NEAR(found->of(counts_of(fixed, 9000, 100, 2.5)), 4.5, 1e-9);
}

TEST(slope, there_is_no_slope_if_all_processes_did_the_same_work) {
    const std::vector<work_of_process> same{{50, 1}, {50, 1}};
    EXPECT_FALSE(slope_of(same));
    EXPECT_FALSE(slope_of({}));
    EXPECT_FALSE(slope_of(std::vector<work_of_process>{{4, 1}})) << "start-up would be included";
}

TEST(slope, the_uncertainty_of_a_slope_follows_from_the_difference_in_operations) {
    const auto found = slope_of(std::vector<work_of_process>{{100, 1}, {300, 1}}).value();
    EXPECT_NEAR(found.per_event(), 1.0 / 200, 1e-12);
    EXPECT_NEAR(found.variance_of(std::vector<double>{10, 30}), 40.0 / (200 * 200), 1e-12);
}

}  // namespace
}  // namespace loopbench::bench
