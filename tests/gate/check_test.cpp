// Tests the rules of `loopbench check`: slack, the confirmation of suspected regressions, and the order of
// outcomes by severity.
#include "bench/harness/gate/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/harness/gate/gate_result_formats.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using bench::gate_outcome;
using bench::gate_result;
using bench::gate_result_kind;
using gate_results = std::vector<gate_result>;

bench::expectations one_count(const char* metric, double per_op) {
    bench::expectations all;
    all.counts = {{"yield", "loop-epoll", metric, per_op}};
    return all;
}

gate_result_kind count_found(const bench::expectations& expected, const char* metric, double measured) {
    const std::vector<bench::counted_result> cells{{"yield", "loop-epoll", {{metric, measured}}, {}}};
    const auto found = bench::check_counts(expected, cells);
    EXPECT_EQ(found.size(), 1U);
    return found.at(0).kind;
}

TEST(check_counts, a_count_that_differs_by_at_most_its_slack_passes) {
    const auto expected = one_count("syscalls", 1);  // the slack is 0.02 + 2 % of 1
    EXPECT_EQ(count_found(expected, "syscalls", 1), gate_result_kind::holds);
    EXPECT_EQ(count_found(expected, "syscalls", 1.04), gate_result_kind::holds);
    EXPECT_EQ(count_found(expected, "syscalls", 1.0401), gate_result_kind::regression);
    EXPECT_EQ(count_found(expected, "syscalls", 0.96), gate_result_kind::holds);
    EXPECT_EQ(count_found(expected, "syscalls", 0.9599), gate_result_kind::looser);
    EXPECT_EQ(count_found(expected, "syscalls", 2), gate_result_kind::regression);
    const auto nothing = one_count("allocations", 0);
    EXPECT_EQ(count_found(nothing, "allocations", 0.02), gate_result_kind::holds);
    EXPECT_EQ(count_found(nothing, "allocations", 0.0201), gate_result_kind::regression);
    EXPECT_EQ(count_found(nothing, "allocations", -0.001), gate_result_kind::holds);
}

TEST(check_counts, negative_counts_are_reported_as_unclear) {
    for (const double expected : {0.0, 3.0})
        EXPECT_EQ(count_found(one_count("syscalls", expected), "syscalls", -40), gate_result_kind::unclear);
}

TEST(check_counts, allocated_bytes_have_their_own_slack) {
    const auto expected = one_count("allocated_bytes", 0);
    EXPECT_EQ(count_found(expected, "allocated_bytes", 2), gate_result_kind::holds);
    EXPECT_EQ(count_found(expected, "allocated_bytes", 2.1), gate_result_kind::regression);
}

TEST(check_counts, zero_slack_still_tolerates_rounding_errors) {
    auto expected = one_count("syscalls", 0.1 + 0.2);
    expected.slack = {0, 0, 0};
    EXPECT_EQ(count_found(expected, "syscalls", 0.3), gate_result_kind::holds);
    EXPECT_EQ(count_found(expected, "syscalls", 0.301), gate_result_kind::regression);
}

TEST(check_counts, a_missing_count_never_passes_and_is_reported_as_unclear_with_the_reason) {
    const auto expected = one_count("syscalls", 1);
    const auto none = bench::check_counts(expected, {});
    EXPECT_EQ(none.at(0).kind, gate_result_kind::unclear);
    EXPECT_SAYS(none.at(0).message, "run --counts");
    std::vector<bench::counted_result> cells{{"yield", "loop-epoll", {{"allocations", 0}}, {"no strace"}}};
    const auto untraced = bench::check_counts(expected, cells);
    EXPECT_EQ(untraced.at(0).kind, gate_result_kind::unclear);
    EXPECT_SAYS(untraced.at(0).message, "no strace");
    EXPECT_EQ(bench::outcome_of(untraced), gate_outcome::inconclusive);
    cells[0].failed = true;
    EXPECT_EQ(bench::outcome_of(bench::check_counts(expected, cells)), gate_outcome::failed);
}

TEST(check_counts, only_deterministic_results_of_a_report_are_checked_as_counts) {
    auto report = sample_report();
    const auto waits = std::ranges::find(report.results, "waits", &reports::result::metric);
    ASSERT_NE(waits, report.results.end());
    waits->deterministic = false;
    EXPECT_TRUE(bench::counts_in(report)[0].metrics.empty()) << "the contender reported this value";
    waits->deterministic = true;
    const auto cells = bench::counts_in(report);
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].contender, "loop-epoll");
    EXPECT_EQ(cells[0].metrics, (std::map<std::string, double>{{"waits", 1}}));
    EXPECT_TRUE(cells[1].failed);
}

TEST(check_counts, the_count_of_a_result_that_was_not_run_is_reported_as_unclear) {
    reports::report cut;
    cut.results = {missing_as("yield", "loop-epoll", reports::result_status::not_run,
                              "the run was interrupted before the first trial of this result")};
    const auto found = bench::check_counts(one_count("syscalls", 1), bench::counts_in(cut));
    EXPECT_EQ(found.at(0).kind, gate_result_kind::unclear);
    EXPECT_SAYS(found.at(0).message, "interrupted before");
}

reports::report session(double slower, std::size_t blocks = 20) {
    reports::report content;
    content.baseline = "asio-epoll";
    content.where.cpu_model = "A processor";
    content.where.cores = 2;
    content.where.kernel = "Linux";
    const auto add = [&](const char* contender, double ns, std::size_t step) {
        auto item = measured_as("yield", contender, "time", ns);
        for (std::size_t i = 0; i < blocks; ++i)
            item.samples.push_back(ns * (1 + 0.001 * static_cast<double>(i * step % 11)));
        content.results.push_back(item);
    };
    add("asio-epoll", 100, 5);
    add("loop-epoll", 50 * slower, 7);
    content.aa = reports::self_check{"asio-epoll", "asio-epol~", reports::reliability::reliable, {}, 1, {}};
    return content;
}

const bench::expected_times recorded_times{
    "asio-epoll",
    bench::workload_size::full,
    "A processor, 2 cores, Linux",
    {{"yield", "loop-epoll", 2, 1.99, 2.01, reports::pairing::sequential}}};

gate_result time_found(const reports::report& in, const bench::expected_times& times = recorded_times) {
    const auto found = bench::check_times(times, in, {});
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
}

reports::report unreliable_session(double slower) {
    auto unreliable = session(slower);
    unreliable.aa->found = reports::reliability::unreliable;
    unreliable.aa->reason = "the A/A copy of asio-epoll is slower";
    return unreliable;
}

TEST(check_times, an_unchanged_build_passes_the_check_of_times) {
    EXPECT_EQ(time_found(session(1)).kind, gate_result_kind::holds);
    EXPECT_NEAR(*time_found(session(1)).measured, 2, 0.02);
}

TEST(check_times, a_slower_time_is_suspect_and_a_faster_time_shows_a_loose_baseline_file) {
    EXPECT_EQ(time_found(session(1.05)).kind, gate_result_kind::suspect);
    EXPECT_TRUE(time_found(session(1.05)).message.starts_with("4."))
        << "beyond the lower end of the expected interval";
    EXPECT_EQ(time_found(session(0.95)).kind, gate_result_kind::looser);
}

TEST(check_times, ratios_are_compared_with_the_nearest_end_of_the_expected_interval) {
    auto doubtful = recorded_times;
    doubtful.ratios[0].low = 1.88;
    EXPECT_EQ(time_found(session(1.05), doubtful).kind, gate_result_kind::holds);
    EXPECT_EQ(time_found(session(1.12), doubtful).kind, gate_result_kind::suspect);
}

TEST(check_times, times_from_too_few_blocks_are_reported_as_unclear) {
    EXPECT_EQ(time_found(session(1, 4)).kind, gate_result_kind::unclear);
    EXPECT_EQ(time_found(session(1.5, 4)).kind, gate_result_kind::unclear) << "no interval, no verdict";
}

TEST(check_times, an_unreliable_session_is_neither_a_pass_nor_a_regression) {
    for (const double slower : {1.0, 1.5}) {
        const auto found = bench::check_times(recorded_times, unreliable_session(slower), {});
        EXPECT_EQ(bench::outcome_of(found), gate_outcome::unreliable);
        EXPECT_SAYS(found.at(0).message, "the A/A copy of asio-epoll is slower");
    }
}

TEST(check_times, a_disturbed_workload_is_neither_a_pass_nor_a_regression) {
    for (const double slower : {1.0, 1.5}) {
        auto disturbed = session(slower);
        disturbed.disturbed.workloads = {"yield"};
        EXPECT_EQ(time_found(disturbed).kind, gate_result_kind::unclear);
        EXPECT_SAYS(time_found(disturbed).message, "disturbed more than half of the trials");
        disturbed.disturbed.workloads = {"echo"};
        EXPECT_NE(time_found(disturbed).kind, gate_result_kind::unclear);
    }
}

TEST(check_times, a_failed_contender_fails_the_check_even_in_an_unreliable_session) {
    auto cut = session(1), other_machine = session(1);
    cut.complete = false;
    other_machine.where.kernel = "Linux 2";
    for (auto report : {unreliable_session(1), cut, other_machine})
        for (const std::size_t who : {0U, 1U}) {
            auto failed = report;
            failed.results[who].status = reports::result_status::failed;
            failed.results[who].reason = "killed by SIGSEGV";
            const auto found = bench::check_times(recorded_times, failed, {});
            EXPECT_EQ(bench::outcome_of(found), gate_outcome::failed);
            EXPECT_EQ(found.size(), 2U) << "the failure and the reason why no time is judged";
            EXPECT_SAYS(found.at(0).message, "SIGSEGV");
        }
}

TEST(check_times, times_are_unclear_without_a_complete_and_reliable_session_of_the_same_setup) {
    auto other_machine = session(1);
    other_machine.where.kernel = "Linux 2";
    EXPECT_EQ(time_found(other_machine).kind, gate_result_kind::unclear);
    EXPECT_SAYS(time_found(other_machine).message, "another machine");
    auto small = session(1);
    small.plan = reports::planned{.size = "small"};
    small.contenders = {reports::describe("asio-epoll", {{"size", "full"}})};
    EXPECT_EQ(time_found(small).kind, gate_result_kind::unclear);
    EXPECT_SAYS(time_found(small).message, "has full size and the report has small");
    auto unknown = session(1);
    unknown.aa->found = reports::reliability::unknown;
    EXPECT_EQ(time_found(unknown).kind, gate_result_kind::unclear);
    unknown.aa.reset();
    EXPECT_EQ(time_found(unknown).kind, gate_result_kind::unclear);
    auto interrupted = session(1);
    interrupted.complete = false;
    EXPECT_EQ(time_found(interrupted).kind, gate_result_kind::unclear);
    auto of_two_hosts = session(1);
    of_two_hosts.hosts.emplace(2);
    EXPECT_EQ(time_found(of_two_hosts).kind, gate_result_kind::unclear);
    EXPECT_SAYS(time_found(of_two_hosts).message, "of 2 hosts");
}

TEST(check_times, times_whose_pairing_differs_from_the_baseline_file_are_reported_as_unclear) {
    auto interleaved = session(1.05);
    for (auto& item : interleaved.results) item.made = reports::pairing::interleaved;
    const auto found = time_found(interleaved);
    EXPECT_EQ(found.kind, gate_result_kind::unclear);
    for (const auto* said :
         {"sequential before and are interleaved now", "--pairing sequential", "check --update"})
        EXPECT_SAYS(found.message, said);
    auto of_slices = recorded_times;
    of_slices.ratios[0].made = reports::pairing::interleaved;
    EXPECT_EQ(time_found(interleaved, of_slices).kind, gate_result_kind::suspect);
    interleaved.results.front().made = reports::pairing::sequential;
    EXPECT_EQ(time_found(interleaved, of_slices).kind, gate_result_kind::unclear)
        << "the baseline contender has another pairing";
}

TEST(check_times, a_missing_time_is_unclear_unless_its_contender_has_failed) {
    auto without = session(1);
    without.results.pop_back();
    EXPECT_EQ(time_found(without).kind, gate_result_kind::unclear);
    auto failed = session(1);
    failed.results.back().status = reports::result_status::failed;
    failed.results.back().reason = "killed by SIGSEGV";
    EXPECT_EQ(time_found(failed).kind, gate_result_kind::failed);
    EXPECT_SAYS(time_found(failed).message, "SIGSEGV");
    failed.results.back().status = reports::result_status::not_run;
    EXPECT_EQ(time_found(failed).kind, gate_result_kind::unclear);
}

reports::report session_of_timers(double worse, double spread = 0.1) {
    auto content = session(1);
    for (auto& item : content.results) item.workload = "timer/periodic";
    for (const auto& [metric, ns] : {std::pair{"late_p50", 60e3}, {"cpu", 20e3}})
        for (const auto& [contender, factor, step] :
             {std::tuple{"asio-epoll", 1.0, 5}, {"loop-epoll", 0.5 * worse, 7}}) {
            auto item = measured_as("timer/periodic", contender, metric, ns * factor);
            for (int i = 0; i < 20; ++i)
                item.samples.push_back(ns * factor * std::exp(spread * (i * step % 11 - 5) / 5));
            content.results.push_back(item);
        }
    content.workloads = {{"timer/periodic", {"late_p50", "late_p99", "cpu"}}};
    return content;
}

bench::expected_times times_of_timers() {
    auto times = recorded_times;
    times.ratios = {{"timer/periodic", "loop-epoll", 2, 1.9, 2.1, reports::pairing::sequential, "late_p50"},
                    {"timer/periodic", "loop-epoll", 2, 1.9, 2.1, reports::pairing::sequential, "cpu"}};
    return times;
}

TEST(check_times, each_primary_metric_is_judged_and_confirmed_separately) {
    const auto times = times_of_timers();
    const auto check = [&](const reports::report& in) { return bench::check_times(times, in, {}); };
    for (const auto& found : check(session_of_timers(1)))
        EXPECT_EQ(found.kind, gate_result_kind::holds) << found.message;
    const auto worse = check(session_of_timers(2));
    ASSERT_EQ(worse.size(), 2U);
    for (const auto& found : worse) EXPECT_EQ(found.kind, gate_result_kind::suspect) << found.message;
    EXPECT_EQ(worse[0].metric, "late_p50");
    EXPECT_SAYS(worse[0].message, "90.0 % worse than expected");
    EXPECT_EQ(bench::suspects_of(times, worse).ratios.size(), 2U);
    auto half = session_of_timers(1);
    half.results.back().samples = session_of_timers(2).results.back().samples;
    const auto twice = bench::confirm(worse, times, half, {});
    EXPECT_EQ(twice[0].kind, gate_result_kind::holds) << twice[0].message;
    EXPECT_EQ(twice[1].kind, gate_result_kind::regression) << twice[1].message;
}

TEST(check_times, only_the_first_primary_metric_is_unclear_if_its_value_might_have_doubled) {
    const auto found = [](double spread) {
        auto noisy = session_of_timers(1, spread);
        for (auto& item : noisy.results)
            if (item.contender == "asio-epoll") item.samples.assign(20, *item.median);
        return bench::check_times(times_of_timers(), noisy, {});
    };
    EXPECT_EQ(bench::outcome_of(found(0.5)), gate_outcome::pass);
    const auto unknown = found(2);
    EXPECT_EQ(unknown[0].kind, gate_result_kind::unclear) << unknown[0].message;
    EXPECT_EQ(unknown[1].kind, gate_result_kind::holds) << unknown[1].message;
}

TEST(check_times, interleaved_times_are_compared_by_the_ratios_of_their_rounds) {
    auto interleaved = session(1);
    auto of_slices = recorded_times;
    of_slices.ratios[0].made = reports::pairing::interleaved;
    for (auto& item : interleaved.results) item.made = reports::pairing::interleaved;
    interleaved.results.back().to_baseline = reports::ratio{"asio-epoll", 1.8, 1.79, 1.81};
    EXPECT_EQ(time_found(interleaved, of_slices).kind, gate_result_kind::holds)
        << "without ratios of rounds, the samples are compared";
    interleaved.results.back().to_baseline->samples = std::vector<std::optional<double>>(20, 1.8);
    EXPECT_EQ(time_found(interleaved, of_slices).kind, gate_result_kind::suspect)
        << "with ratios of rounds, these are compared";
    EXPECT_NEAR(time_found(interleaved, of_slices).measured.value(), 1.8, 1e-9);
}

gate_results after_two(const reports::report& first, const reports::report& second) {
    return bench::confirm(bench::check_times(recorded_times, first, {}), recorded_times, second, {});
}

TEST(check_times, a_slower_time_is_a_regression_only_if_a_second_session_confirms_the_slowdown) {
    const auto twice = after_two(session(1.05), session(1.05));
    EXPECT_EQ(twice.at(0).kind, gate_result_kind::regression);
    EXPECT_EQ(bench::outcome_of(twice), gate_outcome::regression);
    const auto once = after_two(session(1.05), session(1));
    EXPECT_EQ(once.at(0).kind, gate_result_kind::holds);
    EXPECT_SAYS(once.at(0).message, "does not confirm");
    EXPECT_EQ(bench::outcome_of(once), gate_outcome::pass);
    EXPECT_EQ(after_two(session(1.05), session(0.9)).at(0).kind, gate_result_kind::holds);
    EXPECT_EQ(after_two(session(1.05), session(1.05, 4)).at(0).kind, gate_result_kind::unclear);
}

TEST(check_times, an_unreliable_second_session_confirms_no_regression) {
    const auto found = after_two(session(1.05), unreliable_session(1.05));
    EXPECT_EQ(bench::outcome_of(found), gate_outcome::unreliable);
    for (const auto& item : found) EXPECT_NE(item.kind, gate_result_kind::suspect);
    auto failed = unreliable_session(1.05);
    failed.results[1].status = reports::result_status::failed;
    EXPECT_EQ(bench::outcome_of(after_two(session(1.05), failed)), gate_outcome::failed);
}

TEST(check_times, times_within_their_limits_are_accepted_without_a_second_session) {
    EXPECT_TRUE(bench::suspects_of(recorded_times, bench::check_times(recorded_times, session(1), {}))
                    .ratios.empty());
    EXPECT_EQ(bench::suspects_of(recorded_times, bench::check_times(recorded_times, session(1.05), {}))
                  .ratios.size(),
              1U);
}

gate_results some(std::initializer_list<gate_result_kind> kinds) {
    gate_results all;
    for (const auto kind : kinds)
        all.push_back({"yield", "a|b<c>", "syscalls", kind, 1, 2, "50 %: because\nof <that>"});
    return all;
}

TEST(check, the_worst_gate_result_decides_the_outcome) {
    using enum gate_result_kind;
    EXPECT_EQ(bench::outcome_of(some({holds, looser})), gate_outcome::pass);
    EXPECT_EQ(bench::outcome_of(some({holds, unclear})), gate_outcome::inconclusive);
    EXPECT_EQ(bench::outcome_of(some({holds, suspect})), gate_outcome::inconclusive);
    EXPECT_EQ(bench::outcome_of(some({unclear, unreliable, holds})), gate_outcome::unreliable);
    EXPECT_EQ(bench::outcome_of(some({unclear, unreliable, regression})), gate_outcome::regression)
        << "a regression of a count does not depend on the session";
    EXPECT_EQ(bench::outcome_of(some({regression, failed})), gate_outcome::failed);
    EXPECT_EQ(bench::outcome_of({}), gate_outcome::inconclusive) << "nothing was compared";
}

TEST(check, every_format_of_the_check_contains_the_same_gate_results) {
    using enum gate_result_kind;
    const auto found = some({holds, regression, looser, unclear});
    const auto says = [&](const std::string& text, std::initializer_list<const char*> parts) {
        for (const auto* part : parts) EXPECT_SAYS(text, part);
    };
    says(bench::write_text(found, bench::verdict_line(found)),
         {"regression syscalls of a|b<c> on yield: 50 %: because?of <that>\n",
          "1 of 4 results hold, 1 better\n"});
    says(bench::write_text(found, bench::verdict_line(found)), {"looser     syscalls of"});
    says(bench::write_details_of_comparison(found), {"better     syscalls of", "regression syscalls of"});
    says(bench::write_markdown(found, bench::verdict_line(found)),
         {"**SLOWER: syscalls on yield: ", "a\\|b&lt;c>"});
    says(bench::write_github(found, bench::verdict_line(found)),
         {"::error title=syscalls of a|b<c> on yield::50 %25: because%0Aof <that>\n", "::warning ",
          "::notice title=loopbench::SLOWER: syscalls on yield: "});
    says(bench::write_junit(found, bench::verdict_line(found)),
         {"tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\"",
          "<testcase classname=\"yield\" name=\"a|b&lt;c&gt; "
          "syscalls\"><failure message=\"50 %: because?of "});
    const auto document = nlohmann::json::parse(bench::write_json(found, bench::verdict_line(found)));
    EXPECT_EQ(document["schema"], reports::check_format.schema);
    EXPECT_EQ(document["outcome"], "regression");
    EXPECT_EQ(document["findings"][2]["found"], "looser");
    EXPECT_EQ(document["findings"][0]["measured"], 2.0);
}

}  // namespace

}  // namespace loopbench::tests
