// What a trial refuses.
#include "bench/workloads/trial/trial.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace loopbench::bench {
namespace {

trial_size constexpr smoke = trial_size::smoke;

TEST(trial, that_timed_one_section_and_proved_its_work_has_a_result) {
    trial t(smoke, 10);
    t.begin();
    t.end();
    t.prove("things done", 10, 10);
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_EQ(t.operations_done(), 10u);
}

TEST(trial, that_proved_nothing_has_failed) {
    trial t(smoke, 10);
    t.begin();
    t.end();
    EXPECT_EQ(t.failure(), "the workload proved nothing");
}

TEST(trial, must_time_exactly_one_section) {
    for (const std::string calls : {"", "b", "e", "eb", "bb", "bbe", "bee", "bebe"}) {
        trial t(smoke, 10);
        for (const char call : calls) call == 'b' ? t.begin() : t.end();
        t.prove("things done", 10, 10);
        EXPECT_NE(t.failure(), std::nullopt) << calls;
    }
}

TEST(trial, says_what_was_not_proved) {
    trial t(smoke, 10);
    t.begin();
    t.end();
    t.prove("things done", 10, 9);
    t.prove("other things", 1, 2);
    EXPECT_EQ(t.failure(), "things done: expected 10, got 9");
}

TEST(trial, in_which_a_timer_fired_a_nanosecond_early_has_failed) {
    trial t(smoke, 10);
    t.begin();
    t.end();
    t.prove("things done", 10, 10);
    t.lateness().record(0);
    EXPECT_EQ(t.failure(), std::nullopt);
    t.lateness().record(-1);
    EXPECT_EQ(t.failure(), "1 of 2 timers fired early, the earliest by 1 ns");
}

TEST(trial, of_a_runtime_that_states_an_early_limit_fails_only_beyond_it) {
    trial t(smoke, 10);
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

TEST(trial, that_did_no_operation_has_failed) {
    trial t(smoke, 10);
    t.begin();
    t.end();
    t.did(0);
    t.prove("things done", 0, 0);
    EXPECT_EQ(t.failure(), "the workload did no operation");
}

TEST(trial, counts_the_operations_that_were_really_done) {
    trial t(smoke, 10);
    t.did(1000);
    EXPECT_EQ(t.operations_done(), 1000u);
}

}  // namespace
}  // namespace loopbench::bench
