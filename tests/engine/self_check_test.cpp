// The A/A, disturbed trials and what a trial is started with.
#include "bench/engine/self_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/engine/disturbance.hpp"
#include "bench/engine/summary.hpp"
#include "mock_executor.hpp"
#include "scratch_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::trial_request;
using reports::fitness;

bench::run_plan plan_with_twin(std::uint64_t blocks) {
    auto plan = small_plan(blocks);
    plan.contenders[0].path = "/usr/bin/asio-epoll";
    bench::add_twin(plan);
    return plan;
}

reports::report report_of(const bench::run_plan& plan,
                          const std::function<bench::trial_outcome(const trial_request&)>& answer) {
    mock_executor executor{answer};
    mock_observer observer;
    return bench::summarise(plan, bench::run(plan, executor, observer, [] { return 0ns; }));
}

bool is_twin(const trial_request& request) {
    return request.who.name == "asio-epol~";
}

TEST(self_check, runs_the_baseline_under_another_name_of_the_same_length) {
    const auto plan = plan_with_twin(1);
    const auto& twin = plan.contenders.at(plan.twin.value());
    EXPECT_EQ(twin.name, "asio-epol~");
    EXPECT_EQ(twin.path, "/usr/bin/asio-epoll");
    EXPECT_EQ(twin.called, "/usr/bin/asio-epol~");
    EXPECT_EQ(twin.called.size(), twin.path.native().size());
}

TEST(self_check, of_a_baseline_like_itself_is_fit_and_not_among_the_results) {
    const auto report = report_of(plan_with_twin(7), [](const auto&) { return took_ns(10); });
    ASSERT_TRUE(report.aa);
    EXPECT_EQ(report.aa->found, fitness::fit);
    EXPECT_EQ(report.aa->comparisons.size(), 2U);
    EXPECT_EQ(report.contenders.size(), 2U);
    for (const auto& item : report.results) EXPECT_NE(item.contender, "asio-epol~");
}

TEST(self_check, of_a_baseline_unlike_itself_is_unfit_with_the_workload) {
    const auto report = report_of(plan_with_twin(7), [](const trial_request& request) {
        return took_ns(is_twin(request) && request.workload == "echo" ? 10.3 : 10);
    });
    EXPECT_EQ(report.aa->found, fitness::unfit);
    EXPECT_NE(report.aa->reason->find("asio-epoll against itself is slower on echo, by 2.9 %"),
              std::string::npos)
        << *report.aa->reason;
    EXPECT_TRUE(bench::is_unfit(report));
    EXPECT_EQ(report.warnings[0].code, "unfit");
}

/// Thirty workloads, on the first `wrong` of which the twin is slower.
reports::report report_of_thirty(std::uint64_t blocks, std::size_t wrong) {
    auto plan = plan_with_twin(blocks);
    plan.workloads.clear();
    for (int i = 10; i < 40; ++i) plan.workloads.push_back("echo/" + std::to_string(i));
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    return report_of(plan, [&, wrong](const trial_request& request) {
        const auto place = std::ranges::find(plan.workloads, request.workload) - plan.workloads.begin();
        return took_ns(is_twin(request) && static_cast<std::size_t>(place) < wrong ? 10.5 : 10);
    });
}

TEST(self_check, of_two_workloads_of_thirty_is_seen_in_ten_blocks) {
    EXPECT_EQ(report_of_thirty(10, 2).aa->found, fitness::unfit);
    EXPECT_EQ(report_of_thirty(10, 0).aa->found, fitness::fit);
}

TEST(self_check, that_could_have_seen_nothing_knows_nothing) {
    const auto report = report_of_thirty(6, 0);
    EXPECT_EQ(report.aa->found, fitness::unknown);
    EXPECT_NE(report.aa->reason->find("19 of 30 workloads"), std::string::npos) << *report.aa->reason;
}

TEST(self_check, of_times_that_scatter_too_much_is_unfit) {
    int trial = 0;
    const auto report =
        report_of(plan_with_twin(20), [&](const auto&) { return took_ns(++trial % 2 == 0 ? 10 : 14); });
    EXPECT_EQ(report.aa->found, fitness::unfit);
    EXPECT_NE(report.aa->reason->find("from trial to trial"), std::string::npos) << *report.aa->reason;
}

TEST(self_check, of_few_blocks_knows_nothing) {
    const auto report = report_of(plan_with_twin(5), [](const auto&) { return took_ns(10); });
    EXPECT_EQ(report.aa->found, fitness::unknown);
    EXPECT_FALSE(bench::is_unfit(report));
}

TEST(self_check, sees_a_machine_that_became_slower) {
    int trial = 0;
    const auto report = report_of(plan_with_twin(20), [&](const auto&) { return took_ns(1000 + ++trial); });
    for (const auto& item : report.aa->comparisons) {
        EXPECT_TRUE(item.drifted);
        EXPECT_NEAR(*item.drift_pct, 6, 1);
    }
    EXPECT_TRUE(std::ranges::any_of(report.warnings, [](const auto& item) { return item.code == "drift"; }));
    int steady = 0;
    const auto other =
        report_of(plan_with_twin(20), [&](const auto&) { return took_ns(1000 + ++steady % 7); });
    for (const auto& item : other.aa->comparisons) EXPECT_FALSE(item.drifted);
}

TEST(disturbance, of_a_trial_repeats_its_workload_in_that_block_and_the_repeat_counts) {
    int trial = 0;
    const auto report = report_of(plan_with_twin(7), [&](const auto&) {
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

TEST(disturbance, of_all_trials_is_repeated_within_a_limit_and_told) {
    const auto report = report_of(plan_with_twin(8), [](const auto&) {
        auto outcome = took_ns(10);
        outcome.disturbed = "it waited";
        return outcome;
    });
    EXPECT_EQ(report.disturbed.repeated, 4U) << "a quarter of 2 workloads in 8 blocks";
    EXPECT_EQ(report.disturbed.kept, 2U * 3 * 8);
    EXPECT_EQ(report.aa->found, fitness::unfit);
    EXPECT_TRUE(
        std::ranges::any_of(report.warnings, [](const auto& item) { return item.code == "disturbed"; }));
}

TEST(disturbance, is_time_that_others_had) {
    const bench::machine_sample before{0, "tsc"};
    bench::resource_usage usage;
    EXPECT_EQ(bench::disturbance(before, before, usage, 1s), "");
    usage.run_delay_ns = 40'000'000;
    EXPECT_EQ(bench::disturbance(before, before, usage, 1s), "");
    EXPECT_NE(bench::disturbance(before, before, usage, 500ms).find("waited for a CPU for 8 %"),
              std::string::npos);
    EXPECT_NE(bench::disturbance(before, {60'000'000, "tsc"}, {}, 1s).find("the hypervisor took 6 %"),
              std::string::npos);
    EXPECT_NE(bench::disturbance(before, {0, "hpet"}, {}, 1s).find("from tsc to hpet"), std::string::npos);
    usage.run_delay_ns = 9'000'000;
    EXPECT_EQ(bench::disturbance(before, before, usage, 10ms), "") << "less than a tick";
}

TEST(plan, varies_the_environments_size_by_the_seed_and_by_nothing_else) {
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

TEST(child_process, is_called_and_placed_and_padded_as_asked) {
    bench::child_request request;
    request.command = {"/bin/sh", "-c",
                       "echo $0; cat /proc/$$/cmdline | cut -z -d' ' -f1 | head -z -n1; grep "
                       "Cpus_allowed_list /proc/self/status; env | grep -c LONG=xxx"};
    request.called = "/bin/s~";
    request.cpu = 0;
    request.environment = {{"LONG", "xxx"}};
    const auto ran = bench::run_child(request);
    EXPECT_NE(ran.output.find("/bin/s~"), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("Cpus_allowed_list:\t0\n"), std::string::npos) << ran.output;
    EXPECT_TRUE(ran.output.ends_with("1\n")) << ran.output;
}

TEST(runner, after_the_pilot_does_as_many_blocks_as_the_precision_needs) {
    const auto blocks_with = [](double precision_pct) {
        auto plan = plan_with_twin(1000);
        plan.precision_pct = precision_pct;
        int trial = 0;
        mock_executor executor{[&](const auto&) { return took_ns(1000 + ++trial * 7 % 31); }};
        mock_observer observer;
        const auto outcome = bench::run(plan, executor, observer, [] { return 0ns; });
        EXPECT_EQ(outcome.blocks_planned, outcome.blocks_finished);
        return outcome.blocks_finished;
    };
    EXPECT_EQ(blocks_with(50), 30U) << "the pilot is enough";
    EXPECT_GT(blocks_with(0.3), 40U);
    EXPECT_LT(blocks_with(0.3), 1000U);
}

}  // namespace

}  // namespace loopbench::tests
