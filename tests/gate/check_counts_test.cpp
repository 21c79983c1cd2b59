// Tests that `loopbench check` finds a single system call or allocation that is added to each operation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

class check_counted : public testing::Test {
protected:
    void SetUp() override {
        if (std::system("command -v strace >/dev/null") != 0) GTEST_SKIP() << "strace is not installed";
        std::filesystem::create_symlink(LOOPBENCH_COSTLY_CONTENDER, loopbench.path("bin/contenders/costly"));
        std::filesystem::create_symlink(LOOPBENCH_MALLOC_COUNTER,
                                        loopbench.path("bin/libloopbench_malloc_counter.so"));
        const auto ran = check("", "--update --tier counts --contender costly");
        ASSERT_EQ(ran.code, 0) << ran.error_tail;
        ASSERT_NEAR(syscalls_in_line(ran.output, '+'), 0, 0.01) << ran.output;
    }

    bench::child_outcome check(const std::string& environment, const std::string& options = {}) {
        return loopbench.in_shell(
            fmt::format("{} \"$loopbench\" check --against \"$folder/baseline.json\" -o \"$out\" {}",
                        environment, options));
    }

    static double count_in(const std::string& output, std::string_view found_word, std::string_view metric) {
        const auto line = fmt::format("{:<10} {} of costly on yield: ", found_word, metric);
        const auto found = output.find(line);
        return found == std::string::npos ? -1 : std::stod(output.substr(found + line.size()));
    }

    /// Returns the number of system calls in the line of `difference` that begins with `sign`, or -1 if there
    /// is no such line. Tests allow a small deviation, because a tracer on a busy machine can miss one call
    /// in a thousand.
    static double syscalls_in_line(const std::string& difference, char sign) {
        const auto line = fmt::format(
            R"({}  {{"workload":"yield","contender":"costly","metric":"syscalls","per_op":)", sign);
        const auto found = difference.find(line);
        return found == std::string::npos ? -1 : std::stod(difference.substr(found + line.size()));
    }

    loopbench_command loopbench;
};

TEST_F(check_counted, an_unchanged_build_passes_the_check_of_counts) {
    const auto ran = check("");
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    EXPECT_EQ(ran.output, "PASS: 7 results, none of them worse.\n");
    EXPECT_EQ(ran.error_tail, "");
}

TEST_F(check_counted, one_more_system_call_per_operation_is_a_regression) {
    const auto ran = check("LOOPBENCH_TEST_COST=system_call");
    EXPECT_EQ(ran.code, 3) << ran.output << ran.error_tail;
    EXPECT_NEAR(count_in(ran.output, "regression", "syscalls"), 1, 0.01) << ran.output;
    EXPECT_SAYS(ran.output, "6 of 7 results hold");
    EXPECT_SAYS(content_of(loopbench.path("out/counts.json")), "fcntl")
        << "counts.json names the system call";
}

TEST_F(check_counted, one_more_allocation_per_operation_is_a_regression) {
    const auto ran = check("LOOPBENCH_TEST_COST=allocation");
    EXPECT_EQ(ran.code, 3) << ran.output << ran.error_tail;
    EXPECT_NEAR(count_in(ran.output, "regression", "allocations"), 1, 0.01) << ran.output;
    EXPECT_NEAR(count_in(ran.output, "regression", "allocated_bytes"), 40, 0.4) << ran.output;
    EXPECT_SAYS(ran.output, "5 of 7 results hold");
}

TEST_F(check_counted, a_large_slack_tolerates_an_added_system_call) {
    EXPECT_EQ(check("LOOPBENCH_TEST_COST=system_call", "--slack 1.1").code, 0);
    EXPECT_EQ(check("LOOPBENCH_TEST_COST=system_call", "--slack 0.9").code, 3);
}

TEST_F(check_counted, a_loose_baseline_file_is_reported_and_an_update_tightens_the_file) {
    EXPECT_EQ(check("LOOPBENCH_TEST_COST=system_call", "--update").code, 0);
    const auto looser = check("");
    EXPECT_EQ(looser.code, 0);
    EXPECT_NEAR(count_in(looser.output, "looser", "syscalls"), 0, 0.01) << looser.output;
    const auto updated = check("", "--update");
    EXPECT_EQ(updated.code, 0);
    EXPECT_NEAR(syscalls_in_line(updated.output, '-'), 1, 0.01) << updated.output;
    EXPECT_EQ(check("").output, "PASS: 7 results, none of them worse.\n");
    EXPECT_SAYS(check("", "--update").output, "is unchanged");
}

TEST_F(check_counted, a_failing_contender_causes_an_error_and_does_not_change_the_baseline_file) {
    const auto before = content_of(loopbench.path("baseline.json"));
    const auto ran = check("LOOPBENCH_TEST_COST=crash");
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_SAYS(ran.output, "SIGABRT");
    EXPECT_EQ(check("LOOPBENCH_TEST_COST=crash", "--update").code, 1);
    EXPECT_EQ(content_of(loopbench.path("baseline.json")), before);
}

TEST_F(check_counted, without_a_tracer_the_check_is_inconclusive_and_names_the_tracer) {
    const auto ran = check("PATH=/nowhere");
    EXPECT_EQ(ran.code, 4) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output, "unclear    syscalls of costly on yield: the metric was not counted: ");
    EXPECT_SAYS(ran.output, "apt-get install strace");
    const auto before = content_of(loopbench.path("baseline.json"));
    EXPECT_EQ(check("PATH=/nowhere", "--update").code, 4);
    EXPECT_EQ(content_of(loopbench.path("baseline.json")), before);
    EXPECT_EQ(check("PATH=/nowhere LOOPBENCH_TEST_COST=allocation").code, 3)
        << "a regression of one count outranks an undecided one";
}

TEST_F(check_counted, a_report_with_counts_is_checked_without_running_a_contender) {
    const auto run = loopbench.in_shell(
        "LOOPBENCH_TEST_COST=system_call \"$loopbench\" run --counts --blocks 1 -o \"$out\"");
    ASSERT_EQ(run.code, 0) << run.error_tail;
    std::filesystem::remove_all(loopbench.path("bin/contenders"));
    EXPECT_EQ(check("", "\"$out/report.json\"").code, 3);
    EXPECT_EQ(check("", "--update \"$out/report.json\"").code, 0);
    EXPECT_EQ(check("", "\"$out/report.json\"").code, 0);
}

}  // namespace

}  // namespace loopbench::tests
