// Tests the summary sentences, which must not claim more than the numbers show.
#include "reports/render/summary_sentences.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "reports/model/json.hpp"
#include "reports/model/report_index.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using reports::result_status;
using reports::topic;
using enum reports::verdict;

const reports::summary_sentence* find(const std::vector<reports::summary_sentence>& all, topic about) {
    const auto found = std::ranges::find(all, about, &reports::summary_sentence::about);
    return found == all.end() ? nullptr : &*found;
}

std::string said(const reports::report& report, topic about) {
    const auto all = reports::summary_sentences_of(report);
    const auto* const found = find(all, about);
    return found == nullptr ? "" : found->text;
}

reports::report three_on(const char* workload) {
    return report_with({measured_as(workload, "asio-epoll", "time", 100),
                        judged_as(workload, "near", "time", 52, {"", 1.9, 1.7, 2.1}, faster),
                        judged_as(workload, "best", "time", 50, {"", 2.0, 1.8, 2.2}, faster),
                        judged_as(workload, "far", "time", 80, {"", 1.2, 1.1, 1.3}, faster)});
}

TEST(summary_sentences, contenders_with_overlapping_intervals_share_the_first_place) {
    const auto report = three_on("yield");
    const auto text = said(report, topic::cost);
    EXPECT_TRUE(says(text, "best and near") || says(text, "near and best")) << text;
    EXPECT_FALSE(says(text, "far")) << text;
    auto apart = report;
    apart.results[1].to_baseline->high = 1.79;
    EXPECT_FALSE(says(said(apart, topic::cost), "near")) << said(apart, topic::cost);
}

TEST(summary_sentences, a_contender_that_is_significantly_slower_than_one_of_the_leaders_is_not_a_leader) {
    const auto with_best = [](reports::verdict best) {
        return report_with({measured_as("yield", "asio-epoll", "time", 100),
                            judged_as("yield", "wide", "time", 67, {"", 1.5, 0.98, 2.0}, best),
                            judged_as("yield", "narrow", "time", 71, {"", 1.4, 1.38, 1.42}, faster),
                            judged_as("yield", "beaten", "time", 91, {"", 1.1, 1.05, 1.15}, faster)});
    };
    const auto both = said(with_best(faster), topic::cost);
    EXPECT_TRUE(both.starts_with("wide and narrow are 1.40× to 1.50× as fast as asio-epoll on yield;"))
        << both;
    const auto one = said(with_best(inconclusive), topic::cost);
    EXPECT_TRUE(one.starts_with("narrow is 1.40× as fast as asio-epoll on yield (1.38 to 1.42);")) << one;
    EXPECT_SAYS(one, "wide is not significantly slower");
}

TEST(summary_sentences, only_contenders_that_are_significantly_faster_have_the_ratio) {
    auto report = report_with({measured_as("yield", "asio-epoll", "time", 100),
                               judged_as("yield", "first", "time", 71, {"", 1.4, 1.3, 1.5}, faster),
                               judged_as("yield", "level", "time", 77, {"", 1.3, 0.9, 1.6}, inconclusive),
                               judged_as("yield", "behind", "time", 120, {"", 0.8, 0.7, 0.9}, slower),
                               measured_as("spawn", "asio-epoll", "time", 100),
                               judged_as("spawn", "first", "time", 98, {"", 1.02, 0.98, 1.06}, inconclusive),
                               judged_as("spawn", "level", "time", 99, {"", 1.01, 0.97, 1.05}, inconclusive),
                               judged_as("spawn", "behind", "time", 120, {"", 0.8, 0.7, 0.9}, slower)});
    const auto text = said(report, topic::cost);
    EXPECT_SAYS(
        text, "first is 1.40× as fast as asio-epoll on both workloads where the difference is significant;");
    EXPECT_SAYS(text, "level is not significantly slower than it");
    for (const auto* workload : {"yield", "spawn"})
        report.results.push_back(measured_as(workload, "first", "threads_per_core", 2));
    EXPECT_EQ(said(report, topic::cost), "") << "threads shared cores";
}

TEST(summary_sentences,
     a_contender_that_is_not_significantly_faster_than_the_baseline_shares_the_baselines_place) {
    auto report = report_with({measured_as("yield", "asio-epoll", "time", 100),
                               judged_as("yield", "maybe", "time", 90, {"", 1.1, 1.02, 1.2}, inconclusive),
                               judged_as("yield", "behind", "time", 120, {"", 0.8, 0.7, 0.9}, slower),
                               judged_as("yield", "open", "time", 120, {"", 0.8, 0.7, 0.95}, inconclusive)});
    const auto all = reports::standings(report, "yield", "time");
    std::vector<std::string> group;
    for (const auto& each : reports::leaders(all, report.baseline)) group.push_back(each.item->contender);
    EXPECT_EQ(group, (std::vector<std::string>{"maybe", "asio-epoll", "open"}));
    EXPECT_FALSE(says(said(report, topic::cost), "behind"));
    EXPECT_SAYS(said(report, topic::undecided), "time 2 of 3");
}

TEST(summary_sentences, a_summary_sentence_counts_undecided_results_and_does_not_describe_them) {
    auto report = three_on("yield");
    for (auto& item : report.results)
        if (item.judged) item.judged = inconclusive;
    EXPECT_EQ(said(report, topic::cost), "");
    EXPECT_EQ(said(report, topic::limit), "");
    EXPECT_SAYS(said(report, topic::undecided), "time 3 of 3");
    for (auto& item : report.results) item.to_baseline.reset(), item.judged.reset();
    EXPECT_EQ(said(report, topic::cost), "");
    EXPECT_SAYS(said(report, topic::undecided), "verdict against asio-epoll");
}

TEST(summary_sentences, the_summary_of_an_unreliable_session_states_no_differences) {
    auto report = three_on("echo/conns:1000");
    report.contenders = {reports::describe("best", {{"driver", "io_uring"}}),
                         reports::describe("far", {{"driver", "epoll"}})};
    report.results.push_back(measured_as("idle/timer", "far", "spin", 0.99));
    report.results[2].to_epoll = reports::driver_ratio{"far", 1.6, 1.5, 1.7, faster};
    EXPECT_NE(said(report, topic::connections), "");
    report.aa->found = reports::reliability::unreliable;
    report.aa->reason = "it differs from itself";
    for (const auto& each : reports::summary_sentences_of(report))
        EXPECT_TRUE(each.about == topic::caution || each.about == topic::waiting) << each.text;
    EXPECT_SAYS(said(report, topic::caution), "it differs from itself");
}

TEST(summary_sentences, a_floor_is_named_as_a_limit_and_never_as_the_fastest_contender) {
    auto report = three_on("yield");
    report.results.push_back(judged_as("yield", "floor-epoll", "time", 10, {"", 10, 9.9, 10.1}, faster));
    report.results[2].times_floor = reports::floor_multiple{"floor-epoll", 5, 4.9, 5.1};
    report.results[1].times_floor = reports::floor_multiple{"floor-epoll", 5.2, 4.9, 5.4};
    EXPECT_FALSE(says(said(report, topic::cost), "floor"));
    EXPECT_SAYS(said(report, topic::limit), " 5.");
}

// The sentence must give the ratio that was measured in pairs. The quotient of two ratios to the baseline can
// differ from it.
TEST(summary_sentences, the_paired_ratio_of_io_uring_to_epoll_is_stated_for_each_number_of_connections) {
    auto report = three_on("echo/conns:1000");
    for (auto& item : three_on("echo/conns:10").results) report.results.push_back(item);
    EXPECT_EQ(said(report, topic::connections), "") << "no ratio was measured in pairs";
    const auto pair = [&](std::size_t at, double ratio, reports::verdict found) {
        ASSERT_EQ(report.results[at].contender, "best");
        report.results[at].to_epoll = reports::driver_ratio{"far", ratio, ratio, ratio, found};
    };
    pair(2, 1.5, faster);
    pair(6, 1.25, inconclusive);
    EXPECT_EQ(said(report, topic::connections),
              "best (io_uring) against far (epoll), times as fast: 1.25× (undecided) on echo/conns:10, "
              "1.50× on echo/conns:1000.");
    auto cpu = measured_as("echo/conns:1000", "best", "cpu", 4e3);
    cpu.to_epoll = reports::driver_ratio{"far", 2.25, 2, 2.5, equivalent};
    report.results.push_back(cpu);
    EXPECT_SAYS(said(report, topic::connections), "; CPU: 2.25× (equivalent) on echo/conns:1000.");
}

TEST(summary_sentences, a_contender_whose_interval_has_swapped_ends_can_be_a_leader) {
    auto report = three_on("echo/conns:1000");
    report.results[2].to_baseline = reports::ratio{"asio-epoll", 2.0, 2.2, 1.8};
    const auto all = reports::standings(report, "echo/conns:1000", "time");
    const auto group = reports::leaders(all, report.baseline);
    ASSERT_FALSE(group.empty());
    EXPECT_EQ(group.front().item->contender, "best");
    EXPECT_SAYS(said(report, topic::cost), "best");
}

// Each ratio compares a contender with its own older result, so the ratios do not show which contender is
// faster.
TEST(summary_sentences, a_comparison_of_two_reports_ranks_no_contenders) {
    auto report = three_on("echo/conns:1000");
    std::erase_if(report.results, [](const auto& item) { return item.contender == "asio-epoll"; });
    report.baseline = "before";
    for (auto& item : report.results) item.to_baseline->to = "before";
    for (const auto about : {topic::cost, topic::limit, topic::connections})
        EXPECT_EQ(said(report, about), "");
    EXPECT_SAYS(said(report, topic::undecided), "none of 3 comparisons");
}

TEST(summary_sentences, only_significant_ratios_are_quoted) {
    auto report = three_on("yield");
    for (auto& item : three_on("spawn").results) report.results.push_back(item);
    EXPECT_SAYS(said(report, topic::cost), "as fast as asio-epoll on both workloads;");
    auto& unsure = report.results[5];  // the result of "near" on spawn
    ASSERT_EQ(unsure.contender, "near");
    unsure.to_baseline = reports::ratio{"asio-epoll", 1.85, 0.9, 2.5};
    unsure.judged = inconclusive;
    const auto text = said(report, topic::cost);
    EXPECT_SAYS(text, " 1.90× to 2.00× as fast as asio-epoll on both workloads where");
    auto level = report_with({measured_as("yield", "asio-epoll", "time", 100),
                              judged_as("yield", "maybe", "time", 90, {"", 1.1, 1.02, 1.2}, inconclusive),
                              judged_as("yield", "behind", "time", 120, {"", 0.8, 0.7, 0.9}, slower)});
    EXPECT_SAYS(said(level, topic::cost), "no difference from asio-epoll");
}

TEST(summary_sentences, a_workload_with_a_missing_interval_has_no_leader) {
    auto report = three_on("yield");
    for (auto& item : three_on("spawn").results) report.results.push_back(item);
    for (auto& item : three_on("post").results) report.results.push_back(item);
    EXPECT_SAYS(said(report, topic::cost), "on all 3 workloads;");
    report.results.push_back(measured_as("post", "seldom", "time", 1));
    EXPECT_SAYS(said(report, topic::cost), "on both decided workloads (of 3);");
    report.results.push_back(measured_as("spawn", "seldom", "time", 1));
    EXPECT_SAYS(said(report, topic::cost), "on yield, the only decided one of 3 workloads");
    report.results.push_back(measured_as("yield", "seldom", "time", 1));
    EXPECT_EQ(said(report, topic::cost), "");
}

reports::report with_timers() {
    auto report = report_with({});
    const auto add = [&](const char* who, double late, std::optional<reports::ratio> ratio,
                         reports::verdict found, double spin, double cpu) {
        const auto* const on = "timer/periodic";
        report.results.push_back(ratio ? judged_as(on, who, "late_p50", late, *ratio, found)
                                       : measured_as(on, who, "late_p50", late));
        report.results.push_back(measured_as(on, who, "spin", spin));
        report.results.push_back(measured_as(on, who, "cpu", cpu));
    };
    add("asio-epoll", 33e3, {}, inconclusive, 0.02, 19e3);
    add("spins", 70, reports::ratio{"", 470, 440, 500}, faster, 0.999, 1e6);
    add("sleeps", 30e3, reports::ratio{"", 1.1, 1.05, 1.2}, faster, 0.017, 17e3);
    add("slack", 80e3, reports::ratio{"", 0.4, 0.38, 0.42}, slower, 0.017, 16e3);
    add("ticks", 50e6, reports::ratio{"", 0.0006, 0.0005, 0.0007}, slower, 0.001, 70e3);
    return report;
}

TEST(summary_sentences, the_most_accurate_contender_that_sleeps_is_named_in_addition_to_one_that_spins) {
    const auto report = with_timers();
    const auto timers = said(report, topic::timers), waiting = said(report, topic::waiting);
    for (const auto* part : {"sleeps is 30.0 µs late", "17.0 µs", "ticks is", "latest (50.0 ms)",
                             "every other one is significantly later"})
        EXPECT_SAYS(timers, part);
    EXPECT_TRUE(
        timers.starts_with("on timer/periodic, spins is the most accurate (70.0 ns late) and burns 100 %"))
        << timers;
    for (const auto* other : {"slack", "asio-epoll"}) EXPECT_FALSE(says(timers, other)) << timers;
    EXPECT_TRUE(waiting.starts_with("spins burns 100 %")) << waiting;
    EXPECT_SAYS(waiting, "others up to 2.0 % (asio-epoll on timer/periodic).");
}

TEST(summary_sentences, all_contenders_that_cannot_be_told_apart_from_the_most_accurate_one_are_named) {
    auto report = with_timers();
    for (auto& item : report.results)
        if (item.contender == "sleeps" && item.metric == "late_p50") {
            item.to_baseline = reports::ratio{"asio-epoll", 1.1, 0.98, 1.2};
            item.judged = inconclusive;
        }
    for (auto item : std::vector{report.results}) {  // a copy, because the loop adds results
        item.workload = "sleep/serial";
        if (item.contender == "asio-epoll" && item.metric == "late_p50") item.median = 1e3;
        report.results.push_back(item);
    }
    const auto timers = said(report, topic::timers);
    EXPECT_SAYS(timers, "sleeps and asio-epoll are 30.0 to 33.0 µs late");
    EXPECT_SAYS(timers, "17.0 to 19.0 µs of CPU");
    EXPECT_SAYS(timers, "no significant difference between them");
    EXPECT_FALSE(says(timers, "sleep/serial")) << timers;
}

TEST(summary_sentences, the_cpu_share_of_waiting_comes_from_idle_workloads_only) {
    auto report = with_timers();
    for (const auto* who : {"asio-epoll", "spins"}) {
        report.results.push_back(measured_as("idle/timer", who, "time", 1e9));
        report.results.push_back(measured_as("idle/timer", who, "wakeups", 20));
        report.results.push_back(measured_as("idle/timer", who, "spin", *who == 's' ? 1.00002 : 0.0012));
    }
    EXPECT_EQ(said(report, topic::waiting), "spins burns 100 % of a core; others up to 0.12 % (asio-epoll).");
}

TEST(summary_sentences, a_contender_is_named_as_the_worst_only_if_its_lateness_is_significantly_greater) {
    auto report = with_timers();
    const auto add = [&](reports::ratio to) {
        report.results.push_back(judged_as("timer/periodic", "varies", "late_p50", 60e6, to, slower));
        return said(report, topic::timers);
    };
    EXPECT_SAYS(add({"", 0.5, 0.3, 0.7}), "ticks is significantly the latest");
    report.results.pop_back();
    const auto text = add({"", 0.5, 0.0004, 0.9});
    EXPECT_TRUE(says(text, "sleeps") && !says(text, "latest"))
        << "the latest contender is undecided: " << text;
}

TEST(summary_sentences, the_first_summary_sentence_warns_of_too_few_blocks_on_a_busy_machine) {
    auto report = three_on("yield");
    report.aa->found = reports::reliability::unknown;
    report.where.cores = 2;
    report.where.load_average = {5.7, 4, 3};
    report.warnings = {{"budget", "", ""}, {"few_trials", "", ""}};
    const auto first = reports::summary_sentences_of(report).front();
    EXPECT_EQ(first.title, "Too few blocks");
    EXPECT_SAYS(first.text, "busy (load 5.7 on 2 cores)");
    EXPECT_SAYS(first.text, "--budget 2min");
    for (const auto& each : reports::summary_sentences_of(report)) EXPECT_NE(each.title, "Preliminary");
    auto quiet = report, enough = report, chosen = report;
    quiet.where.load_average[0] = 2;
    enough.warnings.pop_back();
    chosen.warnings.erase(chosen.warnings.begin());
    for (const auto& other : {quiet, enough, chosen})
        EXPECT_FALSE(says(said(other, topic::caution), "busy")) << said(other, topic::caution);
}

TEST(summary_sentences, a_contender_that_burns_a_core_on_one_workload_is_not_called_sleeping) {
    auto report = with_timers();
    for (auto item : with_timers().results) {
        item.workload = "timer/ladder";
        if (item.contender == "spins" && item.metric == "spin") item.median = item.low = 0.49;
        report.results.push_back(item);
    }
    const auto waiting = said(report, topic::waiting);
    EXPECT_SAYS(waiting, "spins burns 100 %");
    EXPECT_SAYS(waiting, "others up to 2.0 % (asio-epoll on timer/periodic).");
    EXPECT_FALSE(says(waiting, "49 %")) << waiting;
}

TEST(summary_sentences, a_contender_that_burns_a_core_is_never_the_best_of_the_contenders_that_sleep) {
    auto report = with_timers();
    for (const auto* on : {"timer/ladder", "sleep/serial"})
        for (auto item : with_timers().results) {
            if (item.contender == "spins") continue;
            item.workload = on;
            report.results.push_back(item);
        }
    const auto timers = said(report, topic::timers);
    EXPECT_SAYS(timers, "on timer/periodic, spins is");
    EXPECT_SAYS(timers, "contenders that sleep, sleeps is");
}

TEST(summary_sentences, the_best_and_the_worst_timer_are_named_only_if_every_lateness_has_an_interval) {
    auto report = with_timers();
    report.results.push_back(measured_as("timer/periodic", "seldom", "late_p50", 10));
    EXPECT_EQ(said(report, topic::timers), "");
    report.results.push_back(measured_as("timer/periodic", "seldom", "spin", 0.99));
    EXPECT_SAYS(said(report, topic::timers), "sleeps") << "a contender that burns a core is excluded";
    EXPECT_FALSE(says(said(report, topic::timers), "latest")) << said(report, topic::timers);
}

TEST(summary_sentences, a_timer_that_fires_early_and_has_no_ratio_can_be_the_best_or_the_worst) {
    const auto with_early = [](reports::verdict found, double late) {
        auto report = with_timers();
        auto early = measured_as("timer/periodic", "early", "late_p50", late);
        early.from_baseline = reports::difference{"asio-epoll", 1, 1, 1};
        early.judged = found;
        report.results.push_back(early);
        return said(report, topic::timers);
    };
    EXPECT_EQ(with_early(faster, -10), "") << "it is nearer to its deadlines than the named contenders";
    EXPECT_EQ(with_early(inconclusive, -10), "");
    const auto behind = with_early(slower, -2e6);
    for (const auto* part : {"sleeps", "ticks is significantly the latest"}) EXPECT_SAYS(behind, part);
    EXPECT_FALSE(says(with_early(slower, 60e6), "latest")) << "early is late, and might be the latest";
}

TEST(summary_sentences, the_statement_that_no_contender_spins_covers_only_contenders_that_report_spinning) {
    auto report = with_timers();
    for (const auto* who : {"asio-epoll", "spins", "sleeps", "slack", "ticks", "mute"})
        report.results.push_back(measured_as("timer/periodic", who, "time", 1e6));
    EXPECT_SAYS(said(report, topic::waiting), "2.0 % (asio-epoll on timer/periodic) among the 5 of 6 ");
    std::erase_if(report.results, [](const auto& item) { return item.contender == "spins"; });
    EXPECT_SAYS(said(report, topic::waiting),
                "the highest CPU share is 2.0 % (asio-epoll on timer/periodic) among the 4 of 5 ");
    std::erase_if(report.results, [](const auto& item) { return item.contender == "mute"; });
    EXPECT_SAYS(said(report, topic::waiting),
                "no contender burns a core; the highest CPU share is 2.0 % (asio-epoll on timer/periodic).");
}

TEST(summary_sentences, spinning_is_undecided_if_the_interval_of_the_cpu_share_contains_the_limit) {
    auto report = with_timers();
    for (auto& item : report.results) {
        if (item.metric != "spin" || item.contender != "slack") continue;
        item.median = 0.8;
        item.low = 0.4;
    }
    auto text = said(report, topic::waiting);
    EXPECT_SAYS(text, "spins burns");
    EXPECT_SAYS(text, "undecided, with up to 80 %");
    std::erase_if(report.results, [](const auto& item) { return item.contender == "spins"; });
    text = said(report, topic::waiting);
    EXPECT_TRUE(says(text, "undecided") && says(text, "80 % (slack on") && !says(text, "no contender"))
        << text;
}

TEST(summary_sentences, no_sentence_about_undecided_results_appears_if_only_a_floor_has_a_verdict) {
    const auto report = report_with({measured_as("yield", "asio-epoll", "time", 100),
                                     judged_as("yield", "floor-epoll", "time", 10, {"", 10, 9, 11}, faster)});
    EXPECT_EQ(said(report, topic::undecided), "");
}

TEST(summary_sentences, the_summary_names_results_that_failed_or_did_not_run) {
    auto report = three_on("yield");
    report.complete = false;
    report.results.push_back(missing_as("spawn", "far", result_status::failed, "killed by SIGSEGV"));
    report.results.push_back(missing_as("spawn", "near", result_status::not_run, "the time budget ended"));
    EXPECT_SAYS(said(report, topic::caution), "interrupted");
    const auto all = reports::summary_sentences_of(report);
    ASSERT_EQ(std::ranges::count(all, topic::failed, &reports::summary_sentence::about), 2);
    EXPECT_SAYS(find(all, topic::failed)->text, "far on spawn");
}

TEST(summary_sentences, the_first_summary_sentence_warns_if_the_reliability_is_unknown) {
    auto report = three_on("yield");
    report.aa = reports::self_check{};
    report.aa->found = reports::reliability::unknown;
    report.aa->reason = "fewer than six blocks show nothing";
    const auto all = reports::summary_sentences_of(report);
    ASSERT_GT(all.size(), 1U);
    EXPECT_EQ(all[0].about, topic::caution);
    EXPECT_SAYS(all[0].text, "fewer than six blocks");
    report.aa->found = reports::reliability::reliable;
    EXPECT_EQ(said(report, topic::caution), "");
}

TEST(summary_sentences, the_largest_difference_between_the_baseline_and_its_aa_copy_is_stated) {
    auto report = three_on("yield");
    report.aa = reports::self_check{};
    report.aa->found = reports::reliability::reliable;
    for (const auto& [workload, ratio] : {std::pair{"spawn", 1.001}, {"yield", 0.98}, {"post", 1.01}}) {
        reports::self_comparison item;
        item.workload = workload;
        item.to_itself.median = ratio;
        item.to_itself.low = item.to_itself.high = ratio;  // the interval then excludes 1
        report.aa->comparisons.push_back(item);
    }
    EXPECT_SAYS(said(report, topic::trust), "up to 2.0 % apart (yield, not significant)");
    EXPECT_FALSE(says(said(report, topic::trust), "no difference"));
    report.aa->found = reports::reliability::unknown;
    EXPECT_EQ(said(report, topic::trust), "") << "the caution says that it is unknown";
    report.aa.reset();
    EXPECT_SAYS(said(report, topic::trust), "not measured");
}

TEST(summary_sentences, each_summary_sentence_refers_to_existing_results_of_the_report) {
    for (const auto& report : {three_on("echo/conns:1000"), with_timers()})
        for (const auto& each : reports::summary_sentences_of(report)) {
            if (each.about == topic::undecided || each.about == topic::trust)
                continue;  // these sentences need not refer to results
            EXPECT_FALSE(each.from.empty()) << each.text;
            for (const auto* item : each.from)
                EXPECT_TRUE(item >= &report.results.front() && item <= &report.results.back()) << each.text;
        }
}

TEST(summary_sentences, the_summary_of_a_single_contender_contains_no_comparison) {
    const auto report = report_with({measured_as("yield", "asio-epoll", "time", 100)});
    const auto all = reports::summary_sentences_of(report);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].about, topic::undecided);
    EXPECT_EQ(all[1].about, topic::trust);
    EXPECT_EQ(reports::summary_sentences_of(reports::report{}).size(), 1U);
}

TEST(summary_sentences, long_names_are_cut_in_summary_sentences) {
    const std::string name(10'000, 'x');
    for (const auto& each : reports::summary_sentences_of(three_on(("echo/conns:1000/" + name).c_str())))
        EXPECT_LT(each.text.size(), 500U);
}

TEST(summary_sentences, a_contender_is_a_leader_if_no_other_is_significantly_better) {
    std::mt19937_64 random{7};
    std::uniform_real_distribution<double> any{0.5, 2};
    for (int i = 0; i < 500; ++i) {
        auto report = report_with({measured_as("yield", "asio-epoll", "time", 100)});
        for (const auto* who : {"a", "b", "c", "d"}) {
            const double low = any(random), high = low * any(random) + low;
            const auto found = low > 1.01 ? faster : high < 0.99 ? slower : inconclusive;
            report.results.push_back(judged_as("yield", who, "time", 100, {"", (low + high) / 2, low, high},
                                               any(random) < 0.7 ? inconclusive : found));
        }
        const auto all = reports::standings(report, "yield", "time");
        const auto group = reports::leaders(all, report.baseline);
        for (const auto& each : all) {
            const bool leads = std::ranges::find(group, each.item, &reports::standing::item) != group.end();
            const bool is_behind = std::ranges::any_of(all, [&](const reports::standing& other) {
                return other.ratio > each.ratio && !reports::touch(other, each) &&
                       (other.item->judged == faster || each.item->judged == slower);
            });
            EXPECT_NE(leads, is_behind) << each.item->contender << " in try " << i;
        }
    }
}

std::vector<std::string> primary_metric_of(const reports::report& report, std::string_view workload) {
    return reports::report_index{report}.headline(workload);
}

TEST(headline, the_primary_metrics_are_those_that_the_report_names) {
    const auto report = sample_report();
    EXPECT_EQ(primary_metric_of(report, "timer/periodic"), report.workloads[1].primary_metrics);
    const auto read = reports::read_json(reports::write_json(report), "it");
    EXPECT_EQ(primary_metric_of(read, "timer/periodic"), report.workloads[1].primary_metrics);
}

TEST(headline, if_a_report_names_no_primary_metrics_they_are_derived_from_the_measured_metrics) {
    auto unnamed = sample_report();
    unnamed.workloads.clear();
    using list = std::vector<std::string>;
    EXPECT_EQ(primary_metric_of(unnamed, "timer/periodic"), (list{"time", "latency_p99", "cpu"}));
    EXPECT_EQ(primary_metric_of(with_timers(), "timer/periodic"), (list{"late_p50", "late_p99", "cpu"}));
    const auto loaded =
        report_with({measured_as("serve", "a", "capacity", 1), measured_as("idle/timer", "a", "time", 1),
                     measured_as("yield", "a", "time", 1)});
    EXPECT_EQ(primary_metric_of(loaded, "serve"), (list{"latency_p99", "capacity"}));
    EXPECT_EQ(primary_metric_of(loaded, "idle/timer"), (list{"spin", "wakeups"}));
    EXPECT_EQ(primary_metric_of(loaded, "yield"), (list{"time"}));
}

}  // namespace

}  // namespace loopbench::tests
