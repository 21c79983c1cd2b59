// Tests the rates of detections and false alarms. Each fake trial takes exactly the configured time, so the
// correct verdict is known.
#include "bench/harness/gate/calibrate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "bench/harness/gate/calibration_file.hpp"
#include "reports/render/calibration.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/mock_executor.hpp"

namespace loopbench::tests {

namespace {

using bench::trial_request;

double slowdown_of(const trial_request& request) {
    return std::stod(request.who.environment.at("LOOPBENCH_SLOWDOWN"));
}

bench::trial_outcome said_so(bench::trial_outcome outcome, double slowdown) {
    outcome.context["contender"] = "asio-epoll";
    if (slowdown > 0) outcome.context["slowdown"] = fmt::format("{:g} %", 100 * slowdown);
    return outcome;
}

bench::session_record ran(std::span<const unsigned> slowdowns_pct, std::uint64_t blocks, double spread) {
    bench::run_plan base = small_plan(blocks);
    base.workloads = {"echo"};
    bench::session_record content;
    content.plan = bench::calibration_plan(base, base.contenders[0], slowdowns_pct);
    std::mt19937_64 random{7};
    std::normal_distribution<double> noise{0, spread};
    content.outcome = outcome_of(content.plan, [&](const trial_request& request) {
        const double slowdown = slowdown_of(request);
        return said_so(took_ns(1000 * (1 + slowdown) * std::exp(noise(random))), slowdown);
    });
    return content;
}

reports::calibration calibrated(double spread, const bench::calibration_sizes& sizes) {
    constexpr std::array<unsigned, 2> slowdowns_pct{2, 10};
    return bench::judge_calibration(ran({}, sizes.aa_tries * sizes.aa_blocks, spread),
                                    ran(slowdowns_pct, 5 * sizes.blocks, spread), sizes);
}

TEST(calibrate, slowed_contenders_differ_only_in_their_slowdown) {
    const auto base = small_plan(1);
    const auto plan = bench::calibration_plan(base, base.contenders[0], std::vector<unsigned>{3, 10});
    ASSERT_EQ(plan.contenders.size(), 4U);
    EXPECT_EQ(plan.baseline, "slowed-00");
    EXPECT_EQ(plan.contenders.at(plan.aa_copy.value()).name, "slowed-0~");
    EXPECT_EQ(plan.contenders[1].environment.at("LOOPBENCH_SLOWDOWN"), "0.03");
    EXPECT_EQ(plan.contenders[2].environment.at("LOOPBENCH_SLOWDOWN"), "0.10");
    for (const auto& who : plan.contenders) {
        EXPECT_EQ(who.environment.at("LOOPBENCH_SLOWDOWN").size(), 4U);
        EXPECT_EQ(who.path, base.contenders[0].path);
    }
}

TEST(calibrate, large_slowdowns_are_found_and_equal_builds_are_not_called_different) {
    const auto found = calibrated(0.02, {.aa_tries = 100, .aa_blocks = 20, .tries = 40, .blocks = 20});
    EXPECT_EQ(found.contender, "asio-epoll");
    EXPECT_EQ(found.aa.tries, 100U);
    EXPECT_EQ(found.aa.different, 0U);
    EXPECT_NEAR(found.aa.at_most_pct, 100 * (1 - std::pow(0.05, 0.01)), 1e-9);
    ASSERT_EQ(found.slowdowns.size(), 3U);
    for (const auto& item : found.slowdowns) {
        EXPECT_EQ(item.measured, 5U);
        EXPECT_EQ(item.faster, 0U);
    }
    EXPECT_EQ(found.slowdowns[0].slowdown_pct, 0);
    EXPECT_EQ(found.slowdowns[0].measured_slower, 0U);
    EXPECT_LT(found.slowdowns[1].measured_slower, 5U) << "1 % beyond 1 %";
    EXPECT_EQ(found.slowdowns[2].measured_slower, 5U);
}

TEST(calibrate, a_slowdown_that_is_smaller_than_the_noise_is_rarely_found) {
    const auto found = calibrated(0.5, {.aa_tries = 20, .aa_blocks = 20, .tries = 20, .blocks = 20});
    EXPECT_LT(found.slowdowns[2].measured_slower, 3U);
}

// With a threshold of 0, about 5 % of the tries must be false alarms.
TEST(calibrate, a_calibration_counts_false_alarms) {
    auto equal = ran({}, 6 * 200, 0.02), slowed = ran({}, 6, 0.02);
    equal.plan.threshold_pct = slowed.plan.threshold_pct = 0;
    const auto found =
        bench::judge_calibration(equal, slowed, {.aa_tries = 200, .aa_blocks = 6, .tries = 1, .blocks = 6});
    EXPECT_GT(found.aa.different, 2U);
    EXPECT_LT(found.aa.different, 20U) << "expected: 5 % of 200";
}

TEST(calibrate, trials_that_ignored_the_slowdown_are_refused) {
    auto slowed = ran(std::vector<unsigned>{3}, 6, 0.01);
    for (auto& trial : slowed.outcome.trials) trial.outcome.context.erase("slowdown");
    EXPECT_THROW(bench::check_slowdowns(slowed), bench::usage_error);
    EXPECT_NO_THROW(bench::check_slowdowns(ran(std::vector<unsigned>{3}, 6, 0.01)));
}

TEST(calibrate, calibrating_with_trials_of_two_machines_is_refused) {
    const auto equal = ran({}, 20, 0.01);
    auto slowed = ran(std::vector<unsigned>{3}, 6, 0.01);
    slowed.where.kernel = "another one";
    EXPECT_THROW(bench::judge_calibration(equal, slowed, {}), bench::usage_error);
}

TEST(calibrate, trials_from_two_different_calibrations_are_refused) {
    const auto equal = ran({}, 20, 0.01), slowed = ran(std::vector<unsigned>{3}, 6, 0.01);
    EXPECT_NO_THROW(bench::judge_calibration(equal, slowed, {}));
    auto of_another_seed = slowed;
    ++of_another_seed.plan.seed;
    EXPECT_THROW(bench::judge_calibration(equal, of_another_seed, {}), bench::usage_error);
    auto of_another_build = slowed;
    of_another_build.executables.emplace_back().path = "loop-epoll";
    EXPECT_THROW(bench::judge_calibration(equal, of_another_build, {}), bench::usage_error);
}

TEST(calibrate, all_trials_of_a_calibration_must_have_the_same_pairing) {
    auto equal = ran({}, 20, 0.01), slowed = ran(std::vector<unsigned>{3}, 20, 0.01);
    EXPECT_EQ(bench::judge_calibration(equal, slowed, {}).made, reports::pairing::sequential)
        << "without a choice";
    equal.plan.pairings = {reports::pairing::concurrent};
    EXPECT_THROW(bench::judge_calibration(equal, slowed, {}), bench::usage_error);
    slowed.plan.pairings = equal.plan.pairings;
    const auto found = bench::judge_calibration(equal, slowed, {});
    EXPECT_EQ(found.made, reports::pairing::concurrent);
    EXPECT_SAYS(reports::calibration_table(found), "concurrent");
    auto mixed = small_plan(1);
    mixed.pairings = {reports::pairing::concurrent, reports::pairing::sequential};
    const auto complaint = complaint_of<bench::usage_error>([&] { bench::pairing_of(mixed); });
    for (const auto* said : {"yield is concurrent", "echo is sequential", "--pairing"})
        EXPECT_SAYS(complaint, said);
}

TEST(calibrate, slowed_contenders_are_interleaved_in_slices_like_the_original_contender) {
    auto base = small_plan(1);
    base.contenders.resize(1);
    base.described = {reports::describe("asio-epoll", {{"slices", "1"}})};
    base.pairings = {reports::pairing::interleaved, reports::pairing::interleaved};
    const auto plan = bench::calibration_plan(base, base.contenders[0], std::vector<unsigned>{3, 10});
    for (std::size_t who = 0; who < plan.contenders.size(); ++who)
        EXPECT_EQ(plan.pairing_of({0, who}), reports::pairing::interleaved) << plan.contenders[who].name;
    EXPECT_EQ(bench::pairing_of(plan), reports::pairing::interleaved);
}

bench::session_record paired_by(reports::pairing made, double factor, double exponent) {
    bench::run_plan base = small_plan(8);
    base.workloads = {"echo"};
    base.pairings = {made};
    bench::session_record content;
    content.plan = bench::calibration_plan(base, base.contenders[0], std::vector<unsigned>{2, 10});
    content.outcome = outcome_of(content.plan, [&](const trial_request& request) {
        const double slowdown = slowdown_of(request);
        auto outcome = said_so(took_ns(1000 * factor * std::pow(1 + slowdown, exponent)), slowdown);
        outcome.made = made;
        return outcome;
    });
    return content;
}

TEST(calibrate, interleaved_times_and_ratios_are_compared_with_those_of_a_sequential_session) {
    const auto interleaved = paired_by(reports::pairing::sequential, 1, 1);
    const auto judged = [&](double factor, double exponent) {
        const auto all =
            bench::judge_pairings(interleaved, paired_by(reports::pairing::sequential, factor, exponent));
        EXPECT_EQ(all.size(), 1U);
        return all.at(0);
    };
    EXPECT_TRUE(judged(1.1, 1).agrees);
    EXPECT_NEAR(judged(1.1, 1).time_differs_pct, -9.1, 0.05);
    EXPECT_FALSE(judged(1.2, 1).agrees);
    EXPECT_NEAR(judged(1, 2).ratio_differs_pct, 10, 0.05);
    EXPECT_FALSE(judged(1, 2).agrees);
}

TEST(calibrate, a_session_that_is_not_interleaved_needs_no_sequential_session_for_comparison) {
    EXPECT_FALSE(bench::referee_plan(paired_by(reports::pairing::sequential, 1, 1).plan));
}

TEST(calibrate, a_calibration_ignores_an_attempt_with_too_few_blocks) {
    const auto slowed = ran(std::vector<unsigned>{3}, 19, 0.01);
    const auto found = bench::judge_calibration(ran({}, 39, 0.01), slowed, {.aa_blocks = 20, .blocks = 20});
    EXPECT_EQ(found.aa.tries, 1U);
    EXPECT_EQ(found.slowdowns[1].measured, 0U);
    EXPECT_FALSE(found.slowdowns[1].low);
}

TEST(calibration_file, a_calibration_is_read_back_only_on_its_own_machine) {
    const temporary_folder folder;
    reports::environment here;
    here.kernel = "Linux 6";
    here.cores = 2;
    const auto found = calibrated(0.02, {.aa_tries = 6, .aa_blocks = 6, .tries = 6, .blocks = 6});
    reports::write_file_atomically(folder / "calibration.json", bench::write_calibration(found, here));
    const auto read = bench::read_calibration(folder / "calibration.json", here);
    ASSERT_TRUE(read);
    EXPECT_EQ(reports::to_json(*read), reports::to_json(found));
    here.cores = 4;
    EXPECT_FALSE(bench::read_calibration(folder / "calibration.json", here));
    EXPECT_FALSE(bench::read_calibration(folder / "nothing.json", here));
    reports::write_file_atomically(folder / "calibration.json", "{\"schema\": 1}");
    EXPECT_THROW(bench::read_calibration(folder / "calibration.json", here), reports::format_error);
    std::filesystem::create_symlink("circle", folder / "circle");
    EXPECT_THROW(bench::read_calibration(folder / "circle", here), reports::file_error);
}

std::string obedient(const std::string& when = ":") {
    return when + R"sh(
noise=$(( ($(trials) * 7919) % 10 ))
pct=${LOOPBENCH_SLOWDOWN:-0.00}
pct=${pct#0.}
context='"contender": "obedient"'
[ "$pct" = 00 ] || context="$context, \"slowdown\": \"${pct#0} %\""
printf '{"context": {%s}, "benchmarks": [{"run_name": "%s", "real_time": %s, "cpu_time": %s, "time_unit": "ns", "iterations": 1}]}\n' \
  "$context" "$workload" "$((1$pct * 100 + noise))" "$((1$pct * 100 + noise))"
)sh";
}

constexpr auto calibrate_briefly =
    "XDG_STATE_HOME=$folder/state $loopbench calibrate --contender fake --workload yield --slowdown 3 "
    "--slowdown 10 --tries 2 --blocks 6 --aa-tries 2 --aa-blocks 6 --seed 1 -o $out ";

TEST(calibrate_command, calibration_rates_are_printed_stored_replayed_and_quoted_in_reports) {
    loopbench_command loopbench;
    loopbench.add_contender("fake", obedient());
    const auto ended = loopbench.in_shell(calibrate_briefly);
    ASSERT_EQ(ended.code, 0) << ended.error_tail;
    EXPECT_SAYS(ended.output, "A/A: 0 of 2 comparisons of 6 blocks");
    const auto stored = content_of(loopbench.path("state/loopbench/calibration.json"));
    EXPECT_EQ(stored, content_of(loopbench.path("out/calibration.json")));
    const auto found = nlohmann::json::parse(stored).at("calibration");
    EXPECT_EQ(found["contender"], "obedient");
    EXPECT_EQ(found["slowdowns"][1]["measured_slower"], 2);
    EXPECT_EQ(found["slowdowns"][2]["measured_slower"], 2);

    const auto again = loopbench.in_shell(
        "$loopbench calibrate --replay $out --tries 2 --blocks 6 --aa-tries 2 --aa-blocks 6 -o "
        "$folder/again");
    EXPECT_EQ(again.output, ended.output) << again.error_tail;
    EXPECT_EQ(stored, content_of(loopbench.path("again/calibration.json")));

    loopbench.add_contender("other", obedient());
    const auto run = loopbench.in_shell(
        "XDG_STATE_HOME=$folder/state $loopbench run --verbose --contender fake --contender other --baseline "
        "fake --workload yield --blocks 6 -o $out");
    EXPECT_SAYS(run.output, "0 of 2 A/A comparisons");
    EXPECT_EQ(loopbench.report()["environment"]["calibration"], found);
}

// A calibration of an hour can write a journal of this size.
TEST(calibrate_command, a_journal_larger_than_the_limit_for_reports_can_be_replayed) {
    loopbench_command loopbench;
    const auto ended = loopbench.in_shell(
        "mkdir -p $out/equal && truncate -s 257M $out/equal/journal.jsonl && "
        "$loopbench calibrate --replay $out");
    for (const auto* part : {"journal.jsonl", "line 1: ", "incomplete"}) EXPECT_SAYS(ended.error_tail, part);
}

TEST(calibrate_command, each_pairing_has_its_own_calibration_file) {
    loopbench_command loopbench;
    loopbench.add_contender("fake", obedient());
    const auto ended = loopbench.in_shell(std::string{calibrate_briefly} + "--pairing concurrent");
    ASSERT_EQ(ended.code, 0) << ended.error_tail;
    const auto stored =
        nlohmann::json::parse(content_of(loopbench.path("state/loopbench/calibration-concurrent.json")));
    EXPECT_EQ(stored["calibration"]["pairing"], "concurrent");
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("state/loopbench/calibration.json")));
    const auto quoted_by = [&](const std::string& pairing) {
        loopbench.in_shell(
            "XDG_STATE_HOME=$folder/state $loopbench run --contender fake --baseline fake --workload echo "
            "--blocks 1 -o $out --pairing " +
            pairing);
        return loopbench.report()["environment"].contains("calibration");
    };
    EXPECT_TRUE(quoted_by("concurrent"));
    EXPECT_FALSE(quoted_by("sequential"));
}

TEST(calibrate_command, a_contender_that_ignores_the_slowdown_is_refused_and_no_calibration_is_stored) {
    loopbench_command loopbench;
    loopbench.add_contender("fake", R"(row '"real_time": 10, "time_unit": "ns", "iterations": 1')");
    const auto ended = loopbench.in_shell(calibrate_briefly);
    EXPECT_EQ(ended.code, 2);
    EXPECT_SAYS(ended.error_tail, "LOOPBENCH_SLOWDOWN");
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("state/loopbench/calibration.json")));
}

TEST(calibrate_command, an_interrupted_calibration_keeps_the_finished_trials) {
    loopbench_command loopbench;
    loopbench.add_contender("fake", obedient("[ $(trials) != 40 ] || kill -INT $PPID"));
    const auto ended = loopbench.in_shell(calibrate_briefly);
    EXPECT_EQ(ended.code, 130) << ended.error_tail;
    const auto found =
        nlohmann::json::parse(content_of(loopbench.path("out/calibration.json")))["calibration"];
    EXPECT_EQ(found["complete"], false);
    EXPECT_EQ(found["aa"]["tries"], 2) << "the probe and the A/A take 27 trials";
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("state/loopbench/calibration.json")));
}

}  // namespace

}  // namespace loopbench::tests
