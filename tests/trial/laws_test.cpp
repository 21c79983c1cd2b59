// Tests that a trial fails if its numbers are impossible: with a contender that has planted defects, and at
// the exact limit of each check.
#include "bench/harness/trial/laws.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::law_broken_by;
using bench::law_broken_by_slices;
using bench::slice;
using bench::timed_claims;
using bench::workload_shape;
using reports::result_status;

const std::string workload = "echo/rtt/tcp/conns:1/bytes:64";

bench::trial_outcome trial_with(const std::string& defect, reports::pairing made) {
    bench::contender who{"lawbreaker", LOOPBENCH_LAWBREAKER, {workload}, ""};
    who.environment = {{"LAWBREAKER", defect}, {"LAWBREAKER_MODULES", LOOPBENCH_GBENCH_FOLDER}};
    const std::vector<bench::trial_request> one{{.who = who,
                                                 .workload = workload,
                                                 .min_time_s = defect == "slow-clock" ? 0.005 : 0.05,
                                                 .size = bench::workload_size::small,
                                                 .cpu = bench::allowed_cpus().front()}};
    bench::process_executor executor{-1, bench::watching::off};
    return made == reports::pairing::sequential ? executor.run(one.front())
                                                : executor.run_at_once(one, made, 1, 60s).front();
}

class planted_defects : public testing::TestWithParam<reports::pairing> {};

TEST_P(planted_defects, a_contender_without_a_planted_defect_keeps_its_result) {
    const auto trial = trial_with("", GetParam());
    EXPECT_EQ(trial.status, result_status::ok) << trial.reason;
    EXPECT_GE(trial.metrics.at("time").value_or(0), 20'000);
}

TEST_P(planted_defects, each_planted_defect_fails_the_trial_with_the_expected_reason) {
    for (const auto& [defect, law] : std::map<std::string, std::string>{{"outside", "impossible counts"},
                                                                        {"short-time", "Little"},
                                                                        {"fast-clock", "impossible times"},
                                                                        {"slow-clock", "impossible CPU time"},
                                                                        {"half-work", "impossible counts"},
                                                                        {"off-by-one", "impossible counts"},
                                                                        {"printed", "impossible numbers"}}) {
        auto trial = trial_with(defect, GetParam());
        // On a busy machine, a law allows for the time in which the contender waited, and can miss a defect.
        for (int left = 4; left > 0 && trial.status != result_status::failed; --left)
            trial = trial_with(defect, GetParam());
        EXPECT_EQ(trial.status, result_status::failed) << defect;
        EXPECT_TRUE(trial.metrics.empty()) << defect;
        EXPECT_SAYS(trial.reason, law) << defect << ": " << trial.claims.latencies.value_or(0)
                                       << " latencies of " << trial.claims.latency_mean.value_or(0)
                                       << " ns in " << trial.claims.wall_ns.value_or(0) << " ns";
    }
}

TEST(laws, a_trial_fails_if_its_slices_do_not_add_up_to_its_timed_section) {
    const auto trial = trial_with("slices", reports::pairing::interleaved);
    EXPECT_EQ(trial.status, result_status::failed);
    EXPECT_SAYS(trial.reason, "impossible numbers");
}

INSTANTIATE_TEST_SUITE_P(pairings, planted_defects,
                         testing::Values(reports::pairing::sequential, reports::pairing::interleaved),
                         [](const auto& each) { return std::string{name_of(each.param)}; });

/// A workload with one request in flight on each of ten connections. `sound` contains true claims about a
/// thousand round trips of this workload.
const workload_shape ten_connections = workload_shape{.name = "ten"}.with_latencies(10);
const timed_claims sound{.operations = 1000,
                         .wall_ns = 1e9,
                         .cpu_ns = 0.9e9,
                         .latencies = 1000,
                         .latency_mean = 1e7,
                         .age_ns = 1.1e9};

bench::child_outcome lasted(std::chrono::nanoseconds wall, std::chrono::nanoseconds cpu) {
    bench::child_outcome child;
    child.wall = wall;
    child.usage.user_ns = cpu.count();
    return child;
}

std::string broken_when(void (*change)(timed_claims&)) {
    auto claims = sound;
    change(claims);
    return law_broken_by(claims, ten_connections, lasted(1200ms, 1000ms), 1).value_or("");
}

TEST(laws, plausible_numbers_of_a_contender_are_accepted) {
    EXPECT_EQ(broken_when([](timed_claims&) {}), "");
}

TEST(laws, every_timed_operation_must_have_exactly_one_latency) {
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latencies = 999; }), "impossible counts");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latencies = 1001; }), "impossible counts");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latencies = std::nullopt; }),
                "impossible counts");
    const auto gathers = workload_shape{.name = "gathers"}.with_latencies(1, 100);
    EXPECT_EQ(law_broken_by({.operations = 1000, .latencies = 10}, gathers, lasted(1s, 1s), 1), std::nullopt);
    EXPECT_SAYS(law_broken_by({.operations = 1000, .latencies = 9}, gathers, lasted(1s, 1s), 1).value_or(""),
                "impossible counts");
}

TEST(laws, the_sum_of_the_latencies_must_match_the_length_of_the_timed_section) {
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latency_mean = 1.02e7; }), "Little");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latency_mean = 0.34e7; }), "Little");
    EXPECT_EQ(broken_when([](timed_claims& claims) { claims.latency_mean = 0.36e7; }), "");
}

TEST(laws, littles_law_excludes_the_time_in_which_the_process_waits_for_a_core) {
    auto claims = sound;
    claims.latency_mean = 0.1e7;
    auto child = lasted(1200ms, 1000ms);
    child.usage.run_delay_ns = 710'000'000;
    EXPECT_SAYS(law_broken_by(claims, ten_connections, child, 1).value_or(""), "Little");
    child.usage.run_delay_ns = 720'000'000;
    EXPECT_EQ(law_broken_by(claims, ten_connections, child, 1), std::nullopt);
}

TEST(laws, the_printed_metrics_must_match_the_numbers_of_the_timed_section) {
    EXPECT_EQ(broken_when([](timed_claims& claims) {
                  claims.time_ns = 1e6;
                  claims.throughput = 1000;
                  claims.cpu_of_operation = 0.9e6;
                  claims.latency_p50 = 1.9e7;
                  claims.latency_p99 = 9e8;
              }),
              "");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.time_ns = 1.002e6; }), "printed time");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.throughput = 998; }), "throughput");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.cpu_of_operation = 1e6; }), "cpu");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latency_p50 = 2.2e7; }), "latency_p50");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.latency_p99 = 1.1e9; }), "latency_p99");
}

TEST(laws, the_sum_of_the_slices_must_equal_the_timed_section) {
    const std::vector<slice> slices{{.operations = 600, .timed = 500ms}, {.operations = 400, .timed = 500ms}};
    EXPECT_EQ(bench::law_broken_by_sum_of(slices, sound), std::nullopt);
    auto claims = sound;
    claims.operations = 1001;
    EXPECT_SAYS(bench::law_broken_by_sum_of(slices, claims).value_or(""), "impossible numbers");
    claims = sound;
    claims.wall_ns = 0.5e9;
    EXPECT_SAYS(bench::law_broken_by_sum_of(slices, claims).value_or(""), "impossible numbers");
}

// These numbers come from a real fault. The latencies showed 195,000 round trips per second, but the time
// showed 13,700,000.
TEST(laws, seventy_three_nanoseconds_per_round_trip_on_a_thousand_connections_break_littles_law) {
    const auto shape = workload_shape{.name = "a thousand"}.with_latencies(1000);
    const timed_claims claims{
        .operations = 1000, .wall_ns = 73'000, .latencies = 1000, .latency_mean = 5.1e6};
    EXPECT_SAYS(law_broken_by(claims, shape, lasted(1s, 1s), 1).value_or(""), "Little");
}

TEST(laws, the_claimed_cpu_time_cannot_exceed_the_cpu_time_that_the_parent_observed) {
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.cpu_ns = 1.02e9; }), "impossible CPU time");
    EXPECT_SAYS(broken_when([](timed_claims& claims) {
                    claims.wall_ns = 0.8e9;
                    claims.latency_mean = 0.8e7;
                    claims.cpu_ns = 0.9e9;
                }),
                "on 1 core");
}

TEST(laws, the_clocks_of_the_contender_and_its_parent_must_agree) {
    EXPECT_SAYS(broken_when([](timed_claims& claims) {
                    claims.wall_ns = 1.3e9;
                    claims.latency_mean = 1.3e7;
                }),
                "impossible times");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.age_ns = 1.3e9; }), "impossible times");
    EXPECT_SAYS(broken_when([](timed_claims& claims) { claims.age_ns = 0.05e9; }), "impossible times");
}

TEST(laws, numbers_that_a_contender_does_not_print_are_not_checked) {
    EXPECT_EQ(law_broken_by({}, ten_connections, lasted(1s, 1s), 1), std::nullopt);
    EXPECT_EQ(broken_when([](timed_claims& claims) {
                  claims.latencies = std::nullopt;
                  claims.records = false;
              }),
              "");
}

std::vector<slice> slices_that_say(std::chrono::nanoseconds timed, std::chrono::nanoseconds observed) {
    return std::vector<slice>(
        5, {.operations = 10, .untimed_operations = 3, .timed = timed, .untimed = 1ms, .observed = observed});
}

TEST(laws, the_claimed_length_of_a_slice_must_match_the_observed_length) {
    EXPECT_EQ(law_broken_by_slices(slices_that_say(9ms, 10ms)), std::nullopt);
    EXPECT_SAYS(law_broken_by_slices(slices_that_say(9100us, 10ms)).value_or(""), "impossible times");
    EXPECT_SAYS(law_broken_by_slices(slices_that_say(4500us, 10ms)).value_or(""), "impossible times");
}

TEST(laws, slices_that_are_longer_because_the_core_was_busy_are_accepted) {
    EXPECT_EQ(law_broken_by_slices(slices_that_say(4500us, 10ms), 5 * 4ms), std::nullopt);
    EXPECT_SAYS(law_broken_by_slices(slices_that_say(4500us, 10ms), 5 * 1ms).value_or(""),
                "impossible times");
}

TEST(laws, the_length_of_a_slice_with_an_unreported_untimed_part_has_only_an_upper_limit) {
    EXPECT_EQ(law_broken_by_slices(std::vector<slice>(5, {.operations = 1, .timed = 1ms, .observed = 10ms})),
              std::nullopt);
    EXPECT_SAYS(
        law_broken_by_slices(std::vector<slice>(5, {.operations = 1, .timed = 11ms, .observed = 10ms}))
            .value_or(""),
        "impossible times");
}

}  // namespace

}  // namespace loopbench::tests
