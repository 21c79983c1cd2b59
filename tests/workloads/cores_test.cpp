// Tests that threads run on the chosen cores, and that their previous cores are restored afterwards.
#include "bench/suite/workloads/trial/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bench/catalog/used_cores.hpp"
#include "bench/suite/workloads/cross_thread.hpp"
#include "tests/workloads/breakable_runtime.hpp"
#include "tests/workloads/cores_of_this_thread.hpp"

namespace loopbench::bench::workloads {
namespace {

TEST(cores, a_label_states_the_cores_and_other_labels_state_none) {
    for (const reports::used_cores& cores :
         {reports::used_cores{.threads = {0}, .generator = {}}, {.threads = {3, 0, 12}, .generator = {1}}})
        EXPECT_EQ(used_cores_in(label_of(cores)), cores) << label_of(cores);
    EXPECT_EQ(label_of({}), "");
    for (const char* const label : {"", "threads", "threads=", "threads=x", "threads=-1", "threads=0,",
                                    "threads=0 ", "threads=0 generator=", "threads=0 generator=1 and more",
                                    "threads=0 cores", "generator=1", "threads=99999999999"})
        EXPECT_FALSE(used_cores_in(label)) << label;
}

TEST(cores, a_thread_that_was_restricted_to_one_core_can_use_all_its_cores_again_afterwards) {
    const int before = cores_of_this_thread();
    {
        const kept_on_core here(::sched_getcpu());
        EXPECT_EQ(cores_of_this_thread(), 1);
        EXPECT_FALSE(two_cores());
    }
    EXPECT_EQ(cores_of_this_thread(), before);
}

TEST(cores, the_function_that_chooses_two_cores_always_returns_the_same_cores) {
    const auto both = two_cores();
    if (!both) GTEST_SKIP() << "this machine has one core";
    EXPECT_LT(both->first, both->second);
    EXPECT_EQ(two_cores()->first, both->first);
    EXPECT_EQ(two_cores()->second, both->second);
}

TEST(cores, hyper_threads_of_a_core_that_is_already_in_the_list_come_last) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("cpus-" + std::to_string(::getpid()));
    const auto write_siblings = [&](int cpu, const std::string& siblings) {
        const auto topology = folder / ("cpu" + std::to_string(cpu)) / "topology";
        std::filesystem::create_directories(topology);
        std::ofstream(topology / "thread_siblings_list") << siblings << '\n';
    };
    for (const int cpu : {0, 1, 2, 3}) write_siblings(cpu, cpu < 2 ? "0-1" : "2-3");
    for (const int cpu : {8, 9, 12, 13}) write_siblings(cpu, cpu % 4 == 0 ? "8,12" : "9,13");
    EXPECT_EQ(one_of_each_core_first({0, 1, 2, 3}, folder), (std::vector{0, 2, 1, 3}));
    EXPECT_EQ(one_of_each_core_first({8, 9, 12, 13}, folder), (std::vector{8, 9, 12, 13}));
    EXPECT_EQ(one_of_each_core_first({1, 3, 9, 12, 13}, folder), (std::vector{1, 3, 9, 12, 13}));
    EXPECT_EQ(one_of_each_core_first({8, 12, 13}, folder), (std::vector{8, 13, 12}));
    EXPECT_EQ(one_of_each_core_first({20, 0, 1, 21}, folder), (std::vector{20, 0, 21, 1})) << "no files";
    std::filesystem::remove_all(folder);
}

TEST(cores, starting_a_thread_on_a_core_does_not_change_the_cores_of_the_starting_thread) {
    const int before = cores_of_this_thread();
    const int there = two_cores() ? two_cores()->second : ::sched_getcpu();
    int its_core = -1, its_cores = 0;
    std::thread other = start_on_core(there, [&] {
        its_core = ::sched_getcpu();
        its_cores = cores_of_this_thread();
    });
    other.join();
    EXPECT_EQ(its_core, there);
    EXPECT_EQ(its_cores, 1);
    EXPECT_EQ(cores_of_this_thread(), before);
}

struct noting_runtime : breakable_runtime {
    void post_from_any_thread(std::function<void()> function) override {
        posted_from.insert(::sched_getcpu());
        breakable_runtime::post_from_any_thread([this, function] {
            ran_on.insert(::sched_getcpu());
            function();
        });
    }
    std::set<int> posted_from, ran_on;
};

template <int Cores>
void post(noting_runtime& runtime, trial& t) {
    runtime.run(post_cross_thread<breakable_runtime, Cores>(runtime, t));
}

TEST(post_cross_thread, the_workload_for_one_core_runs_both_threads_on_one_core) {
    noting_runtime runtime;
    trial t(workload_size::small, 100);
    post<1>(runtime, t);
    EXPECT_EQ(t.failure().value_or(""), "");
    EXPECT_EQ(runtime.ran_on.size(), 1u);
    EXPECT_EQ(runtime.posted_from, runtime.ran_on);
    EXPECT_EQ(t.latency().count(), 100u);
}

TEST(post_cross_thread, the_workload_for_two_cores_runs_one_thread_on_each_core) {
    if (!two_cores()) GTEST_SKIP() << "this machine has one core";
    noting_runtime runtime;
    trial t(workload_size::small, 100);
    post<2>(runtime, t);
    EXPECT_EQ(t.failure().value_or(""), "");
    EXPECT_EQ(runtime.ran_on.size(), 1u);
    EXPECT_EQ(runtime.posted_from.size(), 1u);
    EXPECT_NE(runtime.posted_from, runtime.ran_on);
}

TEST(post_cross_thread, the_workload_for_two_cores_is_unsupported_on_one_core) {
    const kept_on_core here(::sched_getcpu());
    noting_runtime runtime;
    trial t(workload_size::small, 100);
    post<2>(runtime, t);
    EXPECT_EQ(t.unsupported().value_or(""),
              "the workload needs two cores for its two threads, and this process can use only one");
    EXPECT_TRUE(runtime.ran_on.empty());
}

}  // namespace
}  // namespace loopbench::bench::workloads
