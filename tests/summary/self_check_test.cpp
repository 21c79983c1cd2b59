// Tests the comparison of the baseline with its A/A copy, and the handling of disturbed trials.
#include "bench/harness/summary/self_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "bench/harness/gate/compare_reports.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/trial/disturbance.hpp"
#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::trial_request;
using reports::reliability;

bench::run_plan plan_with_aa_copy(std::uint64_t blocks,
                                  std::vector<std::string> workloads = {"yield", "echo"}) {
    auto plan = small_plan(blocks);
    plan.workloads = std::move(workloads);
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    plan.contenders[0].path = "/usr/bin/asio-epoll";
    bench::add_aa_copy(plan);
    return plan;
}

constexpr auto on_its_own_load = "serve/open_loop/load:50";

bool is_aa_copy(const trial_request& request) {
    return request.who.name == "asio-epol~";
}

TEST(self_check, the_name_of_the_aa_copy_differs_from_that_of_the_baseline_but_has_the_same_length) {
    const auto plan = plan_with_aa_copy(1);
    const auto& aa_copy = plan.contenders.at(plan.aa_copy.value());
    EXPECT_EQ(aa_copy.name, "asio-epol~");
    EXPECT_EQ(aa_copy.path, "/usr/bin/asio-epoll");
}

TEST(self_check, an_equal_aa_copy_makes_the_session_reliable_and_is_not_listed_as_a_result) {
    const auto report = report_of(plan_with_aa_copy(7), [](const auto&) { return took_ns(10); });
    ASSERT_TRUE(report.aa);
    EXPECT_EQ(report.aa->found, reliability::reliable);
    EXPECT_EQ(report.aa->comparisons.size(), 2U);
    EXPECT_EQ(report.contenders.size(), 2U);
    for (const auto& item : report.results) EXPECT_NE(item.contender, "asio-epol~");
}

TEST(self_check, no_drift_is_reported_for_a_third_party_journal_without_times) {
    const auto report = report_of(plan_with_aa_copy(8, {on_its_own_load}), [](const auto&) {
        bench::trial_outcome outcome;
        outcome.metrics["capacity"] = 1000;
        return outcome;
    });
    ASSERT_EQ(report.aa.value().comparisons.size(), 1U);
    EXPECT_FALSE(report.aa->comparisons[0].drift_pct);
}

TEST(self_check, the_aa_copy_is_compared_by_capacity_if_the_load_is_relative_to_the_capacity) {
    const auto report_with = [](double capacity_of_copy) {
        return report_of(plan_with_aa_copy(7, {on_its_own_load}),
                         [capacity_of_copy](const trial_request& request) {
                             auto outcome = took_ns(is_aa_copy(request) ? 10 : 20);
                             outcome.metrics["capacity"] = is_aa_copy(request) ? capacity_of_copy : 1000;
                             return outcome;
                         });
    };
    EXPECT_EQ(report_with(1000).aa->found, reliability::reliable);
    EXPECT_EQ(report_with(1100).aa->found, reliability::unreliable);
}

TEST(self_check, the_aa_copy_is_compared_by_latency_if_all_contenders_receive_the_same_load) {
    const auto report_with = [](double latency_of_copy) {
        return report_of(plan_with_aa_copy(7, {"serve/open_loop/rate:20000"}),
                         [latency_of_copy](const trial_request& request) {
                             auto outcome = took_ns(10);  // the schedule determines this time
                             outcome.metrics["latency_p50"] = is_aa_copy(request) ? latency_of_copy : 5000;
                             return outcome;
                         });
    };
    EXPECT_EQ(report_with(5000).aa->found, reliability::reliable);
    EXPECT_EQ(report_with(5500).aa->found, reliability::unreliable);
}

TEST(self_check, a_session_is_unreliable_if_its_aa_copy_differs_and_the_reason_names_the_workload) {
    const auto report = report_of(plan_with_aa_copy(7), [](const trial_request& request) {
        return took_ns(is_aa_copy(request) && request.workload == "echo" ? 10.3 : 10);
    });
    EXPECT_EQ(report.aa->found, reliability::unreliable);
    EXPECT_SAYS(*report.aa->reason, "asio-epoll is 3.0 % slower than the baseline (3.0 to 3.0 %) on echo");
    EXPECT_TRUE(bench::is_unreliable(report));
    EXPECT_EQ(report.warnings[0].code, "unreliable");
}

TEST(self_check, a_failure_of_the_aa_copy_is_reported_as_a_failure_of_the_baseline) {
    const auto report = report_of(plan_with_aa_copy(7), [](const trial_request& request) {
        return is_aa_copy(request) && request.workload == "echo"
                   ? ended(reports::result_status::failed, "killed by SIGSEGV")
                   : took_ns(10);
    });
    for (const auto& item : report.results) {
        const bool is_of_baseline = item.contender == "asio-epoll" && item.workload == "echo";
        EXPECT_EQ(item.status, is_of_baseline ? reports::result_status::failed : reports::result_status::ok);
        EXPECT_EQ(item.reason.value_or("").find("SIGSEGV") != std::string::npos, is_of_baseline);
        EXPECT_TRUE(item.workload == "yield" || !item.to_baseline);
    }
}

reports::report report_of_thirty(std::uint64_t blocks, std::size_t wrong) {
    auto plan = plan_with_aa_copy(blocks);
    plan.workloads.clear();
    for (int i = 10; i < 40; ++i) plan.workloads.push_back("echo/" + std::to_string(i));
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    return report_of(plan, [&, wrong](const trial_request& request) {
        const auto place = std::ranges::find(plan.workloads, request.workload) - plan.workloads.begin();
        return took_ns(is_aa_copy(request) && static_cast<std::size_t>(place) < wrong ? 10.5 : 10);
    });
}

TEST(self_check, a_difference_on_two_of_thirty_workloads_is_found_in_ten_blocks) {
    EXPECT_EQ(report_of_thirty(10, 2).aa->found, reliability::unreliable);
    EXPECT_EQ(report_of_thirty(10, 0).aa->found, reliability::reliable);
}

TEST(self_check, an_aa_comparison_that_can_detect_nothing_leaves_the_reliability_unknown) {
    const auto report = report_of_thirty(6, 0);
    EXPECT_EQ(report.aa->found, reliability::unknown);
    EXPECT_SAYS(*report.aa->reason, "19 of 30 workloads");
}

TEST(self_check, a_session_is_reliable_if_its_times_scatter_but_the_aa_copy_equals_the_baseline) {
    int trial = 0;
    const auto report =
        report_of(plan_with_aa_copy(20), [&](const auto&) { return took_ns(++trial % 2 == 0 ? 10 : 14); });
    EXPECT_EQ(report.aa->found, reliability::reliable);
    EXPECT_GT(report.aa->spread_pct.value(), 15);
}

TEST(self_check, an_aa_comparison_of_few_blocks_leaves_the_reliability_unknown) {
    const auto report = report_of(plan_with_aa_copy(5), [](const auto&) { return took_ns(10); });
    EXPECT_EQ(report.aa->found, reliability::unknown);
    EXPECT_FALSE(bench::is_unreliable(report));
}

TEST(self_check, a_machine_that_slows_down_is_reported_as_drift) {
    int trial = 0;
    const auto report =
        report_of(plan_with_aa_copy(20), [&](const auto&) { return took_ns(1000 + ++trial); });
    for (const auto& item : report.aa->comparisons) {
        EXPECT_TRUE(item.drifted);
        EXPECT_NEAR(*item.drift_pct, 6, 1);
    }
    EXPECT_TRUE(std::ranges::any_of(report.warnings, [](const auto& item) { return item.code == "drift"; }));
    int steady = 0;
    const auto other =
        report_of(plan_with_aa_copy(20), [&](const auto&) { return took_ns(1000 + ++steady % 7); });
    for (const auto& item : other.aa->comparisons) EXPECT_FALSE(item.drifted);
}

TEST(self_check, a_drift_of_one_workload_is_found_although_another_workload_has_too_few_blocks) {
    int trial = 0;
    const auto report = report_of(plan_with_aa_copy(20), [&](const auto&) {
        return ++trial <= 7 * 6 + 3 ? took_ns(1000 + 10 * trial) : stopped();
    });
    EXPECT_EQ(std::ranges::count_if(report.aa->comparisons, &reports::self_comparison::drifted), 1);
    EXPECT_EQ(std::ranges::count_if(report.aa->comparisons, [](const auto& item) { return !item.drift_pct; }),
              1);
}

TEST(self_check, the_aa_comparison_omits_workloads_on_which_the_baseline_failed) {
    int trials = 0;
    const auto report = report_of(plan_with_aa_copy(20), [&](const trial_request& request) {
        if (request.workload != "yield" || request.who.name != "asio-epoll") return took_ns(10);
        return ++trials < 15 ? took_ns(20) : ended(reports::result_status::failed, "no");
    });
    EXPECT_EQ(report.aa->comparisons.size(), 1U);
    EXPECT_EQ(report.aa->found, reliability::reliable);
}

TEST(self_check, a_reason_is_reported_if_the_baseline_and_its_aa_copy_have_no_results) {
    auto plan = plan_with_aa_copy(8);
    for (const auto who : {std::size_t{0}, *plan.aa_copy}) plan.contenders[who].workloads = {"other"};
    const auto report = report_of(plan, [](const auto&) { return took_ns(10); });
    EXPECT_EQ(report.aa->found, reliability::unknown);
    EXPECT_SAYS(report.aa->reason.value_or(""), "asio-epoll and its A/A copy");
}

TEST(disturbance, a_disturbed_workload_is_repeated_in_its_block_and_the_repetition_is_used) {
    int trial = 0;
    const auto report = report_of(plan_with_aa_copy(7), [&](const auto&) {
        auto outcome = took_ns(++trial == 2 ? 99 : 10);
        if (trial == 2) outcome.disturbed = "it waited";
        return outcome;
    });
    EXPECT_EQ(trial, 2 * 3 * 7 + 3);
    EXPECT_EQ(report.disturbed.trials, 2U * 3 * 7 + 3);
    EXPECT_EQ(report.disturbed.disturbed, 1U);
    EXPECT_EQ(report.disturbed.repeated, 1U);
    EXPECT_EQ(report.disturbed.kept, 0U);
    for (const auto& item : report.results)
        for (const auto& sample : item.samples) EXPECT_EQ(sample, 10) << item.contender << item.workload;
}

TEST(disturbance, a_repetition_replaces_a_disturbed_workload_even_if_another_contender_has_no_result) {
    for (const auto bad : {reports::result_status::unsupported, reports::result_status::failed}) {
        bool first = true;
        const auto report = report_of(plan_with_aa_copy(7), [&](const trial_request& request) {
            if (request.who.name == "loop-epoll") return ended(bad, "io_uring refused");
            auto outcome = took_ns(first ? 99 : 10);
            if (first) outcome.disturbed = "it waited";
            first = false;
            return outcome;
        });
        EXPECT_EQ(report.disturbed.repeated, 1U);
        EXPECT_EQ(report.disturbed.kept, 0U);
        for (const auto& item : report.results)
            for (const auto& sample : item.samples) EXPECT_EQ(sample, 10) << item.contender << item.workload;
    }
}

TEST(disturbance, a_disturbed_trial_is_kept_if_the_run_ended_during_its_repetition) {
    int trial = 0;
    const auto report = report_of(plan_with_aa_copy(1), [&](const auto&) {
        auto outcome = ++trial < 5 ? took_ns(trial) : stopped();
        if (trial == 2) outcome.disturbed = "it waited";
        return outcome;
    });
    EXPECT_EQ(report.disturbed.kept, 1U);
    std::vector<double> times;
    for (const auto& item : report.results)
        for (const auto& sample : item.samples) times.push_back(*sample);
    std::ranges::sort(times);
    EXPECT_LE(times.back(), 3) << "a repeat that was cut short does not count";
}

TEST(disturbance, the_number_of_repetitions_is_limited_and_disturbed_trials_beyond_the_limit_are_reported) {
    const auto report = report_of(plan_with_aa_copy(8), [](const auto&) {
        auto outcome = took_ns(10);
        outcome.disturbed = "it waited";
        return outcome;
    });
    EXPECT_EQ(report.disturbed.repeated, 4U) << "a quarter of 2 workloads in 8 blocks";
    EXPECT_EQ(report.disturbed.kept, 2U * 3 * 8);
    EXPECT_EQ(report.aa->found, reliability::unreliable);
    EXPECT_TRUE(
        std::ranges::any_of(report.warnings, [](const auto& item) { return item.code == "disturbed"; }));
}

TEST(disturbance, unsupported_trials_do_not_hide_that_most_measured_trials_were_disturbed) {
    const auto report = report_of(plan_with_aa_copy(7, {"yield"}), [](const trial_request& request) {
        if (request.who.name == "loop-epoll") return ended(reports::result_status::unsupported, "no sockets");
        static int trial = 0;
        auto outcome = took_ns(10);
        if (++trial % 8 < 5) outcome.disturbed = "it waited";
        return outcome;
    });
    EXPECT_EQ(report.aa->found, reliability::unreliable) << report.disturbed.kept;
}

/// Returns a report in which the A/A copy differs on the disturbed workloads.
reports::report report_with_disturbed(const std::vector<std::string>& workloads) {
    auto plan = plan_with_aa_copy(20, {"parse", "push", "sort"});
    plan.tolerated_pct = 5;
    const auto aa_copy = plan.contenders.at(plan.aa_copy.value()).name;
    return report_of(plan, [&](const trial_request& request) {
        auto outcome = took_ns(request.who.name == "loop-epoll" ? 13 : 10);
        if (std::ranges::find(workloads, request.workload) == workloads.end()) return outcome;
        if (request.who.name == aa_copy) outcome = took_ns(12);
        outcome.disturbed = "it waited";
        return outcome;
    });
}

TEST(disturbance, a_disturbed_workload_has_no_verdict_and_hides_no_slowdown_of_another_workload) {
    const auto report = report_with_disturbed({"push"});
    EXPECT_EQ(report.aa->found, reliability::reliable);
    EXPECT_EQ(report.disturbed.workloads, std::vector<std::string>{"push"});
    const auto* const push = reports::find_result(report, "push", "loop-epoll");
    EXPECT_TRUE(push->to_baseline);
    EXPECT_FALSE(push->judged || push->detectable_pct);
    EXPECT_SAYS(push->reason.value_or(""), "more than half of the trials were disturbed");
    EXPECT_EQ(reports::find_result(report, "parse", "loop-epoll")->judged, reports::verdict::slower);
    const auto found = bench::judge_gate(report, 5);
    EXPECT_EQ(bench::outcome_of(found), bench::gate_outcome::regression);
    EXPECT_SAYS(bench::verdict_line(found), "push: not judged (more than half of the trials were disturbed)");
    const auto warning = std::ranges::find(report.warnings, "disturbed", &reports::warning::code);
    ASSERT_NE(warning, report.warnings.end());
    EXPECT_SAYS(warning->message, "no verdict on push");
}

TEST(disturbance, a_comparison_with_one_disturbed_workload_does_not_pass) {
    auto report = report_with_disturbed({"push"});
    std::erase_if(report.results, [](const auto& item) { return item.workload != "push"; });
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(report, 5)), bench::gate_outcome::inconclusive);
    const auto two = bench::compare_reports(report, report, 1);
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(two, 5)), bench::gate_outcome::inconclusive);
    EXPECT_SAYS(bench::verdict_line(bench::judge_gate(two, 5)), "disturbed");
}

TEST(disturbance, a_session_is_unreliable_if_most_of_its_workloads_were_disturbed) {
    const auto report = report_with_disturbed({"push", "sort"});
    EXPECT_EQ(report.aa->found, reliability::unreliable);
    EXPECT_SAYS(report.aa->reason.value_or(""), "on 2 of 3 workloads");
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(report, 5)), bench::gate_outcome::unreliable);
}

TEST(disturbance, one_disturbed_concurrent_trial_does_not_withdraw_a_verdict) {
    auto plan = plan_with_aa_copy(20);
    plan.pairings = {reports::pairing::concurrent, reports::pairing::concurrent};
    int trial = 0;
    const auto report = report_of(plan, [&](const trial_request&) {
        auto outcome = took_ns(10);
        outcome.made = reports::pairing::concurrent;
        if (++trial % 40 == 0) outcome.disturbed = "an orphaned process ran";
        return outcome;
    });
    EXPECT_EQ(report.aa->found, reliability::reliable);
    EXPECT_FALSE(report.disturbed.workloads);
}

TEST(disturbance, time_that_other_processes_used_counts_as_a_disturbance) {
    const auto sample = [](std::int64_t first_ns, std::int64_t second_ns, const char* clock) {
        return bench::machine_sample{{{"cpu", {.steal_ns = first_ns + second_ns}},
                                      {"cpu0", {.steal_ns = first_ns}},
                                      {"cpu1", {.steal_ns = second_ns}}},
                                     clock};
    };
    const auto before = sample(0, 0, "tsc");
    bench::resource_usage usage;
    const auto found = [&](const bench::machine_sample& after, std::chrono::nanoseconds wall,
                           std::optional<int> cpu = {}) {
        return bench::disturbance(before, after, usage, wall, cpu);
    };
    EXPECT_EQ(found(before, 1s), "");
    EXPECT_SAYS(found(sample(60'000'000, 0, "tsc"), 1s), "the hypervisor took 6 %");
    EXPECT_SAYS(found(sample(60'000'000, 0, "tsc"), 1s, 0), "the hypervisor took 6 %");
    EXPECT_EQ(found(sample(60'000'000, 0, "tsc"), 1s, 1), "") << "the time was stolen from the other CPU";
    EXPECT_EQ(found(sample(40'000'000, 40'000'000, "tsc"), 1s), "") << "4 % of each are not 8 %";
    EXPECT_SAYS(found(sample(0, 0, "hpet"), 1s), "from tsc to hpet");
    usage.run_delay_ns = 40'000'000;
    EXPECT_EQ(found(before, 1s), "");
    EXPECT_SAYS(found(before, 500ms), "waited for a CPU for 8 %");
    usage.run_delay_ns = 9'000'000;
    EXPECT_EQ(found(before, 10ms), "") << "less than a tick";
}

TEST(plan, the_size_of_the_environment_of_a_trial_depends_only_on_the_seed_and_the_trial) {
    std::set<std::size_t> sizes;
    for (std::uint64_t block = 0; block < 100; ++block) {
        const auto size = bench::padding_bytes(7, block, {0, 1}, 0);
        EXPECT_EQ(size, bench::padding_bytes(7, block, {0, 1}, 0));
        EXPECT_LT(size, 4096U);
        sizes.insert(size);
    }
    EXPECT_GT(sizes.size(), 90U);
    EXPECT_NE(bench::padding_bytes(7, 0, {0, 1}, 0), bench::padding_bytes(8, 0, {0, 1}, 0));
    EXPECT_NE(bench::padding_bytes(7, 0, {0, 1}, 0), bench::padding_bytes(7, 0, {1, 0}, 0));
}

TEST(child_process, a_child_process_gets_the_requested_argv_core_and_environment) {
    bench::child_request request;
    request.command = {"/bin/sh", "-c",
                       "cat /proc/$$/cmdline | cut -z -d' ' -f1 | head -z -n1; grep "
                       "Cpus_allowed_list /proc/self/status; env | grep -c LONG=xxx"};
    request.cpu = 0;
    request.environment = {{"LONG", "xxx"}};
    const auto ran = bench::run_child(request);
    EXPECT_TRUE(ran.output.starts_with("/bin/sh")) << ran.output;
    EXPECT_SAYS(ran.output, "Cpus_allowed_list:\t0\n");
    EXPECT_TRUE(ran.output.ends_with("1\n")) << ran.output;
}

TEST(runner, after_the_pilot_the_requested_precision_determines_the_number_of_blocks) {
    const auto blocks_with = [](double precision_pct, bool refuses_once = false) {
        auto plan = plan_with_aa_copy(1000);
        plan.precision_pct = precision_pct;
        int trial = 0;
        const auto outcome = outcome_of(plan, [&](const auto&) {
            const bool is_of_second_block = ++trial > 6 && trial <= 12;
            return refuses_once && is_of_second_block
                       ? ended(reports::result_status::unsupported, "no memory for a ring")
                       : took_ns(1000 + trial * 7 % 31);
        });
        EXPECT_EQ(outcome.blocks_planned, outcome.blocks_finished);
        return outcome.blocks_finished;
    };
    EXPECT_EQ(blocks_with(50), 30U) << "the pilot is enough";
    EXPECT_GT(blocks_with(0.3), 40U);
    EXPECT_LT(blocks_with(0.3), 1000U);
    EXPECT_GT(blocks_with(0.3, /*refuses_once=*/true), 40U);
}

/// Returns a run whose times scatter much more after the pilot. `done` contains earlier trials of the run; a
/// block has six trials.
bench::run_outcome run_that_becomes_noisy(bench::run_outcome done) {
    auto plan = plan_with_aa_copy(1000);
    plan.precision_pct = 0.3;
    int trial = static_cast<int>(done.trials.size());
    const auto answer = [&](const auto&) {
        const double scatter = trial < 6 * 30 ? 1 : 10;
        return took_ns(1000 + scatter * (++trial * 7 % 31));
    };
    return outcome_of(plan, answer, std::move(done));
}

TEST(runner, a_resumed_run_keeps_the_number_of_blocks_that_was_determined_after_the_pilot) {
    const auto whole = run_that_becomes_noisy({});
    EXPECT_GT(whole.blocks_planned, 40U);
    bench::run_outcome cut;
    std::ranges::copy_if(whole.trials, std::back_inserter(cut.trials),
                         [](const auto& trial) { return trial.block < 38; });
    const auto resumed = run_that_becomes_noisy(std::move(cut));
    EXPECT_EQ(resumed.blocks_planned, whole.blocks_planned);
    EXPECT_EQ(resumed.trials.size(), whole.trials.size());
}

TEST(runner, a_resumed_run_repeats_all_trials_of_an_unfinished_workload_of_a_block) {
    const auto plan = plan_with_aa_copy(3);
    const auto run_with = [&](double time, int trials, bench::run_outcome done) {
        mock_executor executor{[&](const auto&) { return trials-- > 0 ? took_ns(time) : stopped(); }};
        mock_observer observer;
        auto outcome = bench::run(
            plan, executor, observer, [] { return 0ns; }, std::move(done));
        if (!outcome.interrupted) {
            EXPECT_EQ(observer.progress.back(), "17/18");
        }
        return outcome;
    };
    auto cut = run_with(10, 2 * 3 + 2, {});  // the run stops during the second block's first workload
    EXPECT_EQ(cut.trials.size(), 8U);
    cut.interrupted = false;
    cut.blocks_finished = 0;
    const auto whole = run_with(20, 1000, std::move(cut));
    EXPECT_EQ(whole.trials.size(), 3U * 6 + 2);
    EXPECT_EQ(whole.repeated, 1U);
    const bench::sample_table samples{plan, whole};
    for (const std::size_t workload : {0U, 1U})
        for (const std::size_t who : {0U, 1U, 2U}) {
            const auto& times = samples.of({workload, who}).find("time")->second;
            EXPECT_EQ(times, (std::vector<std::optional<double>>{10, 20, 20})) << workload << who;
        }
}

TEST(runner, a_resumed_run_repeats_a_disturbed_workload_whose_repetition_was_interrupted) {
    const auto plan = plan_with_aa_copy(1);
    int trial = 0;
    const auto answer = [&](const trial_request&) {
        if (++trial == 5) return stopped();
        auto outcome = took_ns(trial);
        if (trial == 2) outcome.disturbed = "it waited";
        return outcome;
    };
    const auto go_on = [&](bench::run_outcome done) { return outcome_of(plan, answer, std::move(done)); };
    auto cut = go_on({});
    EXPECT_EQ(cut.repeated, 1U);
    cut.interrupted = false;
    const auto whole = go_on(std::move(cut));
    EXPECT_EQ(whole.repeated, 1U) << "one row";
    EXPECT_EQ(bench::sample_table(plan, whole).disturbed(), 0U);
    EXPECT_EQ(go_on(whole).trials.size(), whole.trials.size()) << "all blocks are finished";
}

TEST(runner, a_run_with_a_precision_plans_only_the_pilot_and_repeats_at_most_a_quarter_of_the_pilot) {
    auto plan = plan_with_aa_copy(100'000);
    plan.precision_pct = 50;
    mock_executor executor{[](const auto&) {
        auto outcome = took_ns(10);
        outcome.disturbed = "it waited";
        return outcome;
    }};
    mock_observer observer;
    const auto outcome = bench::run(plan, executor, observer, [] { return 0ns; });
    EXPECT_EQ(observer.progress.front(), "0/180");
    EXPECT_EQ(outcome.repeated, 15U) << "a quarter of 2 workloads in 30 blocks";
}

}  // namespace

}  // namespace loopbench::tests
