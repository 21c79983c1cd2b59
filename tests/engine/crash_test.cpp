// A run that is killed, again and again: what it had finished is there, what it published is whole, and in the end all
// of it is done.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "bench/engine/journal_read.hpp"
#include "command_support.hpp"
#include "journal_lines.hpp"
#include "reports/json.hpp"
#include "sample_report.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;

class crash : public testing::Test {
protected:
    crash() {
        loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
        loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')");
    }

    std::vector<std::string> first_run(const char* blocks) const {
        return {"run", "--blocks", blocks, "--seed", "3", "-o", loopbench.out()};
    }

    /// Goes on with the run, if it has begun.
    std::vector<std::string> next_run(const char* blocks) const {
        if (!std::filesystem::exists(journal)) return first_run(blocks);
        return {"run", "--resume", loopbench.out()};
    }

    /// The trials of the journal so far, each once; empty when there is none yet.
    std::set<std::string> finished_trials() const {
        std::set<std::string> all;
        if (!std::filesystem::exists(journal)) return all;
        for (const auto& line : journal_lines(journal))
            if (line.contains("block")) {
                EXPECT_TRUE(all.insert(line["block"].dump() + line["attempt"].dump() +
                                       line["workload"].dump() + line["contender"].dump())
                                .second)
                    << "a trial was run twice: " << line;
            }
        return all;
    }

    std::string report_of_journal() const {
        return loopbench({"report", journal.native(), "--format", "json"}).output;
    }

    loopbench_command loopbench;
    std::filesystem::path journal = loopbench.path("out/journal.jsonl"),
                          report = loopbench.path("out/report.json");
};

TEST_F(crash, at_any_moment_loses_no_finished_trial_and_leaves_whole_reports) {
    std::filesystem::create_directory(loopbench.out());
    reports::write_file_atomically(report, reports::write_json(sample_report()));
    std::mt19937_64 random{20261121};
    std::uniform_int_distribution<int> moment_ms{0, 60};
    std::set<std::string> before;
    int killed = 0, rounds = 0;
    std::size_t kept = 0;
    for (; killed < 200 && rounds < 1000; ++rounds) {
        const auto ran = loopbench(next_run("40"), std::chrono::milliseconds{moment_ms(random)});
        const bool was_killed = ran.end == bench::child_end::timed_out;
        killed += was_killed ? 1 : 0;
        const auto after = finished_trials();
        ASSERT_TRUE(std::ranges::includes(after, before)) << "finished trials are lost";
        before = after;
        if (was_killed) kept = std::max(kept, after.size());
        if (std::filesystem::exists(report)) {
            ASSERT_NO_THROW(reports::read_json(content_of(report), "report.json"));
        }
        if (ran.end == bench::child_end::exited && ran.code == 0)
            std::filesystem::remove(journal), before.clear();
    }
    EXPECT_EQ(killed, 200);
    EXPECT_GT(kept, 40U) << "no run was killed that had measured something";
    ASSERT_EQ(loopbench(next_run("40")).code, 0);
    const auto whole = reports::read_json(content_of(report), "report.json");
    EXPECT_TRUE(whole.complete);
    for (const auto& item : whole.results)
        EXPECT_EQ(item.samples.size(), 40U) << item.contender << item.workload;
}

TEST_F(crash, is_no_crash_for_a_run_that_had_ended) {
    ASSERT_EQ(loopbench(first_run("7")).code, 0);
    const auto old = content_of(journal), old_report = content_of(report);
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_TRUE(content_of(journal).starts_with(old));
    EXPECT_EQ(content_of(report), old_report);
}

TEST_F(crash, a_report_on_a_journal_is_the_one_of_the_run_however_often) {
    loopbench.add_contender("loop-uring",
                            R"(row '"error_occurred": true, "error_message": "unsupported: refused"')");
    loopbench.add_contender(
        "loop-tick", R"([ $(trials) -lt 9 ] || exit 3; row '"real_time": 0.1, "spin": 0.3333333333333333')");
    ASSERT_EQ(loopbench(first_run("7")).code, 1);
    EXPECT_EQ(report_of_journal(), content_of(report));
    EXPECT_EQ(report_of_journal(), content_of(report));
}

TEST_F(crash, of_a_counted_run_keeps_its_counts) {
    loopbench.add_contender("asio-epoll", R"(row "\"real_time\": 5, \"time_unit\": \"ns\", )"
                                          R"(\"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    auto counting = first_run("7");
    counting.insert(counting.end(), {"--workload", "yield", "--contender", "asio-epoll", "--counts"});
    ASSERT_EQ(loopbench(counting).code, 0);
    const auto whole = content_of(report), counts = content_of(loopbench.path("out/counts.json"));
    EXPECT_NE(whole.find(R"("metric": "context_switches")"), std::string::npos) << whole;
    EXPECT_NE(whole.find("counts_missing"), std::string::npos) << whole;
    EXPECT_EQ(report_of_journal(), whole);
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_EQ(content_of(report), whole);
    EXPECT_EQ(content_of(loopbench.path("out/counts.json")), counts);
}

TEST_F(crash, forgets_nothing_of_what_contenders_said_before_they_were_measured) {
    loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')",
                            R"(, "socket_options": "client TCP_NODELAY=1; server TCP_NODELAY=1")");
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')",
                            R"(, "socket_options": "client TCP_NODELAY=1; server TCP_NODELAY=0")");
    ASSERT_EQ(loopbench(first_run("7")).code, 0);
    const auto whole = content_of(report);
    EXPECT_NE(whole.find("different_socket_options"), std::string::npos) << whole;
    EXPECT_EQ(report_of_journal(), whole);
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_EQ(content_of(report), whole);
}

TEST_F(crash, is_no_reason_to_go_on_with_a_run_that_still_goes_on) {
    loopbench.add_contender("asio-epoll", R"sh(
[ -n "$inner" ] || inner=yes $loopbench run --resume $out 2> $folder/error
echo $? >> $folder/codes
row '"real_time": 10')sh");
    EXPECT_EQ(
        loopbench.in_shell("exec $loopbench run --contender asio-epoll --workload yield --blocks 1 -o $out")
            .code,
        0);
    EXPECT_EQ(content_of(loopbench.path("codes")), "1\n1\n");  // of the baseline and its twin
    EXPECT_NE(content_of(loopbench.path("error")).find("another run writes there; wait for its end"),
              std::string::npos);
    EXPECT_EQ(first_trials_in(journal), 2);
}

TEST_F(crash, of_a_resumed_run_changes_nothing_in_the_results) {
    ASSERT_EQ(loopbench(first_run("7")).code, 0);
    const auto whole = loopbench.report();
    auto lines = content_of(journal);
    for (int i = 0; i < 20; ++i) lines.erase(lines.rfind('\n', lines.size() - 2) + 1);
    reports::write_file_atomically(journal, lines + R"({"block": 5, "workl)");
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_EQ(loopbench.report()["results"], whole["results"]);
    EXPECT_EQ(loopbench.report()["aa"], whole["aa"]);
    EXPECT_EQ(loopbench.report()["complete"], true);
}

TEST_F(crash, is_not_resumed_with_other_executables_or_without_a_journal) {
    EXPECT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 2);
    ASSERT_EQ(loopbench(first_run("1")).code, 0);
    EXPECT_EQ(loopbench({"run", "--resume", loopbench.out(), "--blocks", "9"}).code, 2);
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 555')");
    const auto refused = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.error_tail.find("loop-epoll has changed since the run began"), std::string::npos)
        << refused.error_tail;
}

}  // namespace

}  // namespace loopbench::tests
