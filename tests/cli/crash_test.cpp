// Tests `run --resume` and `report` on the journals of finished, interrupted and killed runs.
#include <gtest/gtest.h>

#include "bench/harness/experiment/record.hpp"
#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"

namespace loopbench::tests {

namespace {

class crash : public testing::Test {
protected:
    crash() {
        loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
        loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')");
    }

    std::vector<std::string> first_run(const char* blocks) const {
        return {"run", "--blocks", blocks, "--seed", "3", "-o", loopbench.out()};
    }

    std::string report_of_journal() const {
        return loopbench({"report", journal.native(), "--format", "json"}).output;
    }

    loopbench_command loopbench;
    std::filesystem::path journal = loopbench.path("out/journal.jsonl"),
                          report = loopbench.path("out/report.json");
};

TEST_F(crash, resuming_a_finished_run_changes_no_result) {
    ASSERT_EQ(loopbench(first_run("7")).code, 0);
    const auto old = content_of(journal), old_report = content_of(report);
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_TRUE(content_of(journal).starts_with(old));
    EXPECT_EQ(content_of(report), old_report);
}

TEST_F(crash, the_report_that_is_made_from_a_journal_equals_the_report_of_the_run) {
    loopbench.add_contender("loop-uring",
                            R"(row '"error_occurred": true, "error_message": "unsupported: refused"')");
    loopbench.add_contender(
        "loop-tick", R"([ $(trials) -lt 9 ] || exit 3; row '"real_time": 0.1, "spin": 0.3333333333333333')");
    ASSERT_EQ(loopbench(first_run("7")).code, 1);
    EXPECT_EQ(report_of_journal(), content_of(report));
    EXPECT_EQ(report_of_journal(), content_of(report));
}

TEST_F(crash, resuming_a_run_with_counts_keeps_the_counts) {
    loopbench.add_contender("asio-epoll", R"(row "\"real_time\": 5, \"time_unit\": \"ns\", )"
                                          R"(\"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    auto counting = first_run("7");
    counting.insert(counting.end(), {"--workload", "yield", "--contender", "asio-epoll", "--counts"});
    ASSERT_EQ(loopbench(counting).code, 0);
    const auto whole = content_of(report), counts = content_of(loopbench.path("out/counts.json"));
    EXPECT_SAYS(whole, R"("metric": "context_switches")");
    EXPECT_SAYS(whole, "counts_missing");
    EXPECT_EQ(report_of_journal(), whole);
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_EQ(content_of(report), whole);
    EXPECT_EQ(content_of(loopbench.path("out/counts.json")), counts);
}

TEST_F(crash, resuming_a_run_that_was_killed_while_counting_completes_the_counts) {
    loopbench.add_contender("asio-epoll", R"sh(
[ -z "$LOOPBENCH_OPERATIONS" ] || [ -e $folder/killed ] || {
  touch $folder/killed; kill -KILL $loopbench_pid; sleep 9
}
row "\"real_time\": 5, \"operations\": ${LOOPBENCH_OPERATIONS:-10}")sh");
    EXPECT_NE(
        loopbench
            .in_shell(
                "loopbench_pid=$$ exec $loopbench run --workload yield --contender asio-epoll --blocks 7 "
                "--counts -o $out")
            .code,
        0);
    ASSERT_TRUE(std::filesystem::exists(loopbench.path("killed")));
    EXPECT_EQ(content_of(journal).find("\"counted\""), std::string::npos);
    ASSERT_EQ(loopbench.in_shell("exec $loopbench run --resume $out").code, 0);
    EXPECT_SAYS(content_of(report), R"("metric": "context_switches")");
    EXPECT_EQ(report_of_journal(), content_of(report));
    EXPECT_TRUE(std::filesystem::exists(loopbench.path("out/counts.json")));
    ASSERT_EQ(loopbench(first_run("1")).code, 0);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("out/counts.json")))
        << "it belongs to an earlier run";
}

TEST_F(crash, a_new_run_removes_the_counts_of_an_earlier_run) {
    const auto counts = loopbench.path("out/counts.json");
    const auto run =
        "loopbench_pid=$$ exec $loopbench run --workload yield --contender asio-epoll --blocks 7 "
        "--counts -o $out";
    loopbench.add_contender("asio-epoll",
                            R"(row "\"real_time\": 5, \"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    ASSERT_EQ(loopbench.in_shell(run).code, 0);
    ASSERT_TRUE(std::filesystem::exists(counts));
    loopbench.add_contender("asio-epoll", "kill -KILL $loopbench_pid; sleep 9");
    EXPECT_NE(loopbench.in_shell(run).code, 0);
    EXPECT_FALSE(std::filesystem::exists(counts));
}

TEST_F(crash, an_unwritable_counts_file_does_not_prevent_the_table_and_the_reports) {
    loopbench.add_contender("asio-epoll", R"(row "\"real_time\": 5, \"time_unit\": \"ns\", )"
                                          R"(\"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    const auto ran = loopbench.in_shell(
        "mkdir -p $out/counts.json/full; exec $loopbench run --workload yield --contender asio-epoll "
        "--blocks 7 "
        "--counts -o $out");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "counts.json: Is a directory");
    EXPECT_SAYS(ran.output, "5.00ns");
    EXPECT_EQ(report_of_journal(), content_of(report));
    const auto mended = loopbench.in_shell("rm -r $out/counts.json; exec $loopbench run --resume $out");
    EXPECT_EQ(mended.code, 0) << mended.error_tail;
    EXPECT_SAYS(content_of(report), R"("metric": "context_switches")");
    EXPECT_EQ(report_of_journal(), content_of(report));
}

TEST_F(crash, a_journal_preserves_the_descriptions_of_the_contenders_for_later_reports) {
    loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')",
                            R"(, "socket_options": "client TCP_NODELAY=1; server TCP_NODELAY=1")");
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')",
                            R"(, "socket_options": "client TCP_NODELAY=1; server TCP_NODELAY=0")");
    ASSERT_EQ(loopbench(first_run("7")).code, 0);
    const auto whole = content_of(report);
    EXPECT_SAYS(whole, "different_socket_options");
    EXPECT_EQ(report_of_journal(), whole);
    ASSERT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 0);
    EXPECT_EQ(content_of(report), whole);
}

TEST_F(crash, a_run_in_progress_cannot_be_resumed) {
    loopbench.add_contender("asio-epoll", R"sh(
[ -n "$inner" ] || inner=yes $loopbench run --resume $out 2> $folder/error
echo $? >> $folder/codes
row '"real_time": 10')sh");
    EXPECT_EQ(
        loopbench.in_shell("exec $loopbench run --contender asio-epoll --workload yield --blocks 1 -o $out")
            .code,
        0);
    EXPECT_EQ(content_of(loopbench.path("codes")), "1\n1\n");
    EXPECT_SAYS(content_of(loopbench.path("error")), "another run");
    EXPECT_EQ(first_trials_in(journal), 2);
}

TEST_F(crash, resuming_a_killed_run_gives_the_results_of_an_uninterrupted_run) {
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

TEST_F(crash, a_resumed_run_uses_the_asio_design_of_its_first_start) {
    loopbench.add_contender("asio-epoll",
                            R"(echo "$LOOPBENCH_ASIO," >> $folder/loops; row '"real_time": 5')");
    const auto loops_of = [&](const std::string& begun_with) {
        const auto run = "exec $loopbench run --contender asio-epoll --workload yield --blocks 1 -o $out";
        EXPECT_EQ(loopbench.in_shell("rm -f $folder/loops; " + begun_with + run).code, 0);
        const auto whole = content_of(journal);
        reports::write_file_atomically(journal, whole.substr(0, whole.find('\n') + 1));
        EXPECT_EQ(loopbench.in_shell("LOOPBENCH_ASIO=epoll exec $loopbench run --resume $out").code, 0);
        return content_of(loopbench.path("loops"));
    };
    EXPECT_EQ(loops_of("LOOPBENCH_ASIO=io_uring "), "io_uring,\nio_uring,\nio_uring,\nio_uring,\n");
    EXPECT_EQ(loops_of(""), ",\n,\n,\n,\n");
}

TEST_F(crash, resuming_a_run_with_other_allowed_cpus_is_refused) {
    ASSERT_EQ(loopbench(first_run("1")).code, 0);
    auto text = content_of(journal);
    const std::string_view cpus = "\"cpus\":[";
    const auto at = text.find(cpus) + cpus.size();
    const auto here = text.substr(at, text.find(']', at) - at);
    reports::write_file_atomically(journal, text.insert(at, "9999,"));
    const auto refused = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_EQ(refused.code, 2);
    for (const auto& said : {"CPUs 9999," + here, "now use " + here, std::string{"taskset -c 9999"}})
        EXPECT_SAYS(refused.error_tail, said);
}

TEST_F(crash, resuming_a_run_with_changed_executables_or_without_a_journal_is_refused) {
    EXPECT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 2);
    ASSERT_EQ(loopbench(first_run("1")).code, 0);
    EXPECT_EQ(loopbench({"run", "--resume", loopbench.out(), "--blocks", "9"}).code, 2);
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 555')");
    const auto refused = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "loop-epoll has changed");
}

}  // namespace

}  // namespace loopbench::tests
