// Tests counts per operation against known costs and against the summary of strace.
#include "bench/harness/counting/counts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "bench/harness/counting/counted_benchmark.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::bench {
namespace {

const contender planted{
    .name = "planted", .path = LOOPBENCH_PLANTED_CONTENDER, .workloads = {}, .problem = {}};

operation_counts counts_of(const std::string& workload) {
    return count(planted, workload, {.malloc_counter = LOOPBENCH_MALLOC_COUNTER});
}

std::string missing(const operation_counts& counts) {
    std::string all;
    for (const auto& each : counts.missing) all += each + "; ";
    return all;
}

bool has_tracer() {
    return std::system("command -v strace >/dev/null") == 0;
}

TEST(counts, an_added_system_call_and_an_added_allocation_raise_their_counts_by_exactly_one) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    const auto plain = counts_of("yield/plain");
    ASSERT_TRUE(plain.metrics.contains("syscalls") && plain.metrics.contains("allocations"))
        << missing(plain);
    for (int run = 0; run < 20; ++run) {
        const auto dearer = counts_of("yield/dearer");
        const auto more = [&](const char* metric) {
            return dearer.metrics.contains(metric) ? dearer.metrics.at(metric) - plain.metrics.at(metric)
                                                   : -1;
        };
        EXPECT_NEAR(more("syscalls"), 1.0, 0.01) << dearer.tracer << missing(dearer);
        EXPECT_NEAR(dearer.system_calls_by_name.at("fcntl"), 1.0, 0.01);
        EXPECT_NEAR(more("allocations"), 1.0, 0.01) << missing(dearer);
        EXPECT_NEAR(more("allocated_bytes"), 40.0, 0.4);
    }
}

double calls_by_strace_itself(int operations) {
    const std::string summary = testing::TempDir() + "strace-" + std::to_string(getpid());
    const std::string command = "LOOPBENCH_SIZE=small LOOPBENCH_OPERATIONS=" + std::to_string(operations) +
                                " strace -f -c -U calls,name -o '" + summary +
                                "' '" LOOPBENCH_PLANTED_CONTENDER
                                "' --benchmark_filter=^echo >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    FILE* const file = std::fopen(summary.c_str(), "re");
    if (file == nullptr) return -1;
    double total = -1;
    for (std::array<char, 256> line{}; std::fgets(line.data(), line.size(), file) != nullptr;) {
        std::istringstream words{line.data()};
        std::string name;
        double calls = 0;
        if (words >> calls >> name && name == "total") total = calls;
    }
    std::fclose(file);
    std::remove(summary.c_str());
    return total;
}

TEST(counts, the_count_of_system_calls_matches_the_summary_of_strace) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    const auto counted = counts_of("echo");
    ASSERT_TRUE(counted.metrics.contains("syscalls")) << missing(counted);
    const double by_strace = (calls_by_strace_itself(1000) - calls_by_strace_itself(500)) / 500;
    EXPECT_GT(by_strace, 3);
    EXPECT_NEAR(counted.metrics.at("syscalls") / by_strace, 1.0, 0.01) << counted.tracer;
    EXPECT_GT(counted.metrics.at("waits"), 0);
}

TEST(counts, the_counts_are_missing_if_a_contender_ignores_the_requested_number_of_operations) {
    const auto counted = counts_of("same");
    EXPECT_TRUE(counted.metrics.empty());
    EXPECT_SAYS(missing(counted), "100 when 200");
}

TEST(counts, a_contender_that_hangs_under_the_tracer_is_stopped_and_the_reason_is_reported) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    const auto counted =
        count(planted, "shy",
              {.malloc_counter = LOOPBENCH_MALLOC_COUNTER, .traced_limit = std::chrono::seconds(2)});
    EXPECT_TRUE(counted.metrics.contains("allocations"));
    EXPECT_FALSE(counted.metrics.contains("waits"));
    EXPECT_EQ(missing(counted), "under strace: the contender had no result within 2 s; ");
    EXPECT_FALSE(counted.failed);
}

TEST(counts, traced_trials_have_their_own_time_limit) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    const auto counted = count(
        planted, "hesitant", {.malloc_counter = LOOPBENCH_MALLOC_COUNTER, .limit = std::chrono::seconds(2)});
    EXPECT_TRUE(counted.metrics.contains("syscalls")) << missing(counted);
}

class lying_tracer {
public:
    lying_tracer(const std::string& name, const std::string& what_it_does_to_the_record)
        : path_(std::getenv("PATH")) {
        tests::write_script(folder_ / name,
                            "PATH='" + path_ +
                                "'\nfor word; do [ \"$before\" = -o ] && record=$word && break; "
                                "before=$word; done\n" +
                                name + " \"$@\"; code=$?\n" + what_it_does_to_the_record + "\nexit $code\n");
        ::setenv("PATH", folder_.path().c_str(), 1);
    }
    lying_tracer(const lying_tracer&) = delete;
    lying_tracer& operator=(const lying_tracer&) = delete;
    ~lying_tracer() { ::setenv("PATH", path_.c_str(), 1); }

private:
    tests::temporary_folder folder_;
    std::string path_;
};

TEST(counts, a_corrupt_trace_gives_a_reason_instead_of_counts) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    for (const std::string lie :
         {"sed -i /execve/d \"$record\"", "truncate -s 4096 \"$record\"", ": >\"$record\"", "rm \"$record\"",
          "head -c 9999 /dev/zero >\"$record\"",
          "[ -e \"$0.kept\" ] || cp \"$record\" \"$0.kept\"; cp \"$0.kept\" \"$record\""}) {
        const lying_tracer strace("strace", lie);
        const auto counted = counts_of("yield/dearer");
        EXPECT_FALSE(counted.metrics.contains("syscalls")) << lie;
        EXPECT_FALSE(counted.metrics.contains("waits")) << lie;
        EXPECT_SAYS(missing(counted), "strace") << lie << missing(counted);
        EXPECT_FALSE(counted.failed) << lie;
    }
    const lying_tracer perf("perf", R"(printf ' sh (1), 20 events, 95.0%%\n   read 10 0 1.0\n' >"$record")");
    const auto counted = counts_of("yield/dearer");
    EXPECT_FALSE(counted.metrics.contains("syscalls")) << "N and 2N operations have the same record";
}

TEST(counts, workloads_with_a_fixed_duration_have_no_counts) {
    for (const std::string workload : {"serve/open_loop/load:50", "timer/under_load"}) {
        const auto counted = counts_of(workload);
        EXPECT_TRUE(counted.metrics.empty());
        EXPECT_TRUE(missing(counted).starts_with(workload + " has no counts per operation, because "))
            << missing(counted);
        EXPECT_FALSE(counted.failed);
    }
}

TEST(counts, workloads_for_several_threads_have_the_median_of_three_counts_and_their_futex_calls) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    const auto one = counts_of("threads/post/stay/chains:64/threads:1");
    EXPECT_TRUE(one.samples.empty()) << "the counts of one thread do not vary";
    const auto two = counts_of("threads/post/stay/chains:64/threads:2");
    for (const char* const metric : {"futex_calls", "syscalls", "context_switches"}) {
        ASSERT_TRUE(two.samples.contains(metric)) << metric << missing(two);
        EXPECT_EQ(two.samples.at(metric).size(), 3U) << metric;
    }
    for (const auto& counted : {one, two}) {
        ASSERT_TRUE(counted.metrics.contains("futex_calls")) << missing(counted);
        EXPECT_NEAR(counted.metrics.at("futex_calls"), 3, 0.05);
        EXPECT_NEAR(counted.system_calls_by_name.at("futex"), 3, 0.05);
    }
    EXPECT_FALSE(counts_of("yield/plain").metrics.contains("futex_calls"));
}

TEST(counts, a_negative_count_of_several_threads_is_left_out_with_the_reason) {
    if (!has_tracer()) GTEST_SKIP() << "strace is not installed";
    const auto counted = counts_of("threads/post/move/chains:64/threads:2");
    for (const char* const metric : {"futex_calls", "syscalls"}) {
        EXPECT_FALSE(counted.metrics.contains(metric)) << metric;
        EXPECT_FALSE(counted.samples.contains(metric)) << metric;
        EXPECT_SAYS(missing(counted), std::string(metric) + ": the counts vary");
    }
    EXPECT_FALSE(counted.system_calls_by_name.contains("futex"));
    EXPECT_TRUE(counted.metrics.contains("context_switches")) << missing(counted);
}

TEST(counts, two_builds_are_not_compared_by_the_counts_of_several_threads) {
    const time_for_pass time{.end = time_for_pass::clock::now() + std::chrono::minutes(1)};
    EXPECT_SAYS(tests::complaint_of<uncountable>([&] {
                    counted_benchmark{planted, "threads/post/stay/chains:64/threads:2", time};
                }),
                "has several threads");
}

TEST(counts, a_failure_to_count_allocations_is_reported) {
    const auto counted = count(planted, "yield/plain", {.malloc_counter = "/nowhere/counter.so"});
    EXPECT_FALSE(counted.metrics.contains("allocations"));
    EXPECT_SAYS(missing(counted), "/nowhere/counter.so");
    EXPECT_TRUE(counted.metrics.contains("context_switches"));
}

}  // namespace
}  // namespace loopbench::bench
