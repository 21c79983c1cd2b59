// Tests the parsers of profiles, and the comparison of two profiles.
#include "bench/harness/profiling/profile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "bench/harness/profiling/perf_script.hpp"

namespace loopbench::bench {
namespace {

TEST(profiles, the_stacks_of_perf_begin_with_the_outermost_function) {
    const auto found = stacks_in_perf_script(
        "\t    55d0 std::less<int> (*)(a, b) [clone .isra.0] (/usr/bin/a (deleted))\n"
        "\t    55d1 (anonymous namespace)::f(int) (/usr/bin/a)\n"
        "\t    7f00 [unknown] (/usr/lib/libc.so.6)\n"
        "\n"
        "    7fff g.constprop.0.cold ([vdso])\n"
        "    55d1 [unknown] ([unknown])\n"
        "\n"
        "# a comment\n"
        "    7fff g ([vdso])\n"
        "    55d2 [unknown] ([unknown])\n");
    const weighted_stacks expected{{"[libc.so.6];(anonymous namespace)::f(int);std::less<int> (*)(a, b)", 1},
                                   {"[unknown];g", 2}};
    EXPECT_EQ(found, expected);
    EXPECT_TRUE(stacks_in_perf_script("").empty());
}

TEST(profiles, the_own_costs_of_functions_are_read_from_callgrind) {
    const auto found = stacks_in_callgrind(R"(# callgrind format
version: 1
positions: line
events: Ir
summary: 1000

ob=(1) /usr/bin/a
fl=(1) a.cpp
fn=(1) main
10 5
cfn=(2) slow(int)'main
calls=2 20
11 300
+1 7

fn=(2)
20 280
* 3

fn=(4) slow(int)'other'main
20 11

fn=(3) f'2'main
0x40 5 4

totals: 310
)");
    const weighted_stacks expected{
        {"main", 12}, {"main;slow(int)", 283}, {"main;other;slow(int)", 11}, {"main;f", 4}};
    EXPECT_EQ(found, expected);
    EXPECT_THROW(stacks_in_callgrind(""), uncountable);
    EXPECT_THROW(stacks_in_callgrind("events: Ir\n"), uncountable);
}

/// Returns a profile whose time is spent in user space.
profiled_build busy(weighted_stacks stacks, double wall_ns, weighted_stacks variances = {}) {
    return {std::move(stacks), std::move(variances), {wall_ns, wall_ns, 0}};
}

const reports::profiled_function& function_in(const reports::profile& profile, std::string_view name) {
    return *std::ranges::find(profile.functions, name, &reports::profiled_function::name);
}

TEST(profiles, functions_are_sorted_by_additional_time_per_operation) {
    const auto found = compare_profiles("perf", busy({{"main;a", 50}, {"main;b", 50}}, 100),
                                        busy({{"main;a", 50}, {"main;b", 300}, {"main;c", 50}}, 400));
    ASSERT_EQ(found.functions.size(), 3U);
    EXPECT_EQ(found.functions[0].name, "b");
    EXPECT_NEAR(found.functions[0].more_ns, 250, 1e-9);
    EXPECT_NEAR(found.functions[0].before_pct, 50, 1e-9);
    EXPECT_NEAR(found.functions[0].after_pct, 75, 1e-9);
    EXPECT_EQ(found.functions[1].name, "c");
    EXPECT_EQ(found.functions[2].name, "a");
    EXPECT_NEAR(found.functions[2].more_ns, 0, 1e-9);
    EXPECT_EQ(found.stacks.size(), 3U);
    EXPECT_FALSE(found.functions[0].error_ns);
}

TEST(profiles, waiting_and_invisible_time_in_the_kernel_do_not_belong_to_functions) {
    const weighted_stacks stacks{{"main;a", 1}, {"main;b", 1}};
    const auto found =
        compare_profiles("perf", {stacks, {}, {100, 60, 20}, false}, {stacks, {}, {300, 60, 20}, false});
    EXPECT_NEAR(function_in(found, "[waiting]").more_ns, 200, 1e-9);
    EXPECT_NEAR(function_in(found, "[kernel]").after_pct, 100.0 * 20 / 300, 1e-9);
    EXPECT_NEAR(function_in(found, "a").after_pct, 10, 1e-9);
    EXPECT_NEAR(function_in(found, "a").more_ns, 0, 1e-9);
    const auto with_kernel = compare_profiles("perf", {stacks, {}, {80, 60, 20}}, {stacks, {}, {80, 60, 20}});
    EXPECT_EQ(with_kernel.functions.size(), 2U);
    EXPECT_NEAR(function_in(with_kernel, "a").after_pct, 50, 1e-9);
}

TEST(profiles, a_difference_within_three_standard_errors_is_not_certain) {
    const auto found = compare_profiles("perf", busy({{"a", 400}, {"b", 400}}, 800, {{"a", 400}, {"b", 400}}),
                                        busy({{"a", 450}, {"b", 1000}}, 1450, {{"a", 450}, {"b", 1000}}));
    const double variance = 800 * 0.5 * 0.5 + 1450 * (450.0 / 1450) * (1000.0 / 1450);  // of binomial shares
    EXPECT_NEAR(function_in(found, "a").error_ns.value_or(0), std::sqrt(variance), 1e-6);
    EXPECT_FALSE(function_in(found, "a").is_certainly_slower()) << "50 samples more are noise";
    EXPECT_TRUE(function_in(found, "b").is_certainly_slower());
}

TEST(profiles, a_function_that_has_nearly_all_of_the_time_is_named_if_the_time_grows_by_a_tenth) {
    const auto found = compare_profiles("perf", busy({{"a", 2990}, {"b", 10}}, 100, {{"a", 2990}, {"b", 10}}),
                                        busy({{"a", 2990}, {"b", 10}}, 110, {{"a", 2990}, {"b", 10}}));
    EXPECT_TRUE(function_in(found, "a").is_certainly_slower());
    EXPECT_FALSE(function_in(found, "b").is_certainly_slower());
}

TEST(profiles, a_weight_below_zero_is_no_time) {
    const auto found = compare_profiles("perf", busy({{"a", -1}, {"b", 101}}, 100), busy({{"b", 100}}, 100));
    EXPECT_EQ(function_in(found, "a").before_pct, 0);
}

TEST(profiles, the_profile_of_a_huge_program_fits_into_the_journal) {
    weighted_stacks huge;
    for (int i = 0; i < 20'000; ++i) huge[fmt::format("main;{}{}", std::string(1000, 'x'), i)] = 20'000 - i;
    const auto found = compare_profiles("perf", busy(huge, 100), busy(huge, 100));
    std::size_t bytes = 0;
    double whole = 0;
    for (const auto& [stack, before, after] : found.stacks) {
        bytes += stack.size();
        whole += after;
    }
    EXPECT_LT(bytes, 1'000'000U);
    EXPECT_NEAR(whole, 100, 1e-6) << "the rest is summed up";
    EXPECT_LE(found.functions.size(), 501U);
}

TEST(profiles, a_very_long_name_leaves_space_for_the_others) {
    const weighted_stacks stacks{{std::string(600'000, 'x'), 10}, {"a", 1}, {"b", 2}};
    const auto found = compare_profiles("perf", busy(stacks, 13), busy(stacks, 13));
    ASSERT_EQ(found.functions.size(), 3U);
    EXPECT_NEAR(function_in(found, "[others]").after_pct, 100.0 * 10 / 13, 1e-9);
    EXPECT_NEAR(function_in(found, "b").after_pct, 100.0 * 2 / 13, 1e-9);
}

}  // namespace
}  // namespace loopbench::bench
