// Tests `loopbench compare` on builds that differ only in code placement, which must not look like a change
// of the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

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

TEST_F(compare_layouts, layouts_with_different_benchmarks_are_refused) {
    add_layouts("old", 200000);
    add_layouts("new", 200000);
    auto other = content_of(folder_of("old") / "07");
    const std::string_view old = "yield/real_time\\n";
    other.replace(other.find(old), old.size(), "yielt/real_time\\n");
    reports::write_file_atomically(folder_of("old") / "07", other);
    fs::permissions(folder_of("old") / "07", fs::perms::owner_all);
    const auto ran = run();
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "old/07 have different benchmarks");
}

}  // namespace

}  // namespace loopbench::tests
