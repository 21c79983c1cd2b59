// The process that a serving workload starts: what is left behind when it cannot be.
#include "bench/workloads/generator_process.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace loopbench::bench::workloads {
namespace {

using detail::generator_process;

int cores_of_this_thread() {
    cpu_set_t cores;
    EXPECT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
    return CPU_COUNT(&cores);
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class generator : public testing::Test {
protected:
    void SetUp() override {
        ::setenv("LOOPBENCH_GENERATOR", LOOPBENCH_TEST_GENERATOR, 1);
        if (cores_of_this_thread() < 2)
            GTEST_SKIP() << "a generator needs a core of its own, and there is one";
    }
    void TearDown() override { ::unsetenv("LOOPBENCH_GENERATOR"); }

    /// What start() throws is the test's affair.
    static void start(generator_process& process) {
        trial t(trial_size::smoke, 1);
        process.start({.port = 1,
                       .connections = 1,
                       .requests = 1,
                       .offered = {.percent_of_capacity = 50},
                       .capacity_s = 0.01},
                      t, [] {});
    }
};

TEST_F(generator, that_gets_no_descriptors_leaves_the_thread_on_the_cores_that_it_had) {
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

// A folder can be found, and not be run.
TEST_F(generator, that_cannot_be_run_leaves_no_descriptors_and_the_cores_as_they_were) {
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

}  // namespace
}  // namespace loopbench::bench::workloads
