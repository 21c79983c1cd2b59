// Journals are read back from strangers and from machines that died: what is wrong is named with its line.
#include "bench/engine/journal_read.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/engine/journal.hpp"
#include "mock_executor.hpp"
#include "reports/json.hpp"
#include "scratch_folder.hpp"

namespace loopbench::tests {

namespace {

/// A header and two trials.
std::string journal_text() {
    const scratch_folder folder;
    const auto plan = small_plan(3);
    bench::journal written{folder / "journal.jsonl", plan, {}, {"loopbench", "run"}};
    written.append(plan, {0, {1, 0}, took_ns(12.5)});
    written.append(plan, {0, {1, 1}, ended(reports::cell_status::failed, "why")});
    return content_of(folder / "journal.jsonl");
}

std::string complaint_about(const std::string& text) {
    try {
        bench::read_journal(text, "journal.jsonl");
    } catch (const reports::format_error& error) {
        return error.what();
    }
    return "";
}

std::string with(std::string text, std::string_view old, std::string_view replacement) {
    const auto at = text.find(old);
    if (at == std::string::npos) throw std::runtime_error{"the journal has no " + std::string{old}};
    return text.replace(at, old.size(), replacement);
}

TEST(journal_read, takes_back_what_was_written) {
    const auto read = bench::read_journal(journal_text(), "it");
    EXPECT_EQ(read.plan.workloads, small_plan(3).workloads);
    EXPECT_EQ(read.command, (std::vector<std::string>{"loopbench", "run"}));
    ASSERT_EQ(read.outcome.trials.size(), 2U);
    EXPECT_EQ(read.outcome.trials[0].outcome.metrics.at("time"), 12.5);
    EXPECT_EQ(read.outcome.excluded[1][1]->reason, "in block 1 of 3: why");
    EXPECT_TRUE(read.outcome.interrupted) << "there is no line that says how it ended";
}

TEST(journal_read, takes_back_what_contenders_said_and_what_was_counted) {
    const scratch_folder folder;
    auto plan = small_plan(3);
    plan.contenders[0].called = "short";
    plan.described = {reports::describe("asio-epoll", {{"library", "asio"}, {"b", 1}, {"a", {1, 2}}}),
                      reports::describe("loop-epoll", {{"socket_options", "none"}})};
    bench::journal written{folder / "journal.jsonl", plan, {}, {}};
    written.append(plan, {0, {0, 1}, took_ns(12.5)});
    const std::vector<bench::counted_cell> cells{{"yield",
                                                  "loop-epoll",
                                                  {{"waits", 0.1}, {"syscalls", 2}},
                                                  {"allocations: nobody knows"},
                                                  false,
                                                  "a tracer"}};
    written.append(cells);
    const auto read = bench::read_journal(content_of(folder / "journal.jsonl"), "it");
    EXPECT_EQ(read.plan.contenders[0].called, "short");
    ASSERT_EQ(read.plan.described.size(), 2U);
    EXPECT_EQ(read.plan.described[0].context.dump(), R"({"library":"asio","b":1,"a":[1,2]})");
    EXPECT_EQ(read.plan.described[1].socket_options, "none");
    const auto report = bench::report_of(read);
    const auto waits = std::ranges::find(report.results, "waits", &reports::result::metric);
    ASSERT_NE(waits, report.results.end());
    EXPECT_EQ(waits->contender, "loop-epoll");
    EXPECT_EQ(waits->median, 0.1);
    const auto syscalls = std::ranges::find(report.results, "syscalls", &reports::result::metric);
    ASSERT_NE(syscalls, report.results.end());
    EXPECT_EQ(syscalls->reason, "counted by a tracer");
    const auto missing = std::ranges::find(report.warnings, "counts_missing", &reports::warning::code);
    ASSERT_NE(missing, report.warnings.end());
    EXPECT_EQ(missing->message, "1 of 1 cells lack counts or checks: allocations: nobody knows");
}

TEST(journal_read, passes_over_a_last_line_that_was_cut_short) {
    const auto text = journal_text();
    const auto whole_lines = text.rfind('\n', text.size() - 2) + 1;
    for (std::size_t length = whole_lines; length < text.size(); length += 5)
        EXPECT_EQ(bench::read_journal(text.substr(0, length), "it").outcome.trials.size(), 1U) << length;
}

TEST(journal_read, names_the_line_of_what_is_wrong) {
    const auto text = journal_text();
    struct damage {
        std::string_view old, replacement, complaint;
    };
    for (const auto& [old, replacement, complaint] : {
             damage{"loopbench-journal/1", "loopbench-journal/9", "line 1: schema: "},
             damage{R"("block":0)", R"("block":3)", "line 2: block: there is no such block"},
             damage{R"("block":0)", R"("block":-1)", "line 2: block: "},
             damage{R"("attempt":0)", R"("block":0)",
                    "line 2: line 1, column 12: the key \"block\" is there twice"},
             damage{R"("status":"ok")", R"("status":"fine")", "line 2: status: "},
             damage{R"("time":12.5)", R"("time":1e400)", "line 2: line 1, column"},
             damage{R"("time":12.5)", R"("time":NaN)", "line 2: line 1, column"},
             damage{R"("time":12.5)", R"("tiem":12.5)", "line 2: metrics.tiem: there is no such metric"},
             damage{R"("contender":"asio-epoll")", R"("contender":"nobody")",
                    "line 2: contender: \"nobody\" is not in"},
             damage{R"("contender":"loop-epoll","status":"failed")",
                    R"("contender":"asio-epoll","status":"failed")", "line 3: this trial is there twice"},
             damage{R"(["asio-epoll","loop-epoll"])", R"(["loop-epoll","loop-epoll"])",
                    "line 1: plan.contenders: a name is there twice"},
         })
        EXPECT_NE(complaint_about(with(text, old, replacement)).find(complaint), std::string::npos)
            << complaint << " in " << complaint_about(with(text, old, replacement));
}

TEST(journal_read, refuses_what_would_overflow_a_stack_or_the_memory) {
    EXPECT_NE(complaint_about(std::string(100'000, '[') + "\n").find("nested more than 64 levels"),
              std::string::npos);
    const auto deep =
        with(journal_text(), R"("context":{})", R"("context":{"a":)" + std::string(100'000, '['));
    EXPECT_NE(complaint_about(journal_text().substr(0, 100)).find("line 1: it is cut short"),
              std::string::npos);
    EXPECT_NE(complaint_about(deep).find("line 2: line 1, column"), std::string::npos);
    EXPECT_NE(complaint_about("").find("it is empty"), std::string::npos);
}

}  // namespace

}  // namespace loopbench::tests
