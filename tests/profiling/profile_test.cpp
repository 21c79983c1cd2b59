// Tests the parsers of profiles, and the comparison of two profiles.
#include "bench/harness/profiling/profile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

TEST(profiles, functions_are_sorted_by_additional_time_per_operation) {
    const auto found = compare_profiles("perf", {{{"main;a", 50}, {"main;b", 50}}, 100},
                                        {{{"main;a", 50}, {"main;b", 300}, {"main;c", 50}}, 400});
    ASSERT_EQ(found.functions.size(), 3U);
    EXPECT_EQ(found.functions[0].name, "b");
    EXPECT_NEAR(found.functions[0].more_ns, 250, 1e-9);
    EXPECT_NEAR(found.functions[0].before_pct, 50, 1e-9);
    EXPECT_NEAR(found.functions[0].after_pct, 75, 1e-9);
    EXPECT_EQ(found.functions[1].name, "c");
    EXPECT_EQ(found.functions[2].name, "a");
    EXPECT_NEAR(found.functions[2].more_ns, 0, 1e-9);
    EXPECT_EQ(found.stacks.size(), 3U);
}

TEST(profiles, the_profile_of_a_huge_program_fits_into_the_journal) {
    weighted_stacks huge;
    for (int i = 0; i < 20'000; ++i) huge[fmt::format("main;{}{}", std::string(1000, 'x'), i)] = 20'000 - i;
    const auto found = compare_profiles("perf", {huge, 100}, {huge, 100});
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

}  // namespace
}  // namespace loopbench::bench
