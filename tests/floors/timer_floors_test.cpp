// Tests the timer floors with fake sleepers, and the real sleepers in edge cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench/suite/floors/timers.hpp"
#include "tests/floors/named.hpp"

namespace loopbench::bench::floors {
namespace {

using std::chrono::milliseconds;

struct impatient_sleeper final : sleeper {
    void sleep_until(time_point deadline) override { deadlines.push_back(deadline); }
    std::vector<time_point> deadlines;
};

void ladder(sleeper& kernel, trial& t) {
    timer_ladder(kernel, t, std::chrono::milliseconds(100));
}

TEST(timer_floors, a_sleep_that_ends_early_fails_the_trial) {
    for (timer_floor* const work :
         {sleep_serial, sleep_concurrent, sleep_many, timer_periodic, idle_timer, gather_sleep, ladder}) {
        impatient_sleeper kernel;
        trial t(workload_size::small, 3);
        work(kernel, t);
        EXPECT_NE(t.failure().value_or("").find("timers fired early"), std::string::npos)
            << t.failure().value_or("");
    }
}

TEST(timer_floors, concurrent_sleeps_wait_for_the_earlier_deadline_first) {
    impatient_sleeper kernel;
    trial t(workload_size::small, 1);
    sleep_concurrent(kernel, t);
    ASSERT_EQ(kernel.deadlines.size(), 2u);
    EXPECT_EQ(kernel.deadlines[1] - kernel.deadlines[0], milliseconds(2));
}

TEST(timer_floors, floors_do_the_requested_number_of_operations) {
    for (timer_floor* const work :
         {sleep_serial, sleep_concurrent, sleep_many, idle_timer, gather_sleep, ladder}) {
        impatient_sleeper one, three;
        trial once(workload_size::small, 1), thrice(workload_size::small, 3);
        work(one, once);
        work(three, thrice);
        EXPECT_EQ(three.deadlines.size(), 3 * one.deadlines.size());
        EXPECT_EQ(thrice.operations_done(), 3u);
    }
}

TEST(timer_floors, the_deadlines_of_many_sleeps_are_awaited_in_ascending_order) {
    impatient_sleeper kernel;
    trial t(workload_size::small, 100);
    sleep_many(kernel, t);
    ASSERT_EQ(kernel.deadlines.size(), 100u);
    for (std::size_t i = 1; i < 100; ++i)
        EXPECT_EQ(kernel.deadlines[i] - kernel.deadlines[i - 1], std::chrono::microseconds(5));
}

TEST(timer_floors, deadlines_that_pass_during_a_sleep_need_no_further_sleep) {
    struct : sleeper {
        void sleep_until(time_point deadline) override {
            ++sleeps;
            std::this_thread::sleep_until(deadline + milliseconds(2));
        }
        int sleeps = 0;
    } oversleeping;
    trial t(workload_size::small, 100);
    sleep_many(oversleeping, t);
    EXPECT_EQ(t.failure().value_or(""), "");
    EXPECT_EQ(oversleeping.sleeps, 1);
    EXPECT_EQ(t.lateness().count(), 100u);
}

TEST(timer_floors, the_deadlines_of_a_periodic_timer_are_exactly_one_period_apart) {
    impatient_sleeper kernel;
    trial t(workload_size::small, 5);
    timer_periodic(kernel, t);
    ASSERT_EQ(kernel.deadlines.size(), 5u);
    for (std::size_t i = 1; i < 5; ++i)
        EXPECT_EQ(kernel.deadlines[i] - kernel.deadlines[i - 1], milliseconds(1));
}

TEST(timer_floors, a_gather_of_sleeping_children_needs_only_one_sleep) {
    impatient_sleeper kernel;
    trial t(workload_size::small, 4);
    gather_sleep(kernel, t);
    EXPECT_EQ(kernel.deadlines.size(), 4u);
    EXPECT_EQ(t.lateness().count(), 4000u);
}

using sleepers = of_kernel<sleeper>;

INSTANTIATE_TEST_SUITE_P(all, sleepers,
                         testing::Values(named<make_sleeper>{"nanosleep", make_nanosleep_sleeper},
                                         named<make_sleeper>{"timerfd", make_timerfd_sleeper},
                                         named<make_sleeper>{"uring", make_uring_sleeper}),
                         name_of);

TEST_P(sleepers, a_sleep_until_a_deadline_that_has_passed_returns_immediately) {
    kernel->sleep_until(std::chrono::steady_clock::now() - milliseconds(1));
    kernel->sleep_until(time_point(std::chrono::nanoseconds(1)));
}

TEST_P(sleepers, repeated_sleeps_never_end_early) {
    std::uint64_t early = 0;
    for (int i = 0; i < 20; ++i) {
        const time_point deadline =
            std::chrono::steady_clock::now() + std::chrono::microseconds(100 * (i % 3));
        kernel->sleep_until(deadline);
        if (std::chrono::steady_clock::now() < deadline) ++early;
    }
    EXPECT_EQ(early, 0u);
}

}  // namespace
}  // namespace loopbench::bench::floors
