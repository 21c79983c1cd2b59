// Tests which trials have a result, and the reasons of failed trials.
#include "bench/suite/workloads/trial/trial.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace loopbench::bench {
namespace {

workload_size constexpr small = workload_size::small;

TEST(trial, a_trial_that_times_one_section_and_checks_its_work_has_a_result) {
    trial t(small, 10);
    t.begin();
    t.end();
    t.prove("things done", 10, 10);
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_EQ(t.operations_done(), 10u);
}

TEST(trial, a_trial_that_does_not_check_its_work_fails) {
    trial t(small, 10);
    t.begin();
    t.end();
    EXPECT_EQ(t.failure(), "the workload checked none of its work");
}

TEST(trial, a_trial_that_does_not_time_exactly_one_section_fails) {
    for (const std::string calls : {"", "b", "e", "eb", "bb", "bbe", "bee", "bebe"}) {
        trial t(small, 10);
        for (const char call : calls) call == 'b' ? t.begin() : t.end();
        t.prove("things done", 10, 10);
        EXPECT_NE(t.failure(), std::nullopt) << calls;
    }
}

TEST(trial, the_failure_of_a_trial_names_the_first_failed_check) {
    trial t(small, 10);
    t.begin();
    t.end();
    t.prove("things done", 10, 9);
    t.prove("other things", 1, 2);
    EXPECT_EQ(t.failure(), "things done: expected 10, got 9");
}

TEST(trial, a_timer_that_fires_a_nanosecond_early_fails_the_trial) {
    trial t(small, 10);
    t.begin();
    t.end();
    t.prove("things done", 10, 10);
    t.lateness().record(0);
    EXPECT_EQ(t.failure(), std::nullopt);
    t.lateness().record(-1);
    EXPECT_EQ(t.failure(), "1 of 2 timers fired early, the earliest by 1 ns");
}

TEST(trial, only_timers_that_fire_earlier_than_the_permitted_limit_fail_the_trial) {
    trial t(small, 10);
    t.may_be_early_by(std::chrono::microseconds(1));
    t.begin();
    t.end();
    t.prove("things done", 10, 10);
    t.lateness().record(-1000);
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_EQ(t.lateness().early_count(), 1u);
    t.lateness().record(-1001);
    EXPECT_EQ(t.failure(), "2 of 2 timers fired early, the earliest by 1001 ns");
}

TEST(trial, a_trial_without_operations_fails) {
    trial t(small, 10);
    t.begin();
    t.end();
    t.did(0);
    t.prove("things done", 0, 0);
    EXPECT_EQ(t.failure(), "the workload did not do any operation");
}

TEST(trial, a_workload_can_report_how_many_operations_it_really_did) {
    trial t(small, 10);
    t.did(1000);
    EXPECT_EQ(t.operations_done(), 1000u);
}

}  // namespace
}  // namespace loopbench::bench
