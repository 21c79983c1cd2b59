// Tests that the journal contains one line for each finished trial.
#include "bench/harness/experiment/journal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "bench/harness/machine/environment.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

TEST(journal, the_first_line_of_a_journal_contains_the_plan) {
    const temporary_folder folder;
    auto plan = small_plan(3);
    plan.budget = std::chrono::milliseconds{1500};
    const bench::journal written{
        folder / "journal.jsonl",
        {.plan = plan, .command = {"loopbench", "run"}, .where = bench::read_environment()}};
    const auto lines = journal_lines(folder / "journal.jsonl");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0]["schema"], reports::journal_format.schema);
    EXPECT_EQ(lines[0]["seed"], 1);
    EXPECT_EQ(lines[0]["command"], (std::vector<std::string>{"loopbench", "run"}));
    EXPECT_EQ(lines[0]["plan"]["blocks"], 3);
    EXPECT_EQ(lines[0]["plan"]["budget_s"], 1.5);
    EXPECT_EQ(lines[0]["plan"]["contenders"], (std::vector<std::string>{"asio-epoll", "loop-epoll"}));
    EXPECT_FALSE(lines[0]["environment"].contains("host_name"));
}

TEST(journal, each_trial_is_in_the_journal_file_as_soon_as_the_trial_is_appended) {
    const temporary_folder folder;
    const auto plan = small_plan(1);
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    auto outcome = took_ns(12.5);
    outcome.metrics["spin"] = std::nullopt;
    outcome.usage = {1, 2, 3, 4, 5};
    outcome.wall = std::chrono::nanoseconds{6};
    written.append(plan, {0, {1, 0}, outcome});
    written.append(plan, {1, {0, 1}, ended(reports::result_status::failed, "a\n\"b\"")});
    const auto lines = journal_lines(folder / "journal.jsonl");
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1]["workload"], "echo");
    EXPECT_EQ(lines[1]["contender"], "asio-epoll");
    EXPECT_EQ(lines[1]["metrics"].dump(), R"({"spin":null,"time":12.5})");
    EXPECT_EQ(lines[1]["usage"]["switches_involuntary"], 5);
    EXPECT_EQ(lines[1]["wall_ns"], 6);
    EXPECT_EQ(lines[2]["block"], 1);
    EXPECT_EQ(lines[2]["status"], "failed");
    EXPECT_EQ(lines[2]["reason"], "a\n\"b\"");
}

/// Returns the causes in a journal whose profile and reason have these numbers of bytes.
std::vector<reports::slowdown_cause> causes_in_journal(std::size_t stack_bytes, std::size_t function_bytes,
                                                       std::size_t reason_bytes) {
    const temporary_folder folder;
    auto plan = small_plan(1);
    plan.causes = bench::cause_options{.profile = true};
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    reports::slowdown_cause cause{.workload = "yield", .contender = "loop-epoll"};
    cause.profiled = reports::profile{
        "perf", {{std::string(function_bytes, 'f'), 1, 2, 3}}, {{std::string(stack_bytes, 's'), 1, 2}}};
    cause.missing = {std::string(reason_bytes, 'r')};
    written.append({}, std::vector{cause});
    return bench::read_journal(content_of(folder / "journal.jsonl"), "it").causes.value();
}

reports::slowdown_cause journal_with_profile(std::size_t stack_bytes, std::size_t function_bytes) {
    return causes_in_journal(stack_bytes, function_bytes, 1).at(0);
}

TEST(journal, a_profile_that_is_too_large_for_a_line_is_shortened) {
    const auto whole = journal_with_profile(100, 100);
    ASSERT_TRUE(whole.profiled);
    EXPECT_EQ(whole.profiled->stacks.size(), 1U);
    const auto shortened = journal_with_profile(bench::journal_line_bytes_max, 100);
    ASSERT_TRUE(shortened.profiled);
    EXPECT_TRUE(shortened.profiled->stacks.empty());
    EXPECT_FALSE(journal_with_profile(100, bench::journal_line_bytes_max).profiled);
    EXPECT_TRUE(causes_in_journal(100, 100, bench::journal_line_bytes_max).empty());
}

TEST(journal, resuming_removes_the_temporary_file_of_a_killed_writer) {
    const temporary_folder folder;
    { const bench::journal begun{folder / "journal.jsonl", {.plan = small_plan(1)}}; }
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
    const auto left = folder / fmt::format("journal.jsonl.{}-0.tmp", dead);
    reports::write_file_atomically(left, "half a line");
    const bench::journal gone_on_with{folder / "journal.jsonl"};
    EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(journal, an_unwritable_journal_causes_an_error_that_contains_the_path_of_the_journal) {
    EXPECT_EQ(complaint_of<reports::file_error>([&] {
                  const bench::journal written{"/dev/full", {.plan = small_plan(1)}};
              }),
              "cannot write /dev/full: No space left on device; free some space or choose another "
              "place with -o");
}

}  // namespace

}  // namespace loopbench::tests
