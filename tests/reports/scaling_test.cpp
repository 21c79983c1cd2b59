// Tests the curves of a report, and their texts: which results are points of a curve, and which ratios to one
// thread are significant.
#include "reports/model/scaling.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "reports/render/formats/markdown.hpp"
#include "reports/render/scaling_text.hpp"
#include "reports/render/summary_sentences.hpp"
#include "reports/render/terminal/screen.hpp"
#include "reports/render/terminal/text_table.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using reports::point_state;
using reports::result_status;
using enum reports::verdict;

using samples = std::vector<double>;

const samples steady(10, 100.0);

samples times(double factor, samples all) {
    for (double& each : all) each *= factor;
    return all;
}

reports::result with_samples(const std::string& workload, const char* contender, const char* metric,
                             const samples& all) {
    auto item = measured_as(workload.c_str(), contender, metric, all[all.size() / 2]);
    item.samples.assign(all.begin(), all.end());
    return item;
}

std::string with_threads(int count) {
    return fmt::format("threads/post/threads:{}", count);
}

reports::result time_of(const char* contender, int threads, const samples& all) {
    return with_samples(with_threads(threads), contender, "time", all);
}

reports::result missing(const char* contender, int threads, result_status status, std::string reason) {
    return missing_as(with_threads(threads).c_str(), contender, status, std::move(reason));
}

reports::report session_with(std::vector<reports::result> results) {
    auto report = report_with(std::move(results));
    report.plan = reports::planned{};
    return report;
}

std::vector<reports::curve_set> sets_of(const reports::report& report) {
    return curves_of(reports::report_index{report});
}

/// Returns the curve of the contender in the only set of the report.
reports::curve curve_of(const reports::report& report, std::string_view contender) {
    const auto sets = sets_of(report);
    EXPECT_EQ(sets.size(), 1U);
    if (sets.size() != 1) return {};
    const auto found = std::ranges::find(sets[0].curves, contender, &reports::curve::contender);
    EXPECT_NE(found, sets[0].curves.end());
    return found == sets[0].curves.end() ? reports::curve{} : *found;
}

std::string text_of_threads(const reports::report& report) {
    for (const auto& each : reports::summary_sentences_of(report))
        if (each.about == reports::topic::threads) return each.text;
    return "";
}

TEST(scaling, workloads_that_differ_in_one_number_are_a_set) {
    using names = std::vector<const char*>;
    using titles = std::vector<std::string>;
    const std::vector<std::pair<names, titles>> all{
        {{"gather/children:10", "gather/children:100"}, {"gather/children:*"}},
        {{"echo/conns:1/bytes:64", "echo/conns:1/bytes:1024", "echo/conns:100/bytes:64",
          "echo/conns:100/bytes:1024"},
         {"echo/conns:*/bytes:64", "echo/conns:*/bytes:1024", "echo/conns:1/bytes:*",
          "echo/conns:100/bytes:*"}},
        {{"echo/conns:1/bytes:64", "echo/conns:100/bytes:1024"}, {}},
        {{"a/us:10", "b/us:100"}, {}},
        {{"sort/8", "sort/16"}, {}},
        {{"sort/kind:quick", "sort/kind:heap"}, {}},
        {{"sort/n:1k", "sort/n:2k"}, {}},
        {{"sort/n:0", "sort/n:1"}, {}},
        {{"sort/n:-1", "sort/n:1"}, {}},
        {{"sort/:1", "sort/:2"}, {}},
        {{"n:1/sort", "n:2/sort"}, {}},
        {{"sort/n:99999999999999999999", "sort/n:1"}, {}},
        {{"sort/bytes:1", "sort/bytes:2", "post/threads:1", "post/threads:2"},
         {"post/threads:*", "sort/bytes:*"}},
    };
    for (const auto& [given, expected] : all) {
        auto report = report_with({});
        for (const auto* name : given) report.results.push_back(measured_as(name, "asio-epoll", "time", 100));
        titles found;
        for (const auto& each : sets_of(report)) found.push_back(each.title);
        EXPECT_EQ(found, expected) << given.front();
    }
}

TEST(scaling, values_are_sorted_as_numbers_and_a_missing_one_is_no_point) {
    auto report = report_with({measured_as("echo/conns:1000", "loop", "time", 3),
                               measured_as("echo/conns:9", "loop", "time", 1),
                               measured_as("echo/conns:100", "asio", "time", 2)});
    const auto set = sets_of(report).at(0);
    std::vector<std::uint64_t> values;
    for (const auto& each : set.values) values.push_back(each.value);
    EXPECT_EQ(values, (std::vector<std::uint64_t>{9, 100, 1000}));
    EXPECT_EQ(set.name, "echo");
    EXPECT_FALSE(set.is_speed);
    const auto loop = curve_of(report, "loop");
    EXPECT_EQ(loop.points[1].state, point_state::missing);
    EXPECT_EQ(loop.points[2].item->median, 3);
}

TEST(scaling, the_metric_is_the_time_if_it_is_primary_and_otherwise_the_first_primary_metric) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> all{
        {{"time", "cpu"}, "time"},
        {{"fairness", "time"}, "time"},
        {{"late_p50", "cpu"}, "late_p50"},
        {{"capacity"}, "time"},  // no result has a capacity
    };
    for (const auto& [primary, expected] : all) {
        auto report = report_with({});
        for (const auto* name : {"a/threads:1", "a/threads:2"}) {
            report.workloads.push_back({name, primary});
            for (const auto* metric : {"time", "cpu", "late_p50", "fairness"})
                report.results.push_back(measured_as(name, "loop", metric, 100));
        }
        const auto set = sets_of(report).at(0);
        EXPECT_EQ(set.metric, expected);
        EXPECT_EQ(set.is_speed, expected == "time");
    }
}

TEST(scaling, a_ratio_to_one_thread_is_the_median_of_the_ratios_within_blocks) {
    // The machine becomes slower from block to block, which changes the medians but no ratio.
    const samples one{100, 110, 150, 220, 300, 400, 500, 650, 800, 900};
    const auto report = session_with({time_of("loop", 1, one), time_of("loop", 2, times(0.5, one)),
                                      with_samples(with_threads(1), "loop", "cpu", one),
                                      with_samples(with_threads(2), "loop", "cpu", times(27, one))});
    const auto point = curve_of(report, "loop").points.at(1);
    ASSERT_TRUE(point.work && point.work->low && point.cpu_per_operation && point.cpu_per_operation->high);
    EXPECT_NEAR(*point.work->low, 2, 1e-9);
    EXPECT_NEAR(*point.work->high, 2, 1e-9);
    EXPECT_EQ(point.work->judged, faster);
    EXPECT_NEAR(point.cpu_per_operation->median, 27, 1e-9);
    EXPECT_NEAR(*point.cpu_per_operation->high, 27, 1e-9);
    EXPECT_EQ(point.cpu_per_operation->judged, slower);
    const auto share = share_of_linear(*point.work, 2);
    EXPECT_NEAR(share.median, 1, 1e-9);
    EXPECT_FALSE(curve_of(report, "loop").points.at(0).work) << "one thread has no ratio to itself";
}

TEST(scaling, the_sentence_about_threads_comes_before_the_one_about_speed) {
    auto fast = judged_as(with_threads(1).c_str(), "fast", "time", 50, {"", 2.0, 1.8, 2.2}, faster);
    fast.samples.assign(steady.size(), 50.0);
    const auto report =
        session_with({time_of("asio-epoll", 1, steady), fast, time_of("asio-epoll", 2, times(14, steady))});
    std::vector<reports::topic> topics;
    for (const auto& each : reports::summary_sentences_of(report)) topics.push_back(each.about);
    const auto place = [&topics](reports::topic about) { return std::ranges::find(topics, about); };
    ASSERT_NE(place(reports::topic::cost), topics.end());
    EXPECT_LT(place(reports::topic::threads), place(reports::topic::cost));
}

TEST(scaling, the_interval_of_cpu_time_keeps_its_ends_in_order) {
    samples two;
    for (int i = 0; i < 10; ++i) two.push_back(300.0 + 10 * i);
    const auto report = session_with({time_of("loop", 1, steady), time_of("loop", 2, steady),
                                      with_samples(with_threads(1), "loop", "cpu", steady),
                                      with_samples(with_threads(2), "loop", "cpu", two)});
    const auto cost = curve_of(report, "loop").points.at(1).cpu_per_operation;
    ASSERT_TRUE(cost && cost->low && cost->high);
    EXPECT_LT(*cost->low, cost->median);
    EXPECT_GT(*cost->high, cost->median);
    EXPECT_GT(*cost->low, 3);
    EXPECT_LT(*cost->high, 4);
}

TEST(scaling, a_ratio_is_judged_by_its_interval) {
    const samples around_one{80, 130, 90, 110, 125, 70, 95, 120, 85, 140};
    const samples few(3, 50.0);
    const std::vector<std::tuple<samples, samples, reports::verdict>> all{
        {steady, times(0.5, steady), faster},   {steady, times(14, steady), slower},
        {steady, steady, equivalent},           {steady, around_one, inconclusive},
        {samples(3, 100.0), few, inconclusive},
    };
    for (const auto& [one, two, expected] : all) {
        const auto report = session_with({time_of("loop", 1, one), time_of("loop", 2, two)});
        const auto work = curve_of(report, "loop").points.at(1).work;
        ASSERT_TRUE(work);
        EXPECT_EQ(work->judged, expected) << two.front();
        EXPECT_EQ(says(text_of_threads(report), "does"), reports::is_difference(expected))
            << text_of_threads(report);
    }
}

TEST(scaling, without_independent_pairs_a_ratio_has_no_interval_and_no_sentence) {
    using report = reports::report;
    const std::vector<std::pair<const char*, void (*)(report&)>> all{
        {"another program measured the results", [](report& each) { each.plan.reset(); }},
        {"layouts", [](report& each) { each.plan->layouts = 8; }},
        {"hosts", [](report& each) { each.hosts.emplace(); }},
    };
    for (const auto& [why, change] : all) {
        auto content = session_with({time_of("loop", 1, steady), time_of("loop", 2, times(0.5, steady))});
        change(content);
        const auto work = curve_of(content, "loop").points.at(1).work;
        ASSERT_TRUE(work) << why;
        EXPECT_NEAR(work->median, 2, 1e-9) << why;
        EXPECT_FALSE(work->low) << why;
        EXPECT_EQ(work->judged, inconclusive) << why;
        EXPECT_FALSE(says(text_of_threads(content), "does")) << why;
    }
}

TEST(scaling, results_of_different_pairings_and_disturbed_workloads_have_no_verdict) {
    auto content = session_with({time_of("loop", 1, steady), time_of("loop", 2, times(0.5, steady))});
    for (const int threads : {1, 2}) {
        auto disturbed = content;
        disturbed.disturbed.workloads = {with_threads(threads)};
        EXPECT_EQ(curve_of(disturbed, "loop").points.at(1).work->judged, inconclusive) << threads;
    }
    content.results[0].made = reports::pairing::interleaved;
    EXPECT_FALSE(curve_of(content, "loop").points.at(1).work);
    content.results[0].made = content.results[1].made = reports::pairing::concurrent;
    EXPECT_FALSE(sets_of(content).at(0).is_speed) << "CPU time is no speed of several threads";
}

TEST(scaling, a_contender_without_one_thread_has_points_but_no_ratio) {
    const auto report = session_with({time_of("loop", 1, steady), time_of("loop", 2, steady),
                                      time_of("late", 2, steady), time_of("late", 4, steady)});
    const auto curve = curve_of(report, "late");
    EXPECT_EQ(curve.points.at(0).state, point_state::missing);
    for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
        EXPECT_EQ(curve.points.at(at).state, point_state::measured);
        EXPECT_FALSE(curve.points.at(at).work);
    }
}

TEST(scaling, cpu_time_of_zero_has_no_ratio) {
    for (const auto& [one, two] : {std::pair{0.0, 5.0}, {5.0, 0.0}, {0.0, 0.0}}) {
        auto report = session_with({time_of("loop", 1, steady), time_of("loop", 2, times(0.5, steady)),
                                    with_samples(with_threads(1), "loop", "cpu", samples(10, one)),
                                    with_samples(with_threads(2), "loop", "cpu", samples(10, two))});
        const auto point = curve_of(report, "loop").points.at(1);
        EXPECT_TRUE(point.work);
        EXPECT_TRUE(point.cpu);
        EXPECT_FALSE(point.cpu_per_operation);
        EXPECT_FALSE(says(text_of_threads(report), "CPU"));
        report.plan.reset();
        EXPECT_FALSE(curve_of(report, "loop").points.at(1).cpu_per_operation);
    }
}

TEST(scaling, a_time_of_zero_is_no_speed) {
    const auto report = session_with({time_of("loop", 1, steady), time_of("loop", 2, steady),
                                      time_of("zero", 1, samples(10, 0.0)), time_of("zero", 2, steady)});
    EXPECT_EQ(curve_of(report, "zero").points.at(0).state, point_state::missing);
    EXPECT_FALSE(curve_of(report, "zero").points.at(1).work);
}

reports::result threads_per_core(const char* contender, int threads) {
    return measured_as(with_threads(threads).c_str(), contender, "threads_per_core", 2);
}

/// Returns a report with every state of a point: two contenders, and 1 to 32 threads.
reports::report with_every_state() {
    return session_with({
        time_of("loop", 1, steady),
        time_of("other", 1, steady),
        time_of("loop", 2, times(0.5, steady)),
        missing("other", 2, result_status::failed, "killed by SIGSEGV"),
        time_of("loop", 4, steady),
        threads_per_core("loop", 4),
        time_of("other", 4, steady),
        threads_per_core("other", 4),
        missing("loop", 8, result_status::unsupported, "it needs 8 cores"),
        missing("other", 8, result_status::unsupported, "it needs 8 cores"),
        missing("loop", 16, result_status::unsupported, "it needs 16 cores"),
        missing("other", 16, result_status::unsupported, "it needs 16 cores"),
        missing("loop", 32, result_status::not_run, "the budget was used up"),
    });
}

TEST(scaling, results_without_numbers_and_oversubscribed_ones_have_a_state_and_no_ratio) {
    using enum point_state;
    const std::map<std::string, std::vector<point_state>> all{
        {"loop", {measured, measured, oversubscribed, unsupported, unsupported, not_run}},
        {"other", {measured, failed, oversubscribed, unsupported, unsupported, point_state::missing}},
    };
    for (const auto& [contender, expected] : all) {
        std::vector<point_state> found;
        for (const auto& each : curve_of(with_every_state(), contender).points) {
            found.push_back(each.state);
            EXPECT_TRUE(!each.work || each.state == measured);
        }
        EXPECT_EQ(found, expected) << contender;
    }
}

TEST(scaling, a_set_has_two_values_with_points) {
    auto report = with_every_state();
    std::erase_if(report.results, [](const auto& item) { return item.workload == with_threads(2); });
    EXPECT_TRUE(sets_of(report).empty());
    EXPECT_EQ(text_of_threads(report), "");
}

TEST(scaling, a_note_gives_the_reasons_of_missing_points) {
    const auto report = with_every_state();
    const auto note = note_about_missing(sets_of(report).at(0));
    EXPECT_SAYS(note, "Failed: other with 2 threads (killed by SIGSEGV).");
    EXPECT_SAYS(note, "Not run: 32 threads.");
    EXPECT_SAYS(note, "Oversubscribed: 4 threads.");
    EXPECT_SAYS(note, "Unsupported: 8 and 16 threads.");
    const auto complete = session_with({time_of("loop", 1, steady), time_of("loop", 2, steady)});
    EXPECT_EQ(note_about_missing(sets_of(complete).at(0)), "");
}

TEST(scaling, a_note_names_no_threads_for_a_contender_whose_points_all_have_the_state) {
    const auto report = session_with({time_of("loop", 1, steady), time_of("loop", 2, steady),
                                      missing("other", 1, result_status::unsupported, "no io_uring"),
                                      missing("other", 2, result_status::unsupported, "no io_uring")});
    EXPECT_EQ(note_about_missing(sets_of(report).at(0)), "Unsupported: other.");
}

TEST(scaling, the_table_shows_shares_with_intervals_and_the_states_of_other_results) {
    auto report = with_every_state();
    report.results.push_back(with_samples(with_threads(1), "loop", "cpu", steady));
    report.results.push_back(with_samples(with_threads(2), "loop", "cpu", times(1.5, steady)));
    using rows = std::vector<std::vector<std::string>>;
    const auto shown = threads_table(sets_of(report).at(0), reports::report_index{report});
    EXPECT_EQ(shown, (rows{{"contender", "1 thread", "2 threads", "4 threads", "32 threads"},
                           {"loop", "10.0 M/s [9.90 M/s, 10.1 M/s]", "100 % [100 %, 100 %], CPU 1.50×",
                            "oversubscribed", "not run"},
                           {"other", "10.0 M/s [9.90 M/s, 10.1 M/s]", "failed", "oversubscribed", "-"}}));
}

reports::report with_a_loss_and_a_gain() {
    auto report = session_with({});
    const auto add = [&](const char* who, const char* workload, double time, double cpu) {
        for (const auto& [threads, factor, cost] : {std::tuple{1, 1.0, 1.0}, {2, time, cpu}}) {
            const auto name = fmt::format("threads/{}/threads:{}", workload, threads);
            report.results.push_back(with_samples(name, who, "time", times(factor, steady)));
            report.results.push_back(with_samples(name, who, "cpu", times(cost, steady)));
        }
    };
    add("asio-shared", "post", 14, 27);
    add("asio-each", "post", 0.52, 1);
    add("floor-epoll", "post", 0.5, 1);
    add("loop-each", "echo", 0.55, 1.1);
    add("asio-shared", "echo", 1.2, 2.1);
    return report;
}

TEST(scaling, the_summary_names_the_greatest_loss_and_the_greatest_gain) {
    const auto report = with_a_loss_and_a_gain();
    const auto text = text_of_threads(report);
    EXPECT_SAYS(text,
                "with its second thread, asio-shared does 0.07× (0.07 to 0.07) as much work as with one "
                "on threads/post, for 27.0× the CPU time per operation");
    EXPECT_SAYS(text, "asio-each does 1.92×");
    EXPECT_FALSE(says(text, "loop-each"));
    EXPECT_FALSE(says(text, "floor"));
    EXPECT_FALSE(says(text, "undecided"));
    for (const auto& each : reports::summary_sentences_of(report))
        if (each.about == reports::topic::threads) {
            EXPECT_EQ(each.from.size(), 8U);
        }
}

TEST(scaling, a_sentence_about_a_set_orders_the_contenders_and_leaves_out_equal_cpu_times) {
    const auto report = with_a_loss_and_a_gain();
    const auto sets = sets_of(report);
    ASSERT_EQ(sets.size(), 2U);
    EXPECT_EQ(sentence_about(sets[0], reports::report_index{report}),
              "With its second thread, asio-each does 1.92× (1.92 to 1.92) as much work as with one; "
              "asio-shared 0.07× (0.07 to 0.07), for 27.0× the CPU time per operation.");
    auto level = report;
    for (auto& item : level.results)
        if (item.contender == "asio-each") item.samples.assign(10, 100.0);
    EXPECT_SAYS(sentence_about(sets_of(level)[0], reports::report_index{level}),
                "as much as with one (equivalent): asio-each");
}

TEST(scaling, a_sentence_about_many_contenders_names_the_first_and_the_last) {
    auto report = session_with({});
    for (const auto& [who, factor] : {std::pair{"a", 0.9}, {"b", 0.5}, {"c", 0.8}, {"d", 14.0}, {"e", 1.0}}) {
        report.results.push_back(time_of(who, 1, steady));
        report.results.push_back(time_of(who, 2, times(factor, steady)));
    }
    const auto sets = sets_of(report);
    EXPECT_EQ(
        sentence_about(sets.at(0), reports::report_index{report}),
        "With its second thread, b does 2.00× (2.00 to 2.00) as much work as with one; d 0.07× (0.07 to "
        "0.07); 2 contenders between them; as much as with one (equivalent): e.");
}

TEST(scaling, an_unreliable_session_states_no_gain) {
    auto report = with_a_loss_and_a_gain();
    report.aa->found = reports::reliability::unreliable;
    EXPECT_EQ(text_of_threads(report), "");
    const reports::report_index index{report};
    const auto set = curves_of(index).at(0);
    EXPECT_EQ(sentence_about(set, index), "");
    for (const auto& row : threads_table(set, index))
        if (row[0] != "contender") {
            EXPECT_SAYS(row[2], " %?");
        }
}

TEST(scaling, the_screen_shows_the_share_of_linear_scaling_instead_of_time_and_cpu) {
    const auto text = reports::draw_screen(with_a_loss_and_a_gain());
    EXPECT_SAYS(text, "THREADS ");
    EXPECT_SAYS(text, "share of linear scaling");
    for (const auto* cell : {"10.0M/s", " 96%", " 3.6%", " 91%", " 42%"}) EXPECT_SAYS(text, cell);
    EXPECT_FALSE(says(text, "CPU/op")) << text;
    EXPECT_FALSE(says(text, "100%")) << "no row is that of a floor";
    const auto states = reports::draw_screen(with_every_state());
    for (const auto* cell : {"failed", "oversubscribed", "not run", "it needs 8 cores"})
        EXPECT_SAYS(states, cell);
    EXPECT_FALSE(says(states, "it needs 16 cores")) << "only the first number without results has a reason";
}

TEST(scaling, the_texts_contain_the_tables_and_escape_names) {
    auto report = with_a_loss_and_a_gain();
    for (auto& item : report.results)
        if (item.contender == "asio-each") item.contender = "a|b\x1b[31m";
    const auto markdown = reports::write_markdown(report), table = reports::write_table(report);
    EXPECT_SAYS(markdown, "### threads/post: share of linear scaling");
    EXPECT_SAYS(markdown, "| a\\|b?\\[31m | 10.0 M/s");
    EXPECT_SAYS(table, "threads/post: share of linear scaling");
    EXPECT_SAYS(table, "96 % [96 %, 96 %], CPU 1.00×");
    EXPECT_EQ(table.find('\x1b'), std::string::npos);
    const auto without = report_with({measured_as("yield", "asio-epoll", "time", 100)});
    EXPECT_FALSE(says(reports::write_table(without), "linear"));
    EXPECT_FALSE(says(reports::write_markdown(without), "linear"));
}

}  // namespace

}  // namespace loopbench::tests
