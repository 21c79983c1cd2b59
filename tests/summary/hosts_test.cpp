// Tests the verdicts in simulated runs on several machines, each with a random effect. All code from the plan
// to the verdict is the real code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "bench/harness/machine/environment.hpp"
#include "reports/model/json.hpp"
#include "tests/support/says.hpp"
#include "tests/support/schema_check.hpp"
#include "tests/support/shards_of_run.hpp"

namespace loopbench::tests {

namespace {

using reports::verdict;

constexpr double block_noise = 0.01;

bench::run_plan fleet_plan(std::uint64_t blocks, std::uint64_t seed) {
    auto plan = small_plan(blocks);
    plan.workloads = {"yield"};
    plan.seed = seed;
    add_aa_copy(plan);
    return plan;
}

class machines {
public:
    machines(std::uint64_t seed, double between, double slower)
        : random_{seed}, between_{between}, slower_{slower} {}

    bench::trial_outcome run(const bench::trial_request& request, const std::string& machine) {
        const auto [effect, is_new] = effects_.try_emplace(machine);
        if (is_new) effect->second = between_ * normal_(random_);
        const double shift = request.who.name == "loop-epoll" ? std::log1p(slower_) + effect->second : 0;
        return took_ns(100 * std::exp(shift + block_noise * normal_(random_)));
    }

private:
    std::mt19937_64 random_;
    double between_, slower_;
    std::normal_distribution<double> normal_;
    std::map<std::string, double> effects_;
};

struct setting {
    std::uint64_t hosts = 2, blocks = 24;
    double between = 0.03, slower = 0;
};

bench::session_record record_of(const setting& of, std::uint64_t seed) {
    machines fleet{seed, of.between, of.slower};
    bench::session_record record;
    record.plan = fleet_plan(of.blocks, seed);
    record.where = bench::read_environment();
    record.outcome = outcome_of_shards(
        record.plan, of.hosts, [](std::uint64_t number) { return fmt::format("machine {}", number); },
        [&](const auto& request, const auto& machine) { return fleet.run(request, machine); });
    return record;
}

reports::report reported(const setting& of, std::uint64_t seed) {
    return bench::report_of(record_of(of, seed));
}

const reports::result& time_of_loop(const reports::report& report) {
    return *reports::find_result(report, "yield", "loop-epoll");
}

bool is_found_different(verdict found) {
    return found == verdict::faster || found == verdict::slower;
}

bool warns(const reports::report& report, std::string_view code) {
    return std::ranges::find(report.warnings, code, &reports::warning::code) != report.warnings.end();
}

struct host_shares {
    double different = 0, slower = 0, hosts_differ = 0, unreliable = 0;
};

template <class change>
host_shares of_runs(const setting& of, change&& as) {
    constexpr int tries = LOOPBENCH_TRIES;
    host_shares found;
    for (int i = 0; i < tries; ++i) {
        auto record = record_of(of, static_cast<std::uint64_t>(i));
        as(record);
        const auto report = bench::report_of(record);
        const auto& item = time_of_loop(report);
        found.different += is_found_different(*item.judged) ? 1.0 / tries : 0;
        found.slower += item.judged == verdict::slower ? 1.0 / tries : 0;
        found.hosts_differ += item.by_host && item.by_host->differ ? 1.0 / tries : 0;
        found.unreliable += report.aa->found == reports::reliability::unreliable ? 1.0 / tries : 0;
    }
    return found;
}

host_shares of_runs(const setting& of) {
    return of_runs(of, [](const auto&) {});
}

/// Returns the tolerance for a rate in LOOPBENCH_TRIES tries. In one of a thousand cases, chance alone makes
/// the difference between the rate and `share` larger than this tolerance.
double by_chance(double share) {
    return 3 * std::sqrt(share * (1 - share) / LOOPBENCH_TRIES);
}

// Without the machines' names, all blocks seem to come from one machine, and the machines' effects look like
// a difference between the contenders.
TEST(hosts, if_hosts_are_ignored_many_runs_of_equal_contenders_are_false_alarms) {
    const auto forget = [](bench::session_record& record) {
        for (auto& trial : record.outcome.trials) trial.machine.reset();
    };
    EXPECT_GT(of_runs({2, 60, 0.05, 0}, forget).different, 0.4 - by_chance(0.4));
}

// The verdicts promise a false-alarm rate of at most 5 %. The test adds the tolerance for chance.
TEST(hosts, false_alarms_stay_below_5_percent_on_several_hosts) {
    for (const std::uint64_t hosts : {2U, 4U, 8U}) {
        const auto found = of_runs({hosts, 24, 0.05, 0});
        EXPECT_LE(found.different, 0.05 + by_chance(0.05)) << hosts;
        EXPECT_LE(found.unreliable, 0.05 + by_chance(0.05))
            << hosts << ": the baseline equals its A/A copy on each host";
    }
}

TEST(hosts, a_difference_larger_than_the_hosts_effects_is_found) {
    EXPECT_GE(of_runs({2, 24, 0.01, 0.5}).slower, 0.9 - by_chance(0.9));
    EXPECT_GE(of_runs({4, 24, 0.01, 0.06}).slower, 0.9 - by_chance(0.9));
    EXPECT_GE(of_runs({8, 24, 0.02, 0.1}).slower, 0.9 - by_chance(0.9));
}

TEST(hosts, unequal_hosts_cause_a_warning_and_equal_hosts_hardly_ever_do) {
    EXPECT_GE(of_runs({3, 24, 0.08, 0}).hosts_differ, 0.9 - by_chance(0.9));
    EXPECT_LE(of_runs({3, 24, 0, 0}).hosts_differ, 0.05 + by_chance(0.05));
}

TEST(hosts, the_hosts_and_their_effects_are_in_the_report) {
    const auto report = reported({3, 24, 0.08, 0}, 1);
    ASSERT_TRUE(report.hosts);
    ASSERT_EQ(report.hosts->size(), 3U);
    EXPECT_EQ((*report.hosts)[1].blocks, 8U);
    EXPECT_EQ((*report.hosts)[1].shards, std::vector<std::uint64_t>{2});
    const auto& effect = *time_of_loop(report).by_host;
    EXPECT_EQ(effect.ratios.size(), 3U);
    EXPECT_TRUE(effect.differ);
    EXPECT_TRUE(warns(report, "hosts_differ"));
    EXPECT_EQ(time_of_loop(report).samples.size(), 24U) << "samples are still by block";
    EXPECT_TRUE(fits_the_schema(nlohmann::json::parse(reports::write_json(report))));
    EXPECT_EQ(reports::write_json(reports::read_json(reports::write_json(report), "it")),
              reports::write_json(report));
}

TEST(hosts, the_deviation_between_hosts_is_estimated_correctly) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
        squares += std::pow(*time_of_loop(reported({4, 24, 0.03, 0}, seed)).by_host->deviation_pct, 2) / 200;
    EXPECT_NEAR(std::sqrt(squares), 3, 0.35);
}

TEST(hosts, more_blocks_on_the_same_hosts_hardly_narrow_the_interval) {
    const auto width = [](const setting& of) {
        const auto ratio = *time_of_loop(reported(of, 1)).to_baseline;
        return std::log(*ratio.high / *ratio.low);
    };
    EXPECT_GT(width({8, 160, 0.03, 0}), 0.5 * width({8, 16, 0.03, 0}))
        << "more blocks of the same hosts add no information";
}

TEST(hosts, a_result_that_only_one_host_measured_has_no_host_effect) {
    auto record = record_of({2, 24, 0.05, 0}, 1);
    for (auto& trial : record.outcome.trials)
        if (trial.where.contender == 1 && trial.machine == "machine 2")
            trial.outcome = ended(reports::result_status::unsupported, "no io_uring");
    const auto report = bench::report_of(record);
    const auto& item = time_of_loop(report);
    EXPECT_FALSE(item.by_host);
    EXPECT_EQ(item.status, reports::result_status::ok);
    EXPECT_TRUE(item.to_baseline->low) << "twelve blocks of one machine";
}

TEST(hosts, all_trials_without_a_machine_name_count_together_as_one_additional_host) {
    auto record = record_of({2, 24, 0.05, 0}, 1);
    for (auto& trial : record.outcome.trials)
        if (trial.block < 6) trial.machine.reset();
    const auto report = bench::report_of(record);
    EXPECT_EQ(report.hosts->size(), 3U);
    EXPECT_EQ(time_of_loop(report).by_host->ratios.size(), 3U);
}

TEST(hosts, too_few_hosts_for_a_sign_test_cause_a_warning) {
    // With the correction for 40 results, a significant difference requires more than six hosts.
    auto plan = fleet_plan(12, 1);
    plan.workloads.clear();
    for (int i = 0; i < 40; ++i) plan.workloads.push_back(fmt::format("yield/{}", i));
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    machines fleet{1, 0.03, 0};
    const auto outcome = outcome_of_shards(
        plan, 6, [](std::uint64_t number) { return fmt::format("machine {}", number); },
        [&](const auto& request, const auto& machine) { return fleet.run(request, machine); });
    const auto report = bench::summarise(plan, outcome);
    EXPECT_TRUE(warns(report, "few_hosts"));
    EXPECT_FALSE(warns(report, "few_blocks"));
}

bench::trial_outcome of_its_own(const bench::trial_request& request) {
    return took_ns(100 + static_cast<double>(request.padding_bytes % 97));
}

TEST(hosts, the_report_of_shards_that_ran_on_one_host_equals_the_report_of_an_unsharded_run) {
    const auto plan = fleet_plan(12, 7);
    bench::session_record whole, merged;
    whole.plan = merged.plan = plan;
    whole.outcome = outcome_of(plan, of_its_own);
    merged.outcome = outcome_of_shards(
        plan, 4, [](std::uint64_t) { return "the only one"; },
        [](const auto& request, const auto&) { return of_its_own(request); });
    EXPECT_EQ(reports::write_json(bench::report_of(merged)), reports::write_json(bench::report_of(whole)));
}

TEST(hosts, the_report_of_a_single_shard_contains_only_the_blocks_of_this_shard) {
    auto plan = fleet_plan(12, 7);
    bench::session_record record;
    record.outcome = outcome_of_shard(plan, {2, 4}, "a", of_its_own);
    plan.part = bench::shard{2, 4};
    record.plan = plan;
    const auto report = bench::report_of(record);
    EXPECT_EQ(time_of_loop(report).samples.size(), 3U);
    EXPECT_FALSE(time_of_loop(report).reason);
    EXPECT_EQ(report.plan->blocks, 3U);
    EXPECT_TRUE(report.complete);
    EXPECT_TRUE(warns(report, "shard"));
    EXPECT_FALSE(warns(report, "few_trials")) << "a shard is not judged";
}

TEST(hosts, missing_and_unfinished_shards_are_named) {
    auto record = record_of({4, 12, 0, 0}, 1);
    std::erase_if(record.outcome.trials, [](const auto& trial) { return trial.block % 4 == 2; });
    record.outcome.merged.erase(record.outcome.merged.begin() + 2);
    record.outcome.merged.back().finished = false;
    record.outcome.interrupted = true;
    const auto report = bench::report_of(record);
    const auto found = std::ranges::find(report.warnings, "missing_shards", &reports::warning::code);
    ASSERT_NE(found, report.warnings.end());
    for (const auto* part : {"shard 3 of 4 is missing", "shard 4 of 4 is unfinished", "9 of 12 blocks"})
        EXPECT_SAYS(found->message, part);
    EXPECT_FALSE(report.complete);
    EXPECT_FALSE(warns(report, "interrupted"));
    EXPECT_EQ(time_of_loop(report).samples.size(), 9U);
    EXPECT_FALSE(time_of_loop(report).reason) << "a missing block is not a trial without a value";
}

}  // namespace

}  // namespace loopbench::tests
