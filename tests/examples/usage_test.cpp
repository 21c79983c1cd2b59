// What the examples have in common: the choice of a design, and what they say when it cannot be.
#include <gtest/gtest.h>

#include <string>

#include "on_every_design.hpp"

namespace loopbench::tests {

TEST(an_example, lists_the_designs) {
    EXPECT_EQ(lines_of(run_program("round_robin_tasks", {"--list"}).output), design_names());
}

TEST(an_example, names_the_designs_when_it_is_given_another_name) {
    const program_end end = run_program("round_robin_tasks", {"--design", "loop-nothing"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("loop-nothing"), std::string::npos) << end.errors;
    EXPECT_NE(end.errors.find("loop-epoll"), std::string::npos) << end.errors;
}

TEST(an_example, refuses_a_speed_that_would_stop_time) {
    const program_end end = run_program("round_robin_tasks", {"--speed", "0"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("--speed"), std::string::npos) << end.errors;
}

TEST(an_example, refuses_a_port_that_does_not_exist) {
    const program_end end = run_program("echo_beside_counting", {"--port", "70000"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("--port 70000: there is no such port"), std::string::npos) << end.errors;
}

TEST(an_example, refuses_a_server_without_a_port) {
    const program_end end = run_program("concurrent_requests", {"localhost"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("\"localhost\" does not say where to connect to"), std::string::npos)
        << end.errors;
}

TEST(the_primer, shows_generators_that_are_sent_values) {
    const program_end end = run_program("generators", {});
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.output,
              "coroutine started\nreceived value: 1\nreceived value: 2\n"
              "coroutine started\nsub coroutine started\n"
              "sub coroutine received value: 1\nreceived value: 1\n"
              "sub coroutine received value: 2\nreceived value: 2\n"
              "coroutine started\nreceived value: 1\nreceived value: 2\nStopIteration: done\n"
              "task1\ntask2\ntask1\ntask2\n");
}

}  // namespace loopbench::tests
