// Tests the statistics over several hosts whose effects are known.
#include "bench/harness/statistics/hosts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "chance.hpp"

namespace loopbench::tests {

namespace {

using bench::host_value;

std::vector<host_value> measured(generator& random, std::size_t hosts, std::size_t blocks, double between,
                                 const population& noise) {
    std::normal_distribution<double> normal;
    std::vector<host_value> all;
    for (std::size_t host = 0; host < hosts; ++host) {
        const double effect = between * normal(random);
        for (std::size_t block = 0; block < blocks; ++block)
            all.push_back({host, effect + noise.draw(random)});
    }
    return all;
}

population quiet(double spread) {
    return {"quiet", 0,
            [spread](generator& random) { return spread * std::normal_distribution<double>{}(random); }};
}

bool has_zero(const bench::estimate& found) {
    return *found.low <= 0 && 0 <= *found.high;
}

// The standard error of the coverage is 0.34 %, because there are 4,000 tries.
TEST(hosts, intervals_of_few_hosts_cover_about_95_percent) {
    constexpr int tries = 4000;
    for (const auto& noise : populations())
        for (const std::size_t hosts : {2U, 3U, 5U})
            for (const double between : {0.0, 0.03}) {
                generator random{20261123};
                int covered = 0;
                for (int i = 0; i < tries; ++i) {
                    const auto medians = bench::medians_of_hosts(measured(random, hosts, 6, between, noise));
                    covered += has_zero(bench::few_hosts_with_interval(medians)) ? 1 : 0;
                }
                // The limit is 93 % and not 95 %, because the median of six blocks is biased for skewed and
                // bimodal data.
                EXPECT_GE(covered, tries * 0.93) << noise.name << hosts << " " << between;
                EXPECT_LE(covered, tries * 0.975) << noise.name << hosts << " " << between;
            }
}

bench::estimate drawn_again(generator& random, const std::vector<host_value>& all, std::size_t hosts) {
    constexpr std::size_t draws = 400;
    std::vector<std::vector<double>> of_host(hosts);
    for (const auto& [host, value] : all) of_host[host].push_back(value);
    std::uniform_int_distribution<std::size_t> any_host{0, hosts - 1},
        any_block{0, of_host.front().size() - 1};
    std::vector<double> found;
    for (std::size_t i = 0; i < draws; ++i) {
        std::vector<double> medians;
        for (std::size_t k = 0; k < hosts; ++k) {
            std::vector<double> blocks;
            const auto& from = of_host[any_host(random)];
            for (std::size_t n = 0; n < from.size(); ++n) blocks.push_back(from[any_block(random)]);
            medians.push_back(bench::median_of(blocks));
        }
        found.push_back(bench::median_of(medians));
    }
    std::ranges::sort(found);
    return {0, found[draws / 40], found[draws - 1 - draws / 40]};
}

// This low coverage is the reason why loopbench does not use the bootstrap.
TEST(hosts, a_bootstrap_interval_of_few_hosts_covers_much_less_than_95_percent) {
    constexpr int tries = 1000;
    const auto share_covered = [](std::size_t hosts) {
        generator random{7};
        int covered = 0;
        for (int i = 0; i < tries; ++i)
            covered +=
                has_zero(drawn_again(random, measured(random, hosts, 6, 0.03, quiet(0.01)), hosts)) ? 1 : 0;
        return static_cast<double>(covered) / tries;
    };
    EXPECT_NEAR(share_covered(2), 0.55, 0.05);
    EXPECT_NEAR(share_covered(3), 0.76, 0.05);
    EXPECT_NEAR(share_covered(5), 0.88, 0.05);
}

TEST(hosts, p_values_at_the_ends_of_the_hosts_interval_are_2_5_and_97_5_percent) {
    const std::vector<double> hosts{0.01, 0.04, 0.02};
    const auto found = bench::few_hosts_with_interval(hosts);
    EXPECT_NEAR(found.median, 0.02, 1e-12);
    EXPECT_NEAR(bench::p_few_hosts_above(hosts, *found.low), 0.025, 1e-9);
    EXPECT_NEAR(bench::p_few_hosts_above(hosts, *found.high), 0.975, 1e-9);
    // the expected value comes from R: t.test(c(0.01, 0.04, 0.02))$conf.int
    EXPECT_NEAR(*found.low, -0.0146118, 1e-6);
    EXPECT_NEAR(*found.high, 0.0612785, 1e-6);
}

TEST(hosts, hosts_with_equal_values_give_an_interval_of_zero_width) {
    const std::vector<double> hosts{0.02, 0.02};
    EXPECT_EQ(bench::p_few_hosts_above(hosts, 0.01), 0);
    EXPECT_EQ(bench::p_few_hosts_above(hosts, 0.03), 1);
    const auto found = bench::few_hosts_with_interval(hosts);
    EXPECT_EQ(*found.low, 0.02);
    EXPECT_EQ(*found.high, 0.02);
}

TEST(hosts, the_stated_detectable_difference_of_hosts_is_found_in_about_three_of_four_runs) {
    for (const std::size_t hosts : {3U, 5U}) {
        generator random{11};
        double reach = 0;
        constexpr int tries = 4000;
        for (int i = 0; i < tries; ++i)
            reach += bench::reach_of_few_hosts(
                         bench::medians_of_hosts(measured(random, hosts, 1, 0.02, quiet(0))), 0.05) /
                     tries;
        int seen = 0;
        for (int i = 0; i < tries; ++i) {
            auto medians = bench::medians_of_hosts(measured(random, hosts, 1, 0.02, quiet(0)));
            for (auto& each : medians) each += reach;
            seen += *bench::few_hosts_with_interval(medians).low > 0 ? 1 : 0;
        }
        EXPECT_NEAR(static_cast<double>(seen) / tries, 0.75, 0.08) << hosts;
    }
}

double root_mean_square_of_deviations(std::size_t hosts, double between, double noise) {
    generator random{20261122};
    constexpr int tries = 2000;
    double squares = 0;
    for (int i = 0; i < tries; ++i) {
        const double found = *bench::host_deviation(measured(random, hosts, 6, between, quiet(noise)));
        squares += found * found / tries;
    }
    return std::sqrt(squares);
}

TEST(hosts, the_deviation_between_hosts_is_estimated_correctly) {
    for (const std::size_t hosts : {2U, 3U, 8U}) {
        EXPECT_NEAR(root_mean_square_of_deviations(hosts, 0.03, 0.001), 0.03, 0.0015) << hosts;
        EXPECT_NEAR(root_mean_square_of_deviations(hosts, 0.03, 0.02), 0.03, 0.004) << hosts;
        EXPECT_LT(root_mean_square_of_deviations(hosts, 0, 0.02), 0.012) << hosts;
    }
}

TEST(hosts, one_block_per_host_gives_neither_a_deviation_between_hosts_nor_a_p_value) {
    generator random{1};
    const auto once = measured(random, 6, 1, 0.03, quiet(0.01)), one = measured(random, 1, 9, 0, quiet(0.01));
    for (const auto& each : {once, one, std::vector<host_value>{}}) {
        EXPECT_FALSE(bench::host_deviation(each));
        EXPECT_FALSE(bench::p_hosts_are_alike(each));
    }
}

TEST(hosts, equal_hosts_rarely_differ_significantly_and_unequal_hosts_usually_do) {
    constexpr int tries = 2000;
    for (const auto& noise : populations())
        for (const std::size_t hosts : {2U, 4U}) {
            generator random{3};
            int alarms = 0, found = 0;
            for (int i = 0; i < tries; ++i) {
                alarms += *bench::p_hosts_are_alike(measured(random, hosts, 4, 0, noise)) <= 0.05 ? 1 : 0;
                auto other = measured(random, hosts, 4, 0, quiet(0.01));
                for (auto& each : other) each.value += each.host == 0 ? 0.05 : 0;
                found += *bench::p_hosts_are_alike(other) <= 0.05 ? 1 : 0;
            }
            EXPECT_LE(alarms, tries * 0.065) << noise.name << hosts;
            EXPECT_GE(found, tries * 0.95) << hosts;
        }
}

TEST(hosts, without_noise_the_p_value_of_unequal_hosts_is_zero) {
    const std::vector<host_value> same{{0, 1}, {0, 1}, {1, 1}, {1, 1}}, other{{0, 1}, {0, 1}, {1, 2}, {1, 2}};
    EXPECT_EQ(bench::p_hosts_are_alike(same), 1);
    EXPECT_EQ(bench::p_hosts_are_alike(other), 0);
}

}  // namespace

}  // namespace loopbench::tests
