// Tests the series of runs in a history, and the changes in the series.
#include "bench/harness/history/series.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>

#include "bench/harness/history/tables.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "support.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using bench::entry_of;
using bench::opening;

class series : public testing::Test {
protected:
    void add(const reports::report& report, bench::provenance from = {}) {
        store.add(entry_of(report, std::move(from)));
    }

    void add_a_change() {
        std::mt19937_64 random{7};
        std::normal_distribution<double> noise{0, 0.005};
        for (int day = 0; day < 40; ++day) {
            const bool after = day >= 30;
            add(report_of_day(day, 1.5 * std::exp(noise(random)) / (after ? 1.05 : 1), after ? 2 : 1),
                {fmt::format("commit{:02}", day), false, ""});
        }
    }

    std::vector<bench::series> read(const bench::series_choice& choice = {}) {
        runs = store.runs();
        return bench::read_series(store, runs, choice);
    }

    const empty_history history;
    bench::store store{history.place(), opening::created_if_missing};
    std::vector<bench::kept_run> runs;
};

const bench::series* find(const std::vector<bench::series>& all, std::string_view contender,
                          std::string_view metric) {
    for (const auto& each : all)
        if (each.contender == contender && each.of.metric == metric) return &each;
    return nullptr;
}

TEST_F(series, points_are_sorted_by_date) {
    for (const int day : {3, 1, 2}) add(report_of_day(day, day));
    const auto all = read({.intervals = true});
    const auto* times = find(all, "loop-epoll", "time");
    ASSERT_NE(times, nullptr);
    EXPECT_EQ(times->baseline, "asio-epoll");
    ASSERT_EQ(times->points.size(), 3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(times->points[i].value, static_cast<double>(i + 1));
    EXPECT_EQ(times->intervals.at(0).low, 0.99);
    EXPECT_EQ(times->intervals.at(2).high, 3.03);
}

TEST_F(series, a_series_has_one_machine_one_size_and_one_baseline) {
    add(report_of_day(1));
    auto other = report_of_day(2);
    other.where.cores = 64;
    add(other);
    add(report_of_day(3), {"", {}, "the left one"});
    other = report_of_day(4);
    other.plan->size = "full";
    add(other);
    other = report_of_day(5);
    other.baseline = "loop-epoll";
    std::swap(other.results[0].to_baseline, other.results[1].to_baseline);
    add(other);
    std::size_t ratios = 0;
    for (const auto& each : read({.metrics = {"time"}})) {
        if (!each.is_ratio()) continue;
        EXPECT_EQ(each.points.size(), 1);
        ++ratios;
    }
    EXPECT_EQ(ratios, 5);
    other = report_of_day(6);
    other.where.memory_bytes -= std::int64_t{100} << 20;  // a newer kernel can reserve more memory
    add(other);
    const auto all = read({.contenders = {"loop-epoll"}, .metrics = {"time"}});
    EXPECT_EQ(std::ranges::count(all, 2, [](const auto& each) { return each.points.size(); }), 1);
}

TEST_F(series, results_with_different_pairings_belong_to_different_series) {
    add(report_of_day(1));
    auto other = report_of_day(2);
    for (auto& item : other.results) item.made = reports::pairing::interleaved;
    add(other);
    const auto all = read({.contenders = {"loop-epoll"}, .metrics = {"time"}});
    ASSERT_EQ(all.size(), 2);
    EXPECT_EQ(all[0].of.made, reports::pairing::sequential);
    EXPECT_EQ(all[1].of.made, reports::pairing::interleaved);
}

std::string one_number_for(const char* places) {
    return fmt::format(R"({{"contenders": ["a"], "subjects": [{{"of": {{"workload": "w", "metric": "time",
        "unit": "ns", "direction": "smaller", "deterministic": false, "pairing": "sequential"}},
        "ratios": {{"of": {}, "medians": [1]}}, "values": {{"of": [], "medians": []}}}}]}})",
                       places);
}

TEST_F(series, the_error_for_damaged_points_names_the_place_of_the_history) {
    const auto read_from = [&](const std::string& points) {
        for (const auto& run : store.runs()) store.remove(std::array{run.id});
        auto kept = entry_of(report_of_day(1), {});
        kept.points = kept.content = points;
        store.add(kept);
        return read().size();
    };
    EXPECT_EQ(read_from(one_number_for("[0]")), 1);
    for (const auto& points :
         {std::string{"["}, std::string{"{}"}, one_number_for("[1]"), one_number_for("[0, 0]"),
          one_number_for("[-1]"), one_number_for("0"), one_number_for("[0").substr(0, 100)})
        EXPECT_SAYS(complaint_of<bench::database_error>([&] { read_from(points); }), store.place());
}

TEST_F(series, series_omit_interrupted_runs_and_unreliable_times) {
    add(report_of_day(1));
    auto interrupted = report_of_day(2);
    interrupted.complete = false;
    add(interrupted);
    auto unreliable = report_of_day(3);
    unreliable.aa = reports::self_check{"asio-epoll", "asio-epol~", reports::reliability::unreliable,
                                        "it differs", {},           {}};
    add(unreliable);
    const auto all = read();
    EXPECT_EQ(find(all, "loop-epoll", "time")->points.size(), 1);
    EXPECT_EQ(find(all, "loop-epoll", "syscalls")->points.size(), 2)
        << "counts from an unreliable machine are valid";
}

TEST_F(series, unknown_names_in_a_selection_cause_usage_errors) {
    add(report_of_day(1));
    EXPECT_THROW(read({.workloads = {"no/such"}}), bench::usage_error);
    EXPECT_THROW(read({.metrics = {"no_such"}}), bench::usage_error);
    EXPECT_EQ(read({.contenders = {"loop-*"}}).size(), 2);
    auto other = report_of_day(2);
    other.workloads[0].primary_metrics = {"cpu"};
    add(other);
    EXPECT_EQ(find(read(), "loop-epoll", "time")->points.size(), 1)
        << "time is not a primary metric of this workload";
    EXPECT_EQ(find(read({.metrics = {"time"}}), "loop-epoll", "time")->points.size(), 2)
        << "a requested metric is always included";
}

TEST_F(series, a_change_is_reported_with_its_size_and_with_the_runs_before_and_after_the_change) {
    add_a_change();
    const auto all = read();
    const auto changes = bench::changes_in(all);
    ASSERT_EQ(changes.size(), 2) << bench::changes_text(changes);
    for (const auto& change : changes) {
        EXPECT_EQ(change.at, 30);
        EXPECT_TRUE(change.is_worse());
        EXPECT_EQ(change.in->contender, "loop-epoll");
        EXPECT_EQ(change.in->points[change.at - 1].run->commit, "commit29");
        EXPECT_EQ(change.in->points[change.at].run->commit, "commit30");
        ASSERT_TRUE(change.better.low && change.better.high);
        EXPECT_LE(*change.better.low, *change.better.high);
        if (change.in->of.deterministic) {
            EXPECT_EQ(change.better.median, -1);
            EXPECT_EQ(change.before, 1);
            EXPECT_EQ(change.after, 2);
        } else {
            EXPECT_NEAR(change.better.median, -std::log(1.05), 0.005);
        }
    }
    const auto json = nlohmann::json::parse(bench::changes_json(changes));
    EXPECT_EQ(json["changes"].size(), 2);
    EXPECT_EQ(json["changes"][0]["after"]["commit"], "commit30");
}

TEST_F(series, a_new_machine_starts_a_new_series_and_causes_no_reported_change) {
    std::mt19937_64 random{7};
    std::normal_distribution<double> noise{0, 0.005};
    for (int day = 0; day < 40; ++day) {
        auto report = report_of_day(day, (day < 20 ? 1.5 : 1.2) * std::exp(noise(random)), day < 20 ? 1 : 2);
        if (day >= 20) report.where.cpu_model = "Another processor";
        add(report);
    }
    EXPECT_TRUE(bench::changes_in(read()).empty());
}

// A change of the baseline's times can be due to the machine or to the baseline. No other contender can show
// which of them changed, so the change is not reported.
TEST_F(series, the_baselines_own_times_are_shown_but_their_changes_are_not_reported) {
    for (int day = 0; day < 40; ++day) {
        auto report = report_of_day(day);
        report.results[0].median = day < 20 ? 30 : 60;
        add(report);
    }
    const auto all = read();
    EXPECT_EQ(find(all, "asio-epoll", "time")->points.size(), 40);
    EXPECT_TRUE(bench::changes_in(all).empty());
}

TEST_F(series, changes_of_the_values_are_reported_in_a_series_without_a_baseline) {
    for (int day = 0; day < 40; ++day) {
        auto report = report_of_day(day);
        report.baseline = "";
        for (auto& item : report.results) item.to_baseline.reset();
        report.results[0].median = (day < 20 ? 30 : 27) + 0.01 * (day % 7);
        add(report);
    }
    const auto all = read();
    const auto changes = bench::changes_in(all);
    ASSERT_EQ(changes.size(), 1);
    EXPECT_EQ(changes[0].at, 20);
    EXPECT_EQ(changes[0].is, bench::change_direction::better) << "less time is better";
}

std::vector<reports::report> without_baseline(const std::function<double(int day)>& time) {
    std::vector<reports::report> all;
    for (int day = 0; day < 60; ++day) {
        auto& report = all.emplace_back(report_of_day(day));
        report.baseline = "";
        for (auto& item : report.results) item.to_baseline.reset();
        report.results[0].median = time(day);
    }
    return all;
}

TEST_F(series, a_larger_spread_of_the_values_counts_as_neither_better_nor_worse) {
    std::mt19937_64 random{8};
    std::normal_distribution<double> noise{0, 1};
    for (const auto& report :
         without_baseline([&](int day) { return 100 * std::exp((day < 30 ? 0.001 : 0.1) * noise(random)); }))
        add(report);
    const auto all = read();
    const auto changes = bench::changes_in(all);
    ASSERT_EQ(changes.size(), 1) << "with this seed";
    EXPECT_EQ(changes[0].is, bench::change_direction::neither);
    EXPECT_LT(*changes[0].better.low, 0);
    EXPECT_GT(*changes[0].better.high, 0);
    EXPECT_SAYS(bench::changes_text(changes), "undecided");
    const auto json = nlohmann::json::parse(bench::changes_json(changes))["changes"][0];
    EXPECT_EQ(json["worse"], false);
    EXPECT_EQ(json["better"], false);
}

// A zero has no logarithm, and a change from zero has no percentage.
TEST_F(series, a_series_that_contains_a_zero_reports_changes_in_units_instead_of_percentages) {
    std::mt19937_64 random{7};
    std::normal_distribution<double> noise{0, 0.3};
    for (const auto& report :
         without_baseline([&](int day) { return day == 2 ? 0 : (day < 40 ? 100 : 103) + noise(random); }))
        add(report);
    const auto all = read();
    const auto changes = bench::changes_in(all);
    ASSERT_EQ(changes.size(), 1);
    EXPECT_TRUE(changes[0].is_worse());
    EXPECT_SAYS(bench::changes_text(changes), ": 3.0");
    EXPECT_SAYS(bench::changes_text(changes), " ns worse (");
    const auto size = nlohmann::json::parse(bench::changes_json(changes))["changes"][0]["better_by"];
    EXPECT_EQ(size["unit"], "ns");
    EXPECT_NEAR(size["median"].get<double>(), -3, 0.3);
}

TEST_F(series, a_series_can_be_shown_in_every_format) {
    add_a_change();
    const auto one = read({.contenders = {"loop-epoll"}, .metrics = {"time"}, .intervals = true});
    ASSERT_EQ(one.size(), 1);
    const auto lines = bench::trend_text(one);
    EXPECT_EQ(std::ranges::count(lines, '\n'), 42) << lines;
    EXPECT_SAYS(lines, "< worse");
    const auto all = read({.intervals = true});
    EXPECT_EQ(std::ranges::count(bench::trend_text(all), '\n'), 5);
    EXPECT_EQ(nlohmann::json::parse(bench::trend_json(all))["series"].size(), 4);
    EXPECT_EQ(std::ranges::count(bench::trend_csv(all), '\n'), 161);
}

}  // namespace

}  // namespace loopbench::tests
