// Tests the data of the trends page.
#include "bench/harness/history/trends_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "support.hpp"

namespace loopbench::tests {

namespace {

using bench::opening;

class trends_page : public testing::Test {
protected:
    trends_page() {
        std::mt19937_64 random{7};
        std::normal_distribution<double> noise{0, 0.005};
        for (int day = 0; day < 40; ++day)
            store.add(
                bench::entry_of(report_of_day(day, 1.5 * std::exp(noise(random)) / (day < 30 ? 1 : 1.05)),
                                {fmt::format("commit{:02}", day), false, ""}));
    }

    nlohmann::json shown(const std::string& reports = "", std::size_t points_max = bench::points_shown_max) {
        const auto runs = store.runs();
        const auto all = bench::read_series(store, runs, {.intervals = true});
        const auto page = bench::write_trends_page(store, runs, all, reports, points_max);
        pages = page.runs.size();
        constexpr std::string_view begin = "id=\"data\">";
        const auto from = page.html.find(begin) + begin.size();
        return nlohmann::json::parse(
            page.html.substr(from, page.html.find("</script>", from) - from))["history"];
    }

    static nlohmann::json line_of(const nlohmann::json& history, std::string_view metric,
                                  std::string_view contender) {
        for (const auto& chart : history["charts"])
            for (const auto& line : chart["lines"])
                if (chart["of"]["metric"] == metric &&
                    history["contenders"][line["contender"].get<std::size_t>()]["name"] == contender)
                    return line;
        return {};
    }

    const empty_history history;
    bench::store store{history.place(), opening::created_if_missing};
    std::size_t pages = 0;
};

TEST_F(trends_page, the_trends_page_contains_every_run_every_point_and_the_change) {
    const auto all = shown();
    EXPECT_EQ(all["runs"].size(), 40);
    EXPECT_EQ(all["contenders"][1]["library"], "loop");
    const auto line = line_of(all, "time", "loop-epoll");
    EXPECT_EQ(line["values"].size(), 40);
    ASSERT_EQ(line["changes"].size(), 1);
    EXPECT_EQ(line["changes"][0]["at"], 30);
    EXPECT_EQ(line["changes"][0]["is"], "worse");
}

TEST_F(trends_page, a_constant_series_is_written_as_one_number) {
    EXPECT_EQ(line_of(shown(), "syscalls", "loop-epoll")["values"], 1);
}

TEST_F(trends_page, runs_link_to_their_report_pages_if_the_folder_of_the_report_pages_is_given) {
    EXPECT_TRUE(shown()["runs"][0]["page"].is_null());
    const auto all = shown("../reports");
    EXPECT_EQ(all["reports"], "../reports");
    EXPECT_EQ(all["runs"][0]["page"], bench::report_page_name(store.runs()[0]));
}

// The test uses the ratio of loop-epoll, because each of the other series is constant and written as a single
// number.
TEST_F(trends_page, a_page_with_too_many_runs_keeps_the_latest_runs_and_their_changes) {
    const auto most = shown("", 20);
    EXPECT_EQ(most["all_runs"], 40);
    EXPECT_EQ(most["runs"].size(), 20);
    EXPECT_EQ(pages, 20);
    EXPECT_EQ(most["runs"][19]["build"], "commit39");
    EXPECT_EQ(line_of(most, "time", "loop-epoll")["changes"][0]["at"], 10);
    const auto few = shown("", 5);
    EXPECT_EQ(few["runs"].size(), 5);
    EXPECT_TRUE(line_of(few, "time", "loop-epoll")["changes"].empty())
        << "the change is before the shown runs";
    EXPECT_EQ(shown("", 0)["runs"].size(), 1);
}

TEST_F(trends_page, the_page_does_not_count_runs_that_are_in_no_series) {
    auto interrupted = report_of_day(41);
    interrupted.complete = false;
    store.add(bench::entry_of(interrupted, {}));
    EXPECT_EQ(shown()["runs"].size(), 40);
    EXPECT_EQ(shown()["all_runs"], 40) << "the page has all runs";
}

}  // namespace

}  // namespace loopbench::tests
