// Tests the amounts of work that the counted processes are asked for.
#include "bench/harness/counting/amounts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "bench/harness/counting/slope.hpp"

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;

double seconds_of(const std::vector<amount_of_work>& amounts, const benchmark_speed& of) {
    double seconds = 0;
    for (const auto& each : amounts) {
        const auto operations = each.operations ? static_cast<double>(*each.operations)
                                                : each.repetitions * of.operations_of_probe;
        seconds += std::max(each.min_time_s, operations * of.operation_s);
    }
    return seconds;
}

TEST(amounts, there_is_never_only_one_process_and_the_amounts_differ) {
    for (const bool takes_operations : {false, true})
        for (const bool is_calibrated : {false, true})
            for (const double operation_s : {0.0, 1e-8, 1e-3, 0.019, 0.05, 0.99, 1.0, 30.0})
                for (const double slowdown : {1.0, 50.0}) {
                    const auto all = amounts_for({takes_operations, is_calibrated, 50, operation_s},
                                                 {.slowdown = slowdown});
                    ASSERT_GE(all.size(), 2U);
                    for (std::size_t i = 1; i < all.size(); ++i)
                        EXPECT_FALSE(all[i] == all[i - 1]) << operation_s;
                }
}

/// Returns the work of a Google Benchmark program with this minimum time, by the rules of its BenchmarkRunner
/// (src/benchmark_runner.cc of 1.9.1). `next_time` returns the time of an operation in a batch.
work_of_process work_with(double min_time_s, const std::function<double()>& next_time) {
    work_of_process work;
    for (double iterations = 1;;) {
        const double seconds = iterations * next_time();
        work.operations += iterations;
        ++work.batches;
        if (seconds >= min_time_s) return work;
        const double factor = seconds > 0.1 * min_time_s ? 1.4 * min_time_s / seconds : 10;
        iterations = std::floor(std::max(std::max(factor, 1.0) * iterations, iterations + 1) + 0.5);
    }
}

TEST(amounts, the_set_up_can_be_separated_although_the_speed_varies) {
    std::mt19937_64 random{1};
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() >> 11U) * 0x1p-53;
    };
    constexpr int tries = 10'000;
    int separated = 0;
    for (int i = 0; i < tries; ++i) {
        const double operation_s = std::pow(10, between(-8, 0));
        const auto next_time = [&] { return operation_s * between(0.7, 1.4); };
        std::vector<work_of_process> all;
        for (const auto& amount : amounts_for({false, true, 1, operation_s}, {}))
            all.push_back(work_with(amount.min_time_s, next_time));
        const auto found = slope_of(all);
        separated += found && !found->set_up_included ? 1 : 0;
    }
    EXPECT_GT(separated, 0.98 * tries);
}

TEST(amounts, slow_operations_get_few_repetitions) {
    for (const bool takes_operations : {false, true}) {
        const benchmark_speed slow{takes_operations, true, 1, 2.0};
        EXPECT_LE(seconds_of(amounts_for(slow, {}), slow), 6.0) << takes_operations;
    }
    const benchmark_speed client{true, true, 1, 0.05};
    EXPECT_LE(seconds_of(amounts_for(client, {}), client), 3.1);
}

TEST(amounts, fast_operations_of_a_contender_get_at_least_a_hundred_and_at_most_20000) {
    EXPECT_EQ(amounts_for({true, true, 1, 0.005}, {})[0].operations, 100U);
    EXPECT_EQ(amounts_for({true, true, 1, 1e-9}, {})[0].operations, 20'000U);
    EXPECT_EQ(amounts_for({true, false, 64, 1e-9}, {})[1].operations, 128U) << "the number is fixed";
}

TEST(amounts, a_command_runs_a_few_times_in_one_batch) {
    EXPECT_EQ(amounts_for({false, true, 1, 0.05, true}, {})[1].operations, 6U);
    EXPECT_EQ(amounts_for({false, true, 1, 0.001, true}, {})[0].operations, 30U);
    EXPECT_EQ(amounts_for({false, true, 1, 2.0, true}, {})[1].operations, 2U);
}

TEST(amounts, a_tool_that_needs_more_time_or_slows_the_program_down_gets_larger_amounts) {
    const benchmark_speed quick{false, true, 1, 1e-6};
    EXPECT_EQ(amounts_for(quick, {})[2].min_time_s, 0.12);
    EXPECT_EQ(amounts_for(quick, {.least = 700ms})[2].min_time_s, 2.8);
    EXPECT_NEAR(amounts_for({false, true, 1, 0.004}, {.slowdown = 50})[1].min_time_s, 0.3, 1e-9);
    const benchmark_speed fixed{false, false, 50, 0.001};
    EXPECT_EQ(amounts_for(fixed, {}).back().repetitions, 3);
    EXPECT_EQ(amounts_for(fixed, {.least = 1s}).back().repetitions, 20);
}

}  // namespace
}  // namespace loopbench::bench
