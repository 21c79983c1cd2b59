// Tests how the harness lists and runs third-party programs that are linked with the real Google Benchmark.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <set>

#include "bench/harness/trial/run_trial.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;

bench::contender listed(const char* program, const char* odd = "") {
    bench::contender who{"program", program, {}, {}};
    who.environment["ODD"] = odd;
    bench::list_workloads(who, bench::workload_size::small, 60s, -1);
    return who;
}

bench::trial_outcome tried(const bench::contender& who, const std::string& benchmark) {
    return bench::process_executor{-1}.run({who, benchmark, 0.001, bench::workload_size::small, 60s});
}

TEST(third_party_program, each_result_belongs_to_its_own_benchmark) {
    const auto who = listed(LOOPBENCH_MANY_ROWS);
    ASSERT_EQ(who.problem, "");
    EXPECT_GT(who.workloads.size(), 40U);
    EXPECT_EQ(std::set<std::string>(who.workloads.begin(), who.workloads.end()).size(), who.workloads.size());
    for (std::size_t i = 0; i < who.workloads.size(); ++i) {
        const auto trial = tried(who, who.workloads[i]);
        ASSERT_EQ(trial.status, reports::result_status::ok) << who.workloads[i] << ": " << trial.reason;
        const double expected =
            who.workloads[i] == "counters/manual_time" ? 1e6 : 1e3 * static_cast<double>(i + 1);
        // Some versions of the library divide a time by the number of threads (google/benchmark#769, #1834).
        const double time = trial.metrics.at("time").value();
        const bool has_threads = who.workloads[i].ends_with("/threads:2");
        EXPECT_NEAR(has_threads && time < 0.75 * expected ? 2 * time : time, expected, 1) << who.workloads[i];
    }
}

struct odd_case {
    const char* report;  // a public report of such a program
    const char* how;
    const char* reason = "";  // a part of the reason if the trial fails
};

constexpr odd_case odd_cases[] = {{"an ordinary program", ""},
                                  {"arborx/ArborX#207", "prints"},
                                  {"ocurrent/current-bench#321", "prints a brace"},
                                  {"google/benchmark#397", "prints in the loop"},
                                  {"google/benchmark#320", "prints at exit"},
                                  {"Ultimate-Multisite/ultimate-multisite#268", "prints afterwards"},
                                  {"open-telemetry/opentelemetry-cpp#3917", "prints the time"},
                                  {"google/benchmark#847", "prints a word"},
                                  {"benchmark-action/github-action-benchmark#55", "prints colours"},
                                  {"OpenHands/benchmarks#498", "prints JSON"},
                                  {"our own", "prints progress"},
                                  {"our own", "prints bytes"},
                                  {"matepek/vscode-catch2-test-adapter#253", "warns a lot"},
                                  {"our own", "changes its folder"},
                                  {"bazelbuild/bazel#3325", "waits for input"},
                                  {"our own", "has a thread"},
                                  {"our own", "restarts itself"},
                                  {"google/benchmark#391", "crashes", "SIGSEGV"},
                                  {"matepek/vscode-catch2-test-adapter#290", "throws", "SIGABRT"},
                                  {"google/benchmark#973", "throws", "uncaught std::runtime_error: boom"},
                                  {"google/benchmark#2206", "exits", "invalid JSON"}};

class odd_program : public testing::TestWithParam<odd_case> {};

TEST_P(odd_program, an_odd_program_has_its_result_or_a_specific_reason) {
    const auto& [report, how, reason] = GetParam();
    SCOPED_TRACE(report);
    const auto who = listed(LOOPBENCH_ODD_PROGRAM, how);
    ASSERT_EQ(who.problem, "") << how;
    ASSERT_EQ(who.workloads, std::vector<std::string>{"odd/manual_time"}) << how;
    const auto trial = tried(who, who.workloads[0]);
    const bool is_ok = trial.status == reports::result_status::ok;
    EXPECT_EQ(is_ok, std::string_view{reason}.empty()) << how << trial.reason;
    EXPECT_SAYS(trial.reason, reason) << how;
    EXPECT_NEAR(is_ok ? trial.metrics.at("time").value() : 1e5, 1e5, 1) << how;
}

INSTANTIATE_TEST_SUITE_P(third_party, odd_program, testing::ValuesIn(odd_cases));

TEST(third_party_program, a_program_that_runs_as_another_user_writes_its_results) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make a program run as another user";
    const temporary_folder folder;
    const auto copy = folder / "program";
    struct statvfs mounted {};
    if (::statvfs(copy.parent_path().c_str(), &mounted) == 0 && (mounted.f_flag & ST_NOSUID) != 0)
        GTEST_SKIP() << "programs in " << copy.parent_path() << " cannot run as another user (nosuid)";
    std::filesystem::copy_file(LOOPBENCH_ODD_PROGRAM, copy);
    constexpr uid_t other_user = 65534;
    ASSERT_EQ(::chown(copy.c_str(), other_user, other_user), 0);
    ASSERT_EQ(::chmod(copy.c_str(), 04755), 0);
    const auto trial = tried(listed(copy.c_str(), "prints as another user"), "odd/manual_time");
    EXPECT_EQ(trial.status, reports::result_status::ok) << trial.reason;
}

TEST(third_party_program, a_program_that_crashes_at_its_end_cannot_be_listed) {
    EXPECT_SAYS(listed(LOOPBENCH_ODD_PROGRAM, "crashes at exit").problem, "SIGABRT");
}

}  // namespace

}  // namespace loopbench::tests
