// Tests `loopbench compare` on builds that differ only in code placement, which must not look like a change
// of the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

class compare_layouts : public testing::Test {
protected:
    fs::path folder_of(const std::string& side) const { return loopbench.path("bin/contenders/" + side); }

    void add(const std::string& side, const std::string& name, int ns) {
        fs::create_directories(folder_of(side));
        loopbench.add_contender(
            side + "/" + name,
            fmt::format(R"sh(row "\"real_time\": $(( {} + 400 * (($(trials) * 37) % 3 - 1) ))"  # {})sh", ns,
                        name));
    }

    void add_layouts(const std::string& side, int ns, std::size_t first = 0) {
        constexpr std::array pct{3, -3, 2, -2, 3, -3, 1, -1, 2, -2, 1, -1};
        for (std::size_t i = 0; i < pct.size(); ++i)
            add(side, fmt::format("{:02}", i + 1), ns + ns / 100 * pct[(i + first) % pct.size()]);
    }

    bench::child_outcome run(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"compare", folder_of("old").native(), folder_of("new").native(),
                                   "--blocks", "12", "--seed", "3", "-o", loopbench.out()});
        return loopbench(more);
    }

    loopbench_command loopbench;
};

TEST_F(compare_layouts, unchanged_code_shows_no_difference_although_its_layouts_differ_in_speed) {
    add_layouts("old", 200000);
    add_layouts("new", 200000, 1);
    const auto ran = run();
    EXPECT_NE(ran.code, 3) << ran.output;
    EXPECT_TRUE(fits_the_schema(loopbench.report()));
    const auto single = loopbench({"compare", (folder_of("old") / "01").native(),
                                   (folder_of("new") / "01").native(), "-o", loopbench.path("one").native()});
    EXPECT_SAYS(single.error_tail, "each build has one layout");
}

TEST_F(compare_layouts, a_slower_build_is_a_regression_and_the_effect_of_the_layout_is_reported) {
    add_layouts("old", 200000);
    add_layouts("new", 220000, 1);
    const auto ran = run();
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    const auto report = loopbench.report();
    EXPECT_EQ(report["plan"]["layouts"], 12);
    const auto found = time_of(report, "new");
    EXPECT_EQ(found["verdict"], "slower");
    EXPECT_NEAR(found["layout_pct"].get<double>(), 2.1, 1);
    EXPECT_SAYS(ran.output, fmt::format("{:.1f} %", found["layout_pct"].get<double>()));
}

TEST_F(compare_layouts, too_few_layouts_for_any_verdict_are_reported_before_the_first_trial) {
    for (const auto* name : {"1", "2", "3", "4", "5", "6"}) {
        add("old", name, 200000);
        add("new", name, 220000);
    }
    const auto early = run({"--budget", "1ms"});  // it ends before the first trial
    EXPECT_SAYS(early.error_tail, "6 layouts of each build cannot show a difference in a comparison of 2");
    EXPECT_SAYS(early.error_tail, "link at least 7 layouts of each build, or choose fewer benchmarks");
    const auto two = run();
    EXPECT_EQ(two.code, 4) << two.output;
    EXPECT_SAYS(two.error_tail, "some verdicts need more layouts; link at least 7 layouts of each build");
    EXPECT_FALSE(says(two.error_tail, "--blocks 6")) << "does not help: " << two.error_tail;
    const auto one = run({"--workload", "yield"});
    EXPECT_EQ(one.code, 3) << one.output << one.error_tail;
    EXPECT_FALSE(says(one.error_tail, "cannot show a difference"));
    EXPECT_SAYS(one.error_tail, "or use --blocks 6");
}

TEST_F(compare_layouts, each_trial_records_its_layout_and_each_layout_runs_once_per_cycle) {
    add_layouts("old", 200000);
    add_layouts("new", 200000);
    run({"--workload", "yield"});
    std::map<std::string, std::set<std::string>> had;
    for (const auto& line : journal_lines(loopbench.path("out/journal.jsonl")))
        if (line.contains("layout")) had[line["contender"]].insert(line["layout"].get<std::string>());
    EXPECT_EQ(had.size(), 3U) << "the A/A copy has the same layouts";
    for (const auto& [contender, layouts] : had) EXPECT_EQ(layouts.size(), 12U) << contender;
    EXPECT_TRUE(fs::exists(folder_of("old") / "07.trials")) << "layout 07 ran";
}

TEST_F(compare_layouts, a_resumed_comparison_uses_the_layouts_of_the_original_plan) {
    add_layouts("old", 200000);
    add_layouts("new", 200000);
    run({"--workload", "yield"});
    const auto journal = loopbench.path("out/journal.jsonl");
    const auto layouts = [&] {
        std::map<std::pair<int, std::string>, std::string> all;
        for (const auto& line : journal_lines(journal))
            if (line.contains("layout")) all[{line["block"], line["contender"]}] = line["layout"];
        return all;
    };
    const auto whole = layouts();
    auto text = content_of(journal);
    for (int i = 0; i < 12; ++i) text.erase(text.rfind('\n', text.size() - 2) + 1);
    reports::write_file_atomically(journal, text);
    ASSERT_LT(layouts().size(), whole.size());
    const auto resumed = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_NE(resumed.code, 2) << resumed.error_tail;
    EXPECT_EQ(layouts(), whole);
}

TEST_F(compare_layouts, folders_without_layouts_are_refused_with_a_remedy) {
    add_layouts("new", 200000);
    const auto complaint = [&](const char* wanted) {
        const auto ran = run();
        EXPECT_EQ(ran.code, 2) << ran.error_tail;
        EXPECT_SAYS(ran.error_tail, wanted);
        fs::remove_all(folder_of("old"));
    };
    fs::create_directories(folder_of("old"));
    complaint("no executables; expected builds");
    fs::create_directories(folder_of("old"));
    reports::write_file_atomically(folder_of("old") / "report.json", "{}");
    complaint("report.json");
    for (const auto* name : {"1", "2", "3", "4", "5"}) add("old", name, 200000 + name[0]);
    complaint("contains 5 executables, but a comparison of layouts needs 6 ");
    add_layouts("old", 200000);
    add("old", "a13", 200000);
    complaint("01 and a13");
    add_layouts("old", 200000);
    fs::copy_file(folder_of("old") / "07", folder_of("old") / "13");
    complaint("identical files 07 and 13");
    add_layouts("old", 200000);
    add("old", "13", 200000);
    reports::write_file_atomically(folder_of("old") / "13",
                                   content_of(folder_of("old") / "13") + std::string(500, '#'));
    fs::permissions(folder_of("old") / "13", fs::perms::owner_all);
    complaint("sizes differ too much");
    loopbench.add_contender("old", good_row);
    complaint("/old is an executable and ");
}

TEST_F(compare_layouts, a_layout_with_other_benchmarks_is_refused_or_its_trials_fail) {
    add_layouts("old", 200000);
    add_layouts("new", 200000);
    const auto rename_benchmark = [&](const char* layout) {
        const auto file = folder_of("old") / layout;
        auto other = content_of(file);
        const std::string_view old = "yield/real_time\\n";
        other.replace(other.find(old), old.size(), "yielt/real_time\\n");
        reports::write_file_atomically(file, other);
        fs::permissions(file, fs::perms::owner_all);
    };
    rename_benchmark("12");
    const auto ran = run();
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "old/12 have different benchmarks");
}

TEST_F(compare_layouts, a_layout_whose_listing_takes_too_long_is_not_called_another_program) {
    add_layouts("old", 200000);
    add_layouts("new", 200000);
    const auto file = folder_of("old") / "12";
    auto slow = content_of(file);
    slow.insert(slow.find('\n') + 1, "case $* in *list*) sleep 600;; esac\n");
    reports::write_file_atomically(file, slow);
    fs::permissions(file, fs::perms::owner_all);
    const auto ran = run({"--budget", "2s"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "no result within");
    EXPECT_SAYS(ran.error_tail, "--budget");
    EXPECT_EQ(ran.error_tail.find("different benchmarks"), std::string::npos) << ran.error_tail;
}

/// A program that is no contender of the suite. It appends its name and its first argument to the file
/// `starts` beside its folder.
std::string logging_layout(const std::string& name) {
    return fmt::format(R"sh(echo "${{0##*/}} $1" >> "${{0%/*}}.starts"  # {}
case "$*" in
*--benchmark_filter=^\$) ;;
*--benchmark_list_tests*) echo sort/8 ;;
*)  echo '{{"context": {{}}, "benchmarks": [{{"name": "sort/8", "real_time": 10, "cpu_time": 10}}]}}' ;;
esac
)sh",
                       name);
}

TEST_F(compare_layouts, a_build_is_listed_once_and_its_last_layout_is_checked_once) {
    for (const auto* side : {"old", "new"}) {
        fs::create_directories(loopbench.path(side));
        for (int i = 1; i <= 12; ++i) {
            const auto name = fmt::format("{}/{:02}", side, i);
            fs::rename(loopbench.add_program("program", logging_layout(name)), loopbench.path(name));
        }
    }
    const auto ran = loopbench({"compare", loopbench.path("old").native(), loopbench.path("new").native(),
                                "--blocks", "1", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 4) << "one block decides nothing: " << ran.error_tail;
    for (const auto* side : {"old", "new"}) {
        std::map<std::string, int> listed;
        std::istringstream starts{content_of(loopbench.path(std::string{side} + ".starts"))};
        for (std::string layout, argument; starts >> layout >> argument;)
            if (argument.starts_with("--benchmark_list_tests")) ++listed[layout];
        EXPECT_LE(listed["01"], 3) << "the names, the noise and the description";
        EXPECT_EQ(listed["12"], 1);
        EXPECT_EQ(listed.size(), 2U) << side;
    }
}

}  // namespace

}  // namespace loopbench::tests
