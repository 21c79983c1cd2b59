// Tests the load generator's process.
#include "bench/suite/workloads/sockets/generator_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "loop/net/sockets.hpp"
#include "tests/workloads/cores_of_this_thread.hpp"

namespace loopbench::bench::workloads {
namespace {

using detail::generator_process;

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class generator : public testing::Test {
protected:
    void SetUp() override {
        ::setenv("LOOPBENCH_GENERATOR", LOOPBENCH_TEST_GENERATOR, 1);
        if (cores_of_this_thread() < 2) GTEST_SKIP() << "the generator needs a second core";
    }
    void TearDown() override { ::unsetenv("LOOPBENCH_GENERATOR"); }

    bool start(generator_process& process) {
        return process.start({.port = 1,
                              .connections = 1,
                              .requests = t.operations(),
                              .offered = {.percent_of_capacity = 50},
                              .capacity_s = 0.01},
                             t, [] {});
    }

    trial t{workload_size::small, 3};
};

TEST_F(generator, a_thread_gets_its_cores_back_if_too_few_descriptors_are_free_to_start_the_generator) {
    const int cores_before = cores_of_this_thread();
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    {
        generator_process process;
        const rlimit none{0, limit.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
        EXPECT_THROW(start(process), std::system_error);
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    EXPECT_EQ(cores_of_this_thread(), cores_before);
}

TEST_F(generator, a_trial_states_the_core_of_the_generator_and_that_of_the_server) {
    const core_pair both = two_cores().value();
    {
        generator_process process;
        ASSERT_TRUE(start(process));
    }
    EXPECT_EQ(t.cores(), (reports::used_cores{.threads = {both.first}, .generator = {both.second}}));
    trial other(workload_size::small, 3);
    other.runs_on({both.second});
    generator_process process;
    ASSERT_TRUE(process.start({.port = 1,
                               .connections = 1,
                               .requests = 3,
                               .offered = {.per_second = 1},
                               .capacity_s = 0.01,
                               .core = both.first},
                              other, [] {}));
    EXPECT_EQ(other.cores(), (reports::used_cores{.threads = {both.second}, .generator = {both.first}}));
}

// LOOPBENCH_GENERATOR is "/", because this path exists but cannot be executed.
TEST_F(generator, a_failed_start_of_the_generator_leaves_no_descriptors_open_and_restores_the_cores) {
    ::setenv("LOOPBENCH_GENERATOR", "/", 1);
    const int cores_before = cores_of_this_thread();
    const std::size_t open_before = open_descriptors();
    {
        generator_process process;
        EXPECT_THROW(start(process), std::system_error);
    }
    EXPECT_EQ(cores_of_this_thread(), cores_before);
    EXPECT_EQ(open_descriptors(), open_before);
}

// The generator sends minimum, maximum and mean separately, because a bucket of a histogram contains only a
// range of values.
TEST_F(generator, a_trial_takes_the_minimum_maximum_and_mean_latency_unchanged_from_the_generator) {
    const std::string script = testing::TempDir() + "exact-generator-" + std::to_string(::getpid());
    std::ofstream(script) << R"(#!/bin/sh
echo '{"latency": [[1000, 1003, 2], [5000, 5031, 1]], "latency_min": 1001, "latency_max": 5030,
  "latency_mean": 2344.5, "capacity": 0, "send_late_p99": 0, "busy": 0, "left_out": 0, "sent": 3, "tries": 1,
  "replies": 3, "wrong_replies": 0, "own_making": [], "not_offered": null, "invalid": null}'
)";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    ::setenv("LOOPBENCH_GENERATOR", script.c_str(), 1);
    generator_process process;
    ASSERT_TRUE(start(process));
    process.prove(t, 3);
    std::filesystem::remove(script);
    EXPECT_EQ(t.latency().count(), 3U);
    EXPECT_EQ(t.latency().min_ns(), 1001);
    EXPECT_EQ(t.latency().max_ns(), 5030);
    EXPECT_DOUBLE_EQ(t.latency().mean_ns(), 2344.5);
}

/// Starts a process that starts a generator, writes the generator's PID to `announced`, and then waits.
/// Returns the PID of the waiting process.
pid_t start_from_a_process_of_its_own(std::uint16_t port, int announced) {
    const pid_t starter = ::fork();
    if (starter != 0) return starter;
    const auto argument = "--port=" + std::to_string(port);
    const pid_t started = ::fork();
    if (started == 0) {
        ::execl(LOOPBENCH_TEST_GENERATOR, "loopbench-generator", argument.c_str(), "--requests=1", "--rate=1",
                nullptr);
        ::_exit(127);
    }
    if (::write(announced, &started, sizeof started) != sizeof started) ::_exit(1);
    for (;;) ::pause();
}

TEST_F(generator, a_generator_is_killed_when_the_process_that_started_it_ends) {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    const auto server = loop::open_listener(loop::endpoint::loopback(0));
    ASSERT_EQ(::fcntl(server.get(), F_SETFL, 0), 0);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t starter = start_from_a_process_of_its_own(loop::local_endpoint(server.get()).port(), ends[1]);
    pid_t started = -1;
    ASSERT_EQ(::read(ends[0], &started, sizeof started), static_cast<ssize_t>(sizeof started));
    const int connection = ::accept(server.get(), nullptr, nullptr);
    ::kill(starter, SIGKILL);
    ASSERT_EQ(::waitpid(starter, nullptr, 0), starter);
    int status = 0;
    ASSERT_EQ(::waitpid(started, &status, 0), started);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the generator ended without a signal";
    for (const int file : {connection, ends[0], ends[1]}) ::close(file);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace loopbench::bench::workloads
