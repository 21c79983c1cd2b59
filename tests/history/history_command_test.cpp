// Tests `loopbench history` and `run --history`, also on a full disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/harness/history/store.hpp"
#include "reports/model/json.hpp"
#include "support.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

class history_command : public testing::Test {
protected:
    bench::child_outcome run(const std::string& name, std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"history", name, "--history", history.place()});
        return loopbench(more);
    }

    std::string write(const reports::report& report, const std::string& name) const {
        const auto file = loopbench.path(name).native();
        reports::write_file_atomically(file, reports::write_json(report));
        return file;
    }

    nlohmann::json runs() const {
        const auto listed = run("list", {"--json"});
        EXPECT_EQ(listed.code, 0) << listed.error_tail;
        return nlohmann::json::parse(listed.output)["runs"];
    }

    const empty_history history;
    loopbench_command loopbench;
};

TEST_F(history_command, a_report_can_be_added_listed_shown_and_exported) {
    const auto report = report_of_day(1);
    const auto file = write(report, "report.json");
    const auto added = run("add", {file, "--commit", "0123456789abcdef0123456789abcdef01234567", "--dirty"});
    EXPECT_EQ(added.code, 0) << added.error_tail;
    EXPECT_EQ(added.error_tail, "");
    EXPECT_EQ(run("add", {file}).code, 0) << "again";
    ASSERT_EQ(runs().size(), 1);
    EXPECT_EQ(runs()[0]["dirty"], true);
    EXPECT_SAYS(run("list").output, "0123456789+");
    EXPECT_SAYS(run("show", {"1"}).output, "loop-epoll");
    EXPECT_EQ(run("export", {"1"}).output, reports::write_json(report));
    const auto exported = loopbench.path("points.csv").native();
    EXPECT_EQ(run("export", {"-o", exported}).code, 0);
    EXPECT_SAYS(content_of(exported), "loop-epoll,time,ns,smaller,sequential,asio-epoll,1.5,");
    EXPECT_EQ(run("export", {"1", "--workload", "yield"}).code, 2) << "a report is exported as a whole";
    for (const auto* none : {"2", "0", "99999999999", "99999999999999999999"})
        EXPECT_EQ(run("export", {none}).code, 2) << none;
}

TEST_F(history_command, unknown_fields_of_a_newer_version_are_exported_unchanged) {
    auto newer = reports::to_json(report_of_day(1));
    newer["results"][0]["not known here"] = {1, 2.5, nullptr};
    const auto file = loopbench.path("report.json").native(), text = reports::dump(newer, 1) + "\n";
    reports::write_file_atomically(file, text);
    ASSERT_EQ(run("add", {file}).code, 0);
    EXPECT_EQ(run("export", {"1"}).output, text);
}

TEST_F(history_command, a_refused_file_is_named_and_the_files_added_before_it_are_kept) {
    const auto good = write(report_of_day(1), "good.json"), bad = loopbench.path("bad.json").native();
    reports::write_file_atomically(bad, "{}");
    const auto ran = run("add", {good, bad});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "bad.json");
    EXPECT_EQ(runs().size(), 1);
    EXPECT_EQ(run("add", {good, good}).code, 0);
    EXPECT_EQ(runs().size(), 1);
}

TEST_F(history_command, the_changes_command_exits_with_code_3_if_a_new_change_is_worse) {
    std::vector<std::string> files;
    std::mt19937_64 random{3};
    std::normal_distribution<double> noise{0, 0.005};
    for (int day = 0; day < 30; ++day)
        files.push_back(write(report_of_day(day, (day < 22 ? 1.5 : 1.4) * std::exp(noise(random))),
                              fmt::format("{}.json", day)));
    ASSERT_EQ(run("add", files).code, 0);
    ASSERT_EQ(run("add", {write(report_of_day(30, 1.4), "30.json"), "--commit", "the-last"}).code, 0);
    const auto all = run("changes");
    EXPECT_EQ(all.code, 0) << "without --since, the exit code is 0";
    EXPECT_SAYS(all.output, "loop-epoll on yield: ");
    EXPECT_SAYS(all.output, " % worse (");
    EXPECT_EQ(run("changes", {"--since", "2026-01-20"}).code, 3);
    const auto after = run("changes", {"--since", "2026-01-24", "--json"});
    EXPECT_EQ(after.code, 0) << "the change is before this date";
    EXPECT_EQ(nlohmann::json::parse(after.output)["changes"].size(), 0);
    EXPECT_EQ(run("changes", {"--since", "the-l"}).code, 0);
    EXPECT_EQ(run("changes", {"--since", "2026-01-23T13:00:00+10:00"}).code, 3) << "03:00 in UTC";
    EXPECT_EQ(run("changes", {"--since", "no-such"}).code, 2);
    EXPECT_EQ(run("changes", {"--since", ""}).code, 2) << "a variable that is not set";
    EXPECT_EQ(run("changes", {"--workload", "no/such"}).code, 2);
    EXPECT_EQ(run("trend", {"--contender", "loop-epoll", "--metric", "time"}).code, 0);
    EXPECT_EQ(run("prune", {"--keep", "5"}).code, 0);
    EXPECT_EQ(runs().size(), 5);
    EXPECT_EQ(run("prune", {"--before", "2026-02-02"}).code, 0);
    EXPECT_EQ(runs().size(), 2);
    EXPECT_EQ(run("prune").code, 2);
    EXPECT_EQ(run("prune", {"--before", "tomorrow"}).code, 2);
    for (const auto* number : {"-1", "1.5", "99999999999999999999"})
        EXPECT_EQ(run("prune", {"--keep", number}).code, 2) << number;
}

TEST_F(history_command, the_option_since_accepts_only_an_unambiguous_prefix_of_a_commit) {
    const auto add = [&](int day, const char* commit) {
        return run("add", {write(report_of_day(day), "report.json"), "--commit", commit}).code;
    };
    int day = 0;
    for (const auto* commit : {"v1.1", "v1", "cafe01", "cafe02", "cafe02"}) ASSERT_EQ(add(++day, commit), 0);
    const auto either = run("changes", {"--since", "cafe"});
    EXPECT_EQ(either.code, 2);
    EXPECT_SAYS(either.error_tail, "cafe01 and cafe02");
    for (const auto* one : {"cafe01", "cafe02", "v1", "v1."})
        EXPECT_EQ(run("changes", {"--since", one}).code, 0) << one;
}

TEST_F(history_command, trends_are_shown_in_the_requested_format) {
    ASSERT_EQ(run("add", {write(report_of_day(1), "1.json"), write(report_of_day(2), "2.json")}).code, 0);
    EXPECT_EQ(run("trend", {"--format", "text"}).output, run("trend").output);
    EXPECT_EQ(run("trend", {"--format", "json"}).output, run("trend", {"--json"}).output);
    const auto page = loopbench.path("pages/trends.html").native();
    fs::create_directory(loopbench.path("pages"));
    const auto written = run("trend", {"--format", "html", "-o", page, "--reports", loopbench.path("runs")});
    EXPECT_EQ(written.code, 0) << written.error_tail;
    EXPECT_TRUE(content_of(page).starts_with("<!DOCTYPE html>"));
    EXPECT_SAYS(content_of(page), R"("reports":"../runs")");
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator{loopbench.path("runs")})
        names.push_back(each.path().filename().native());
    std::ranges::sort(names);
    ASSERT_EQ(names.size(), 2);
    EXPECT_TRUE(names[1].starts_with("2-2026-01-03T03-04-05Z-")) << names[1];
    for (const auto& wrong : std::vector<std::vector<std::string>>{{"--format", "csv"},
                                                                   {"--format", "html", "--json"},
                                                                   {"--format", "html", "--reports", "x"},
                                                                   {"-o", page, "--reports", "x"}})
        EXPECT_EQ(run("trend", wrong).code, 2) << wrong.back();
}

TEST_F(history_command, a_run_that_reuses_the_number_and_date_of_a_removed_run_has_its_own_page) {
    const auto page = loopbench.path("trends.html").native(), pages = loopbench.path("pages").native();
    for (const double ratio : {1.5, 1.6}) {
        ASSERT_EQ(run("add", {write(report_of_day(1, ratio), "1.json")}).code, 0);
        EXPECT_EQ(runs()[0]["run"], 1);
        EXPECT_EQ(run("trend", {"--format", "html", "-o", page, "--reports", pages}).code, 0);
        EXPECT_EQ(run("prune", {"--keep", "0"}).code, 0);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator{pages}, fs::directory_iterator{}), 2);
}

TEST_F(history_command, an_environment_variable_selects_the_history) {
    const auto file = write(report_of_day(1), "report.json");
    const auto data = loopbench.in_shell(
        "unset LOOPBENCH_HISTORY; export XDG_DATA_HOME=$folder/data; $loopbench "
        "history add " +
        file + " && $loopbench history list");
    EXPECT_EQ(data.code, 0) << data.error_tail;
    EXPECT_TRUE(fs::exists(loopbench.path("data/loopbench/history.db")));
    EXPECT_EQ(
        loopbench
            .in_shell("export LOOPBENCH_HISTORY='" + history.place() + "'; $loopbench history add " + file)
            .code,
        0);
    EXPECT_EQ(runs().size(), 1);
    EXPECT_EQ(loopbench.in_shell("unset LOOPBENCH_HISTORY XDG_DATA_HOME HOME; $loopbench history list").code,
              2);
}

TEST_F(history_command, a_run_adds_its_report_to_the_history_and_shows_no_password) {
    loopbench.add_contender("asio-epoll", good_row);
    loopbench.add_contender("loop-epoll", good_row);
    const auto ran = loopbench({"run", "--blocks", "2", "-o", loopbench.out(), "--history", history.place()});
    EXPECT_NE(ran.code, 1) << ran.error_tail;
    ASSERT_EQ(runs().size(), 1);
    EXPECT_EQ(run("export", {"1"}).output, content_of(loopbench.path("out/report.json")));
    EXPECT_EQ(run("add", {loopbench.path("out/journal.jsonl").native()}).code, 0);
    EXPECT_EQ(runs().size(), 1) << "the journal and the report are one run";
    const auto nowhere = loopbench({"run", "--blocks", "2", "-o", loopbench.path("never").native(),
                                    "--history=postgresql://me:secret@localhost:1/none"});
    EXPECT_EQ(nowhere.code, 1);
    EXPECT_EQ(nowhere.error_tail.find("secret"), std::string::npos) << nowhere.error_tail;
    EXPECT_FALSE(fs::exists(loopbench.path("never"))) << "the refusal comes before the measurement";
}

// The test runs in the folder .git, where git knows the commit but cannot tell whether the sources are clean.
TEST_F(history_command, a_run_records_an_unknown_state_of_the_sources_if_git_cannot_determine_the_state) {
    loopbench.add_contender("asio-epoll", good_row);
    const auto ran = loopbench.in_shell("export LOOPBENCH_HISTORY='" + history.place() + R"('
            git init -q $folder/sources && cd $folder/sources
            git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
            $loopbench run --blocks 1 -o $out --history
            cd .git && $loopbench run --blocks 1 -o $out --history)");
    ASSERT_EQ(runs().size(), 2) << ran.error_tail;
    EXPECT_EQ(runs()[0]["commit"].get<std::string>().size(), 40);
    EXPECT_EQ(runs()[0]["dirty"], false);
    EXPECT_EQ(runs()[1]["commit"], runs()[0]["commit"]);
    EXPECT_TRUE(runs()[1]["dirty"].is_null());
}

TEST_F(history_command, a_password_in_a_misplaced_url_is_not_shown) {
    const std::string url = "'postgresql://me:secret@h/db'",
                      with_a_blank = "'postgresql://me:se secret@h/db'";
    for (const auto& words : {"history list " + url, "history list " + with_a_blank, "history show " + url,
                              "history add " + url, "run " + url}) {
        const auto ran = loopbench.in_shell("XDG_DATA_HOME=$folder/data $loopbench " + words);
        EXPECT_EQ(ran.code, 2);
        EXPECT_SAYS(ran.error_tail, "postgresql://me:***@h/db");
        EXPECT_EQ(ran.error_tail.find("secret"), std::string::npos) << ran.error_tail;
    }
}

TEST_F(history_command, two_concurrently_added_reports_are_both_kept) {
    write(large_report(1), "1.json");
    write(large_report(2), "2.json");
    const auto both = loopbench.in_shell("export LOOPBENCH_HISTORY='" + history.place() +
                                         "'; $loopbench history add $folder/1.json & first=$!; "
                                         "$loopbench history add $folder/2.json && wait $first");
    EXPECT_EQ(both.code, 0) << both.error_tail;
    EXPECT_EQ(runs().size(), 2);
}

TEST_F(history_command, adding_a_report_beyond_the_file_size_limit_changes_nothing_and_causes_an_error) {
    if (!history.is_file()) return;
    ASSERT_EQ(run("add", {write(report_of_day(1), "1.json")}).code, 0);
    write(large_report(2), "2.json");
    const auto full = loopbench.in_shell("ulimit -f 300; $loopbench history add --history '" +
                                         history.place() + "' $folder/2.json");
    EXPECT_EQ(full.code, 1) << full.error_tail;
    EXPECT_SAYS(full.error_tail, "space");
    EXPECT_EQ(runs().size(), 1);
    EXPECT_EQ(run("add", {loopbench.path("2.json").native()}).code, 0) << "when there is";
    EXPECT_EQ(runs().size(), 2);
}

// The test fills a small file system, which disappears when the shell ends. A limit of the file size would
// not simulate a full disk.
TEST_F(history_command, adding_a_report_on_a_full_disk_changes_nothing_and_causes_an_error) {
    if (!history.is_file()) return;
    constexpr int refused = 77;
    write(report_of_day(1), "1.json");
    write(large_report(2), "2.json");
    const auto ran = loopbench.in_shell(R"(
        mount_anywhere="unshare --mount"
        $mount_anywhere true 2>/dev/null || mount_anywhere="unshare --map-root-user --mount"
        $mount_anywhere true 2>/dev/null || exit 77
        exec $mount_anywhere sh -c '
            mkdir $folder/small && mount -t tmpfs -o size=1m none $folder/small || exit 77
            export LOOPBENCH_HISTORY=$folder/small/history.db
            $loopbench history add $folder/1.json || exit
            dd if=/dev/zero of=$folder/small/others bs=16k 2>/dev/null
            $loopbench history add $folder/2.json; echo "full: $?"
            $loopbench history list --json || exit
            rm $folder/small/others
            $loopbench history add $folder/2.json && $loopbench history export 2 -o $folder/again.json')");
    if (ran.code == refused) GTEST_SKIP() << "no file system can be mounted here";
    ASSERT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_SAYS(ran.output, "full: 1");
    EXPECT_SAYS(ran.error_tail, "free some space");
    EXPECT_SAYS(ran.output, "\"run\": 1");
    EXPECT_EQ(ran.output.find("\"run\": 2"), std::string::npos) << ran.output;
    EXPECT_EQ(content_of(loopbench.path("again.json")), content_of(loopbench.path("2.json")));
}

TEST_F(history_command, a_file_that_is_not_a_history_causes_a_usage_error) {
    const auto file = write(report_of_day(1), "report.json");
    for (const auto* command : {"list", "trend", "changes", "export"})
        EXPECT_EQ(loopbench({"history", command, "--history", file}).code, 2) << command;
    EXPECT_EQ(loopbench({"history", "add", file, "--history", file}).code, 2);
    EXPECT_EQ(loopbench({"history"}).code, 2);
    const auto unknown = loopbench({"history", "lst"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_SAYS(unknown.error_tail, "did you mean list?");
    EXPECT_EQ(run("list", {"--jsn"}).code, 2);
}

}  // namespace

}  // namespace loopbench::tests
