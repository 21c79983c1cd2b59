// Tests `loopbench compare` on two builds of a program that really computes.
#include <gtest/gtest.h>

#include "bench/harness/trial/process/child_process.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"

namespace loopbench::tests {

namespace {

class busy_programs : public testing::Test {
protected:
    bench::child_outcome compare(const char* command, const std::vector<std::string>& more) const {
        bench::child_request request;
        request.command = {command, "compare", LOOPBENCH_BUSY_BASE, LOOPBENCH_BUSY_SLOWER, "-o", place.out()};
        request.command.insert(request.command.end(), more.begin(), more.end());
        request.error_tail_bytes = 65536;
        request.limit = std::chrono::minutes{5};
        return bench::run_child(request);
    }

    loopbench_command place;
};

// The threads wait for each other's CPUs. This once made the whole session unreliable.
TEST_F(busy_programs, a_benchmark_with_more_threads_than_cpus_hides_no_slowdown_of_another_benchmark) {
    // Without --pairing, a very busy machine makes the trials of `computes` sequential, too.
    const auto ran = compare(LOOPBENCH_REAL_COMMAND,
                             {"--workload", "crowd", "--workload", "computes", "--pairing", "concurrent",
                              "--blocks", "10", "--min-time", "20ms", "--threshold", "20%"});
    EXPECT_EQ(ran.code, 3) << ran.output << ran.error_tail;
    EXPECT_TRUE(ran.output.starts_with("SLOWER: computes")) << ran.output;
    int crowded = 0;
    for (const auto& line : journal_lines(place.path("out/journal.jsonl"))) {
        if (!line.contains("block") || !line["workload"].get<std::string>().starts_with("crowd")) continue;
        ++crowded;
        if (!line["disturbed"].is_null()) {
            EXPECT_FALSE(says(line["disturbed"].get<std::string>(), "waited for a CPU")) << line;
        }
    }
    EXPECT_GE(crowded, 30);
}

}  // namespace

}  // namespace loopbench::tests
