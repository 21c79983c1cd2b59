// Tests the verdicts in simulated comparisons with several layouts, each with a random effect. All code from
// the plan to the verdict is the real code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "bench/harness/experiment/samples.hpp"
#include "tests/support/mock_executor.hpp"

namespace loopbench::tests {

namespace {

using bench::contender;
using reports::verdict;
using generator = std::mt19937_64;

constexpr double noise = 0.01;

contender with_layouts(const std::string& name, std::size_t layouts) {
    contender who{name, name, {"yield"}, ""};
    for (std::size_t i = 0; i < layouts; ++i) who.layouts.emplace_back(fmt::format("{}/{:03}", name, i));
    return who;
}

bench::run_plan plan_of(std::size_t layouts, std::uint64_t blocks, std::uint64_t seed) {
    bench::run_plan plan;
    plan.contenders = {with_layouts("base", layouts), with_layouts("next", layouts)};
    plan.workloads = {"yield"};
    plan.baseline = "base";
    plan.blocks = blocks;
    plan.seed = seed;
    plan.how = bench::correction::holm;
    plan.tolerated_pct = 5;
    add_aa_copy(plan);
    return plan;
}

class machine {
public:
    machine(std::uint64_t seed, double between, double slower)
        : random_{seed}, between_{between}, slower_{slower} {}

    bench::trial_outcome run(const bench::trial_request& request) {
        const auto [effect, is_new] = effects_.try_emplace(request.who.path.native());
        if (is_new) effect->second = between_ * normal_(random_);
        const double shift = request.who.name == "next" ? std::log1p(slower_) : 0;
        return took_ns(100 * std::exp(effect->second + shift + noise * normal_(random_)));
    }

private:
    generator random_;
    double between_, slower_;
    std::normal_distribution<double> normal_;
    std::map<std::string, double> effects_;
};

reports::report compared(std::size_t layouts, std::uint64_t blocks, std::uint64_t seed, double between,
                         double slower) {
    machine here{seed, between, slower};
    return report_of(plan_of(layouts, blocks, seed), [&](const auto& request) { return here.run(request); });
}

const reports::result& time_of_next(const reports::report& report) {
    return *reports::find_result(report, "yield", "next");
}

bool is_difference(verdict found) {
    return found == verdict::faster || found == verdict::slower;
}

struct shares {
    double different = 0, slower = 0, unreliable = 0;
};

shares of_comparisons(std::size_t layouts, std::uint64_t blocks, double between, double slower) {
    constexpr int tries = LOOPBENCH_TRIES;
    shares found;
    for (int i = 0; i < tries; ++i) {
        const auto report = compared(layouts, blocks, static_cast<std::uint64_t>(i), between, slower);
        const auto judged = *time_of_next(report).judged;
        found.different += is_difference(judged) ? 1.0 / tries : 0;
        found.slower += judged == verdict::slower ? 1.0 / tries : 0;
        found.unreliable += report.aa->found == reports::reliability::unreliable ? 1.0 / tries : 0;
    }
    return found;
}

// With one layout, the effect of code placement looks like an effect of the source code.
TEST(layouts, with_one_layout_most_comparisons_of_unchanged_code_are_false_alarms) {
    EXPECT_GT(of_comparisons(0, 20, 0.03, 0).different, 0.5);
}

TEST(layouts, with_new_layouts_in_each_block_false_alarms_stay_below_5_percent) {
    const auto found = of_comparisons(20, 20, 0.03, 0);
    EXPECT_LE(found.different, 0.05);
    EXPECT_LE(found.unreliable, 0.05);
}

TEST(layouts, with_repeated_layouts_false_alarms_stay_below_5_percent) {
    for (const std::size_t layouts : {6U, 8U, 12U}) {
        const auto found = of_comparisons(layouts, 72, 0.03, 0);
        EXPECT_LE(found.different, 0.05) << layouts;
        EXPECT_LE(found.unreliable, 0.05) << layouts;
    }
}

TEST(layouts, a_slowdown_larger_than_the_layouts_effects_is_found) {
    EXPECT_GE(of_comparisons(20, 20, 0.01, 0.04).slower, 0.9);
    EXPECT_GE(of_comparisons(20, 20, 0, 0.03).slower, 0.9) << "without effects of layouts";
}

TEST(layouts, the_number_of_layout_pairs_limits_the_precision_however_many_blocks_run) {
    const auto once = compared(6, 6, 1, 0.02, 0), often = compared(6, 60, 1, 0.02, 0);
    const auto width = [](const reports::report& report) {
        const auto& ratio = *time_of_next(report).to_baseline;
        return std::log(*ratio.high / *ratio.low);
    };
    EXPECT_GT(width(often), 0.5 * width(once)) << "ten times as many blocks add no information about layouts";
    EXPECT_EQ(time_of_next(often).samples.size(), 60U);
}

TEST(layouts, each_pair_of_layouts_gives_one_ratio) {
    machine here{1, 0.02, 0};
    const auto plan = plan_of(6, 60, 1);
    const auto outcome = outcome_of(plan, [&](const auto& request) { return here.run(request); });
    const bench::sample_table samples{plan, outcome};
    EXPECT_EQ(samples.log_ratios({0, 1, 0}, *reports::find_metric("time")).size(), 6U);
}

TEST(layouts, layouts_do_not_make_the_aa_copy_differ_from_the_baseline) {
    const auto with = compared(20, 20, 1, 0.03, 0), without = compared(0, 20, 1, 0, 0);
    EXPECT_EQ(with.aa->found, reports::reliability::reliable);
    EXPECT_TRUE(with.aa->reason);
    EXPECT_EQ(without.aa->found, reports::reliability::reliable);
    EXPECT_FALSE(without.aa->reason);
}

TEST(layouts, a_run_with_a_precision_ends_after_one_block_per_layout_if_there_are_too_few_layouts) {
    const auto precise = [](std::size_t layouts, double between) {
        auto plan = plan_of(layouts, bench::blocks_max, 1);
        plan.precision_pct = 0.5;
        machine here{1, between, 0};
        return report_of(plan, [&](const auto& request) { return here.run(request); });
    };
    const auto is_said = [](const reports::report& report) {
        return std::ranges::any_of(report.warnings,
                                   [](const auto& item) { return item.code == "few_layouts_for_precision"; });
    };
    for (const std::size_t layouts : {12U, 40U}) {  // the pilot has 12 to 40 blocks
        const auto report = precise(layouts, 0.03);
        EXPECT_EQ(time_of_next(report).samples.size(), layouts);
        EXPECT_TRUE(is_said(report));
    }
    EXPECT_FALSE(is_said(precise(1000, 0.001)));
}

TEST(layouts, the_deviation_between_layouts_is_estimated_correctly) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto report = compared(20, 20, seed, 0.03, 0);
        squares += std::pow(*time_of_next(report).layout_pct, 2) / 200;
        EXPECT_EQ(report.plan->layouts, 20U);
    }
    EXPECT_NEAR(std::sqrt(squares), 3, 0.35);
    EXPECT_FALSE(time_of_next(compared(20, 4, 1, 0.03, 0)).layout_pct) << "each layout was measured once";
    const auto plain = compared(0, 20, 1, 0.03, 0);
    EXPECT_FALSE(time_of_next(plain).layout_pct);
    EXPECT_FALSE(plain.plan->layouts);
}

TEST(layouts, too_few_layouts_or_a_single_layout_cause_a_warning_with_a_remedy) {
    const auto codes = [](const reports::report& report) {
        std::set<std::string> all;
        for (const auto& item : report.warnings) all.insert(item.code);
        return all;
    };
    EXPECT_TRUE(codes(compared(6, 12, 1, 0.01, 0)).contains("few_layouts"));
    EXPECT_FALSE(codes(compared(12, 12, 1, 0.01, 0)).contains("few_layouts"));
    EXPECT_TRUE(codes(compared(0, 12, 1, 0, 0.5)).contains("one_layout"));
    EXPECT_FALSE(codes(compared(0, 12, 1, 0, 0)).contains("one_layout")) << "nothing was found";
    EXPECT_FALSE(codes(compared(12, 12, 1, 0.01, 0.5)).contains("one_layout"));
}

}  // namespace

}  // namespace loopbench::tests
