// Tests that `loopbench compare` finds the causes of planted slowdowns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "reports/base/atomic_file.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

/// A program that is not a Google Benchmark program, but prints its JSON: `%d` ns per operation.
constexpr auto script_with_json = R"sh(case "$*" in
*--benchmark_list_tests*) echo script ;;
*) echo '{"context": {}, "benchmarks": [{"run_name": "script", "run_type": "iteration", "iterations": 100,
    "real_time": %d, "cpu_time": %d, "time_unit": "ns"}]}' ;;
esac
)sh";

class causes : public testing::Test {
protected:
    causes() {
        fs::create_symlink(LOOPBENCH_MALLOC_COUNTER, loopbench.path("bin/libloopbench_malloc_counter.so"));
        fs::create_symlink(LOOPBENCH_COMMAND_RUNNER, loopbench.path("bin/loopbench-command"));
    }

    bench::child_outcome decided(const std::vector<std::string>& command) const {
        return loopbench.decided([&] { return loopbench(command); });
    }

    bench::child_outcome compare(std::vector<std::string> more,
                                 const std::string& base = LOOPBENCH_PLANTED_BASE,
                                 const std::string& next = LOOPBENCH_PLANTED_SLOWER) const {
        more.insert(more.begin(), {"compare", base, next, "--min-time", "1ms", "--seed", "5", "--blocks",
                                   "12", "-o", loopbench.out()});
        return decided(more);
    }

    /// Returns the cause for the benchmark whose name begins with `workload`, or null.
    nlohmann::json cause(std::string_view workload) const {
        const auto report = loopbench.report();
        EXPECT_TRUE(fits_the_schema(report));
        for (const auto& each : report.value("causes", nlohmann::json::array()))
            if (each["workload"].get<std::string>().starts_with(workload)) return each;
        return {};
    }

    /// Returns by how much the count grew, or nothing if it did not change.
    static std::optional<double> growth(const nlohmann::json& cause, std::string_view kind,
                                        std::string_view name = "") {
        for (const auto& each : cause.at("changed"))
            if (each["kind"] == kind && each["name"] == name)
                return each["after"].get<double>() - each["before"].get<double>();
        return std::nullopt;
    }

    loopbench_command loopbench;
};

bool is_compared(const nlohmann::json& cause, std::string_view kind) {
    const auto& kinds = cause.at("compared");
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

TEST_F(causes, the_counts_that_changed_are_named_below_the_verdict) {
    if (!is_installed("strace")) GTEST_SKIP() << "strace is not installed";
    const auto ran = compare({"--workload", "writes", "--workload", "allocates"});
    const auto writes = cause("writes");
    ASSERT_FALSE(writes.is_null()) << ran.output << ran.error_tail;
    EXPECT_NEAR(growth(writes, "system_call", "write").value_or(0), 2, 0.05) << writes;
    EXPECT_FALSE(growth(writes, "allocations") || growth(writes, "system_call", "open")) << writes;
    EXPECT_EQ(writes["contender"], loopbench.report()["contenders"][1]["name"]);
    const auto allocates = cause("allocates");
    ASSERT_FALSE(allocates.is_null());
    EXPECT_NEAR(growth(allocates, "allocations").value_or(0), 1, 0.02) << allocates;
    const double bytes = growth(allocates, "allocated_bytes").value_or(0);
    EXPECT_NEAR(bytes, 48, 2) << allocates;
    const auto verdict_end = ran.output.find('\n');
    const auto below = ran.output.substr(verdict_end + 1, ran.output.find("\n\n") - verdict_end);
    EXPECT_SAYS(below, "writes: 2 more write(2) per operation");
    EXPECT_SAYS(below, fmt::format("allocates: 1 more allocation per operation ({:.0f} B)", bytes));
    const auto page = content_of(loopbench.path("out/report.html"));
    EXPECT_SAYS(page, "<li><span class=\"name\">writes: 2 more write(2) per operation");
}

TEST_F(causes, work_outside_the_loop_is_not_counted_as_work_of_an_operation) {
    compare({"--workload", "sets_up"});
    const auto found = cause("sets_up");
    ASSERT_FALSE(found.is_null());
    EXPECT_TRUE(is_compared(found, "allocations")) << found;
    EXPECT_EQ(growth(found, "allocations"), std::nullopt) << found;
}

TEST_F(causes, counts_of_a_benchmark_with_fixed_iterations_include_its_set_up) {
    if (!is_installed("strace")) GTEST_SKIP() << "strace is not installed";
    compare({"--workload", "has_fixed_iterations"});
    const auto found = cause("has_fixed_iterations");
    ASSERT_FALSE(found.is_null());
    EXPECT_NEAR(growth(found, "system_call", "write").value_or(0), 1, 0.05) << found;
    EXPECT_EQ(found["set_up_included"], true);
    EXPECT_FALSE(found.contains("time_before")) << "its set-up can wait";
}

TEST_F(causes, the_counts_of_all_threads_belong_to_the_operations_of_all_threads) {
    compare({"--workload", "uses_threads"});
    const auto found = cause("uses_threads");
    ASSERT_FALSE(found.is_null());
    EXPECT_NEAR(growth(found, "allocations").value_or(0), 1, 0.05) << found;
    EXPECT_FALSE(found.contains("time_before")) << "the threads share the wall time";
}

TEST_F(causes, code_is_the_cause_if_no_count_changed) {
    if (!is_installed("strace")) GTEST_SKIP() << "strace is not installed";
    const auto ran = compare({"--workload", "calls_a_function"});
    const auto found = cause("calls_a_function");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_TRUE(is_compared(found, "allocations")) << found;
    EXPECT_FALSE(growth(found, "allocations") || growth(found, "system_call", "write")) << found;
    if (is_compared(found, "instructions")) return;  // this machine has a counter of instructions
    // On a very busy machine, the two counts can disagree about the time that it waits.
    EXPECT_SAYS(ran.output, found.contains("time_before")
                                ? "calls_a_function: no count changed; code placement"
                                : "calls_a_function: no count changed");
}

TEST_F(causes, a_build_that_is_not_slower_has_no_causes) {
    compare({"--workload", "writes"}, LOOPBENCH_PLANTED_SLOWER, LOOPBENCH_PLANTED_BASE);
    EXPECT_FALSE(loopbench.report().contains("causes"));
}

TEST_F(causes, without_tools_the_message_names_them) {
    const auto ran = loopbench.in_shell(
        fmt::format("PATH=/nowhere exec $loopbench compare {} {} --min-time 1ms --blocks 12 --workload "
                    "allocates --profile --instructions -o $out",
                    LOOPBENCH_PLANTED_BASE, LOOPBENCH_PLANTED_SLOWER));
    const auto found = cause("allocates");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_NEAR(growth(found, "allocations").value_or(0), 1, 0.02) << found;
    EXPECT_FALSE(is_compared(found, "system_call"));
    EXPECT_FALSE(found.contains("profile"));
    for (const auto* tool : {"strace", "valgrind", "perf"}) EXPECT_SAYS(found["missing"].dump(), tool);
}

TEST_F(causes, a_cause_that_is_unknown_because_of_a_small_budget_has_a_reason) {
    compare({"--budget", "4s", "--workload", "writes", "--workload", "allocates"});
    const auto report = loopbench.report();
    EXPECT_TRUE(fits_the_schema(report));
    const auto all = report.value("causes", nlohmann::json::array());
    std::set<std::string> slower;  // a busy machine can leave too little time for a verdict
    for (const auto& each : report["results"])
        if (each["metric"] == "time" && each["verdict"] == "slower") slower.insert(each["workload"]);
    EXPECT_GE(all.size(), slower.size()) << report;
    for (const auto& each : all)
        EXPECT_TRUE(each["compared"].size() > 3 || each["missing"].size() > 0) << each;
}

TEST_F(causes, a_program_that_is_not_a_google_benchmark_program_has_no_counts_but_a_reason) {
    const auto with_time = [](const std::string& ns) {
        std::string script = script_with_json;
        for (auto at = script.find("%d"); at != std::string::npos; at = script.find("%d"))
            script.replace(at, 2, ns);
        return script;
    };
    const auto ran = compare({}, loopbench.add_program("base", with_time("10")),
                             loopbench.add_program("next", with_time("40")));
    const auto found = cause("script");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_TRUE(found["compared"].empty());
    EXPECT_SAYS(found["missing"].dump(), "iterations");
    EXPECT_SAYS(ran.output, "script: the cause is unknown");
}

TEST_F(causes, the_counts_of_commands_are_those_of_a_run_with_all_descendants) {
    if (!is_installed("strace")) GTEST_SKIP() << "strace is not installed";
    const auto ran = decided({"compare", "--min-time", "1ms", "--blocks", "8", "-o", loopbench.out(), "--",
                              "sleep 0.01; true", "sleep 0.05; cat /dev/null"});
    const auto found = cause("command");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_EQ(found["per"], "run");
    EXPECT_NEAR(growth(found, "system_call", "execve").value_or(0), 1, 0.1) << found;
    EXPECT_GT(growth(found, "allocations").value_or(0), 1) << "those of cat" << found;
}

TEST_F(causes, a_command_that_waits_longer_is_not_reported_as_slower_code) {
    if (!is_installed("strace")) GTEST_SKIP() << "strace is not installed";
    const auto begin = std::chrono::steady_clock::now();
    const auto ran = decided({"compare", "--min-time", "1ms", "--blocks", "8", "-o", loopbench.out(), "--",
                              "sleep 0.01", "sleep 0.16"});
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
    const auto found = cause("command");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_FALSE(growth(found, "allocations") || growth(found, "system_call", "mmap")) << found;
    EXPECT_SAYS(ran.output, "command: no count changed; it waits ");
    const auto waiting_ns = [&](const char* which) {
        const auto& time = found.at(which);
        return time["wall_ns"].get<double>() - time["user_ns"].get<double>() -
               time["system_ns"].get<double>();
    };
    // A sleep can last longer than asked for on a busy machine, but not shorter.
    EXPECT_GE(waiting_ns("time_before"), 9e6) << found;
    EXPECT_GE(waiting_ns("time_after"), 159e6) << found;
    EXPECT_LT(waiting_ns("time_after"), elapsed.count()) << "a run lasts no longer than all" << found;
    EXPECT_LT(waiting_ns("time_before"), waiting_ns("time_after")) << found;
}

TEST_F(causes, allocations_of_a_static_command_are_unknown) {
#ifdef LOOPBENCH_STATIC_PROGRAM
    const auto command = [](const char* number) {
        return fmt::format("{} {}", LOOPBENCH_STATIC_PROGRAM, number);
    };
    const auto ran = decided({"compare", "--min-time", "1ms", "--blocks", "8", "-o", loopbench.out(), "--",
                              command("100000"), command("20000000")});
    const auto found = cause("command");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_TRUE(is_compared(found, "context_switches")) << found;
    EXPECT_FALSE(is_compared(found, "allocations")) << found;
    EXPECT_SAYS(found["missing"].dump(), "allocations were not counted");
#else
    GTEST_SKIP() << "this system has no static C library";
#endif
}

TEST_F(causes, counts_are_unknown_if_the_log_of_iterations_is_incomplete) {
    const auto ran = compare({"--workload", "writes_messages"});
    const auto found = cause("writes_messages");
    ASSERT_FALSE(found.is_null()) << ran.output << ran.error_tail;
    EXPECT_TRUE(found["changed"].empty() && found["compared"].empty()) << found;
    EXPECT_SAYS(found["missing"].dump(), "standard error");
}

TEST_F(causes, a_report_made_from_the_journal_contains_the_causes) {
    compare({"--workload", "allocates"});
    const auto from_journal =
        loopbench({"report", loopbench.path("out/journal.jsonl").native(), "--format", "json"});
    EXPECT_EQ(from_journal.output, content_of(loopbench.path("out/report.json")));
    ASSERT_FALSE(cause("allocates").is_null());
    for (const auto* format : {"markdown", "junit", "github", "text"})
        EXPECT_SAYS(
            loopbench({"report", loopbench.path("out/report.json").native(), "--format", format}).output,
            "1 more allocation")
            << format;
}

TEST_F(causes, a_resumed_comparison_looks_for_the_causes) {
    compare({"--workload", "allocates"});
    const auto journal = loopbench.path("out/journal.jsonl");
    auto text = content_of(journal);
    text.erase(text.rfind('\n', text.size() - 2) + 1);
    ASSERT_EQ(text.find("\"causes\":["), std::string::npos);
    reports::write_file_atomically(journal, text);
    fs::remove(loopbench.path("out/report.json"));
    loopbench({"run", "--resume", loopbench.out()});
    EXPECT_FALSE(cause("allocates").is_null());
}

TEST_F(causes, options_for_causes_are_refused_for_two_reports) {
    loopbench.add_contender("asio-epoll", good_row);
    loopbench({"run", "--workload", "yield", "--blocks", "1", "-o", loopbench.out()});
    const auto report = loopbench.path("out/report.json").native();
    for (const auto* option : {"--profile", "--instructions"}) {
        const auto ran = loopbench({"compare", report, report, option});
        EXPECT_EQ(ran.code, 2);
        EXPECT_SAYS(ran.error_tail, option);
    }
}

}  // namespace

}  // namespace loopbench::tests
