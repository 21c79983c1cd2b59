// Tests the durations that the example programs print, with a virtual clock or the machine's clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <string>
#include <vector>

#include "on_every_design.hpp"

namespace loopbench::tests {

namespace {

struct sleeps {
    double serial_ms = 0;
    double concurrent_ms = 0;
};

sleeps parse(const std::string& printed) {
    sleeps read;
    EXPECT_EQ(std::sscanf(printed.c_str(), "t_serial=%lf ms\nt_concurrent=%lf ms", &read.serial_ms,
                          &read.concurrent_ms),
              2)
        << printed;
    return read;
}

}  // namespace

using sleeping = on_every_design;

TEST_P(sleeping, serial_sleeps_add_up_and_concurrent_sleeps_overlap) {
    const sleeps taken = parse(run_program("sleep_serial_and_concurrent", in_virtual_time()).output);
    // On loop-tick, the two sleeps and the end of the gather can each be one tick (100 ms) late.
    const double late_ms_max = GetParam() == "loop-tick" ? 300 : 1;
    EXPECT_GE(taken.serial_ms, 1200);
    EXPECT_LE(taken.serial_ms, 1200 + late_ms_max);
    EXPECT_GE(taken.concurrent_ms, 700);
    EXPECT_LE(taken.concurrent_ms, 700 + late_ms_max);
}

TEST_P(sleeping, the_loop_does_not_wait_for_a_cancelled_sleep) {
    const program_end end = run_program("sleep_deep_dive", in_virtual_time());
    double half_ms = 0;
    double idle_ms = 0;
    ASSERT_EQ(std::sscanf(end.output.c_str() + std::min(end.output.find("half"), end.output.size()),
                          "half a second: %lf ms", &half_ms),
              1);
    ASSERT_EQ(std::sscanf(end.output.c_str() + std::min(end.output.find("idle"), end.output.size()),
                          "idle: %lf ms", &idle_ms),
              1);
    EXPECT_GE(half_ms, 500);
    EXPECT_GE(idle_ms, 700);
    EXPECT_LE(idle_ms, GetParam() == "loop-tick" ? 2000 : 701);
}

TEST_P(sleeping, the_busy_waiting_program_sleeps_on_every_design_except_loop_round_robin) {
    const program_end end = run_program("busy_waiting", in_virtual_time());
    const std::string measured = end.output.substr(end.output.find("Brandenburg\n") + 12);
    double wall_ms = 0;
    int sleeps = 0;
    ASSERT_EQ(std::sscanf(measured.c_str(), "%lf ms\nsleeps: %d", &wall_ms, &sleeps), 2) << end.output;
    // On loop-tick, the upper limit is 200 ms higher, because the sleep and the end of the gather each wait
    // for the next tick (100 ms).
    EXPECT_GE(wall_ms, 700);
    EXPECT_LE(wall_ms, GetParam() == "loop-tick" ? 950 : 750);
    if (GetParam() == "loop-round-robin") {
        EXPECT_EQ(sleeps, 0);
    } else {
        EXPECT_GE(sleeps, 2);
    }
}

TEST_P(sleeping, the_busy_waiting_program_prints_its_cpu_time_relative_to_the_elapsed_time) {
    const program_end end = run_program("busy_waiting", on_this_design({"--speed", "100"}));
    EXPECT_TRUE(std::regex_search(end.output, std::regex("\nCPU over wall: [0-9]+ %\n$"))) << end.output;
}

TEST_P(sleeping, sleeps_never_end_early_if_the_program_runs_at_ten_times_the_speed) {
    const sleeps taken =
        parse(run_program("sleep_serial_and_concurrent", on_this_design({"--speed", "10"})).output);
    EXPECT_GE(taken.serial_ms, 120);
    EXPECT_GE(taken.concurrent_ms, 70);
}

// If the machine pauses for ten milliseconds, both tasks are due at the same time and can run in any order.
TEST_P(sleeping, tasks_alternate_if_the_program_uses_real_time_instead_of_virtual_time) {
    const std::string in_turn = "Task 1\nTask 2\nTask 1\nTask 2\nTask 2\ndone\n";
    program_end end;
    for (int i = 0; i < 10 && end.output != in_turn; ++i) {
        end = run_program("round_robin_tasks", on_this_design({"--speed", "100"}));
        EXPECT_EQ(end.exit_code, 0);
    }
    EXPECT_EQ(end.output, in_turn);
}

INSTANTIATE_TEST_SUITE_P(examples, sleeping, testing::ValuesIn(design_names()), design_of);

}  // namespace loopbench::tests
