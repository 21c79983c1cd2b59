// Tests how the summary calculates results from trials.
#include "bench/harness/summary/summary.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/harness/experiment/stopping.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/statistics/median.hpp"
#include "reports/model/metrics.hpp"
#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::run_plan;
using bench::trial_request;
using reports::result_status;

const reports::result& row_of(const reports::report& report, std::string_view contender,
                              std::string_view workload, std::string_view metric = "time") {
    const auto* const found = reports::find_result(report, workload, contender, metric);
    if (found == nullptr) throw std::runtime_error{"no such result"};
    return *found;
}

TEST(summary, the_slice_length_is_reported_if_any_workload_is_interleaved) {
    auto plan = small_plan(1);
    const auto planned = [&] {
        return *report_of(plan, [](const trial_request&) { return took_ns(10); }).plan;
    };
    EXPECT_EQ(planned().slice_timed_ns, std::nullopt);
    plan.pairings = {reports::pairing::sequential, reports::pairing::interleaved};
    EXPECT_EQ(planned().slice_untimed_ns, 500'000);
    EXPECT_EQ(planned().slice_timed_ns, 1'500'000);
}

TEST(summary, counts_that_a_contender_reports_are_not_marked_as_deterministic) {
    const auto report = report_of(small_plan(1), [](const trial_request&) {
        auto outcome = took_ns(10);
        outcome.metrics["syscalls"] = 0;
        return outcome;
    });
    EXPECT_EQ(row_of(report, "loop-epoll", "yield", "syscalls").median, 0);
    EXPECT_FALSE(row_of(report, "loop-epoll", "yield", "syscalls").deterministic);
}

std::string warning_codes(const reports::report& report) {
    std::string codes;
    for (const auto& item : report.warnings) codes += item.code + " ";
    return codes;
}

/// A machine that becomes slower: the baseline takes 1000 ns in the first block, 2000 ns in the second, and
/// so on. The other contender takes half as long.
class growing_times {
public:
    bench::trial_outcome operator()(const trial_request& request) {
        const auto block = ++blocks_[request.who.name + request.workload];
        const double factor = request.who.name == "asio-epoll" ? 1 : 2;
        auto outcome = took_ns(1000.0 * block / factor);
        outcome.metrics["throughput"] = 10.0 * factor;
        outcome.metrics["late_p50"] = -1.0;
        outcome.context["library"] = request.who.name == "asio-epoll" ? "boost.asio" : "loop";
        return outcome;
    }

private:
    std::map<std::string, int> blocks_;
};

std::string warnings_of_together(double waited) {
    return warning_codes(report_of(small_plan(7), [=](const trial_request& request) {
        auto outcome = took_ns(100);
        outcome.made = reports::pairing::concurrent;
        outcome.waited = request.who.name == "asio-epoll" ? 0.01 : waited;
        return outcome;
    }));
}

TEST(summary, concurrent_trials_that_wait_for_their_core_unequally_long_cause_a_warning) {
    EXPECT_EQ(warnings_of_together(0.03).find("waited_together"), std::string::npos);
    EXPECT_NE(warnings_of_together(0.2).find("waited_together"), std::string::npos);
}

TEST(summary, a_run_on_one_core_says_what_the_core_was_shared_with) {
    auto plan = small_plan(7);
    plan.cpus = {0, 1};
    EXPECT_EQ(warning_codes(report_of(plan, growing_times{})).find("one_core"), std::string::npos);
    plan.cpus = {1};
    EXPECT_NE(warning_codes(report_of(plan, growing_times{})).find("one_core"), std::string::npos);
}

TEST(summary, a_result_contains_one_sample_of_each_block_their_median_and_its_interval) {
    const auto report = report_of(small_plan(7), growing_times{});
    const auto& time = row_of(report, "asio-epoll", "yield");
    EXPECT_EQ(time.samples, (std::vector<std::optional<double>>{1000, 2000, 3000, 4000, 5000, 6000, 7000}));
    EXPECT_EQ(time.median, 4000);
    // The interval from the first to the last sample has the level 98.4 %, and the next narrower one has 87.5
    // %. The ends of the 95 % interval are at 11/15 of the distance from the ends of the wider interval to
    // those of the narrower one.
    EXPECT_NEAR(time.low.value(), 1000 + 1000 * 11.0 / 15, 1e-6);
    EXPECT_NEAR(time.high.value(), 7000 - 1000 * 11.0 / 15, 1e-6);
    EXPECT_EQ(time.unit, "ns");
    EXPECT_EQ(time.status, result_status::ok);
    EXPECT_FALSE(time.reason || time.judged || time.detectable_pct);
    EXPECT_EQ(warning_codes(report), "");
    EXPECT_TRUE(report.complete);
}

constexpr auto own_load = "serve/open_loop/load:50", one_rate = "serve/open_loop/rate:20000";

run_plan plan_of(std::vector<std::string> workloads, std::uint64_t blocks) {
    auto plan = small_plan(blocks);
    plan.workloads = std::move(workloads);
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    return plan;
}

// The faster server received more load, so its latency cannot be compared.
TEST(summary, contenders_with_a_load_relative_to_their_capacity_are_compared_only_by_capacity) {
    const auto report = report_of(plan_of({own_load, "echo"}, 7), [](const trial_request& request) {
        const double factor = request.who.name == "asio-epoll" ? 1 : 2;
        auto outcome = took_ns(1000 / factor);
        outcome.metrics["latency_p50"] = 5000;
        outcome.metrics["capacity"] = 1e5 * factor;
        return outcome;
    });
    for (const auto* metric : {"time", "latency_p50"}) {
        const auto& loaded = row_of(report, "loop-epoll", own_load, metric);
        EXPECT_FALSE(loaded.to_baseline || loaded.judged) << metric;
        EXPECT_EQ(
            loaded.reason,
            "there is no ratio, because the load is a percentage of the contender's own capacity, so the "
            "contenders got different loads");
        EXPECT_TRUE(row_of(report, "loop-epoll", "echo", metric).judged) << metric;
    }
    const auto& capacity = row_of(report, "loop-epoll", own_load, "capacity");
    EXPECT_DOUBLE_EQ(capacity.to_baseline.value().median, 2);
    EXPECT_EQ(capacity.judged, reports::verdict::faster);
}

TEST(summary, contenders_that_receive_the_same_load_are_compared_by_their_latency) {
    const auto report = report_of(plan_of({one_rate}, 7), [](const trial_request& request) {
        auto outcome = took_ns(1000);
        outcome.metrics["latency_p50"] = request.who.name == "asio-epoll" ? 8000 : 4000;
        return outcome;
    });
    const auto& latency = row_of(report, "loop-epoll", one_rate, "latency_p50");
    EXPECT_DOUBLE_EQ(latency.to_baseline.value().median, 2);
    EXPECT_EQ(latency.judged, reports::verdict::faster);
}

// A journal or a third-party contender can lack all other metrics. Even then, the time is not compared.
TEST(summary, times_that_are_determined_by_a_load_schedule_are_never_compared) {
    auto plan = plan_of({own_load, one_rate}, 8);
    bench::add_aa_copy(plan);
    const auto report = report_of(plan, [](const trial_request& request) {
        return took_ns(request.who.name == "loop-epoll" ? 5 : 10);
    });
    for (const auto* workload : {own_load, one_rate}) {
        const auto& time = row_of(report, "loop-epoll", workload);
        EXPECT_FALSE(time.to_baseline || time.judged) << workload;
        EXPECT_TRUE(time.reason.value_or("").starts_with("there is no ratio, because ")) << workload;
    }
    EXPECT_EQ(report.aa.value().found, reports::reliability::unknown) << "the schedule determines both times";
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(report, 5)), bench::gate_outcome::inconclusive);
}

TEST(summary, the_gate_judges_the_primary_metrics_if_both_builds_receive_the_same_load) {
    const auto found = [](double latency_ns) {
        auto plan = plan_of({one_rate}, 8);
        plan.tolerated_pct = 5;
        const auto report = report_of(plan, [&](const trial_request& request) {
            auto outcome = took_ns(1000);  // the schedule determines this time
            for (const auto* metric : {"latency_p50", "latency_p99"})
                outcome.metrics[metric] = request.who.name == "asio-epoll" ? 8000 : latency_ns;
            return outcome;
        });
        EXPECT_FALSE(row_of(report, "loop-epoll", plan.workloads[0], "time").to_baseline);
        return bench::outcome_of(bench::judge_gate(report, 5));
    };
    EXPECT_EQ(found(8000), bench::gate_outcome::pass);
    EXPECT_EQ(found(24000), bench::gate_outcome::regression);
}

using measured_by_block = std::map<std::string, std::pair<double, double>>;

bench::gate_outcome gate_on_timers(const measured_by_block& ours, double theirs = 100) {
    std::map<std::string, int> trials;
    const auto report = report_of(plan_of({"timer/periodic"}, 20), [&](const trial_request& request) {
        auto outcome = took_ns(1e6);
        const bool is_even = ++trials[request.who.name] % 2 == 0;
        for (const auto& [metric, values] : ours)
            outcome.metrics[metric] = request.who.name == "asio-epoll" ? theirs
                                      : is_even                        ? values.second
                                                                       : values.first;
        return outcome;
    });
    return bench::outcome_of(bench::judge_gate(report, 5));
}

// The gate passes only if it can be ruled out that the first primary metric, late_p50, has doubled.
TEST(summary, the_gate_judges_lateness_and_cpu_of_timers) {
    using enum bench::gate_outcome;
    const std::pair equal{100.0, 100.0}, scattering{80.0, 125.0}, wild{30.0, 330.0}, worse{150.0, 200.0};
    EXPECT_EQ(gate_on_timers({{"late_p50", equal}, {"late_p99", equal}, {"cpu", equal}}), pass);
    EXPECT_EQ(gate_on_timers({{"late_p50", scattering}, {"late_p99", equal}, {"cpu", equal}}), pass);
    EXPECT_EQ(gate_on_timers({{"late_p50", wild}, {"late_p99", equal}, {"cpu", equal}}), inconclusive);
    EXPECT_EQ(gate_on_timers({{"late_p50", equal}, {"late_p99", wild}, {"cpu", wild}}), pass);
    for (const auto* metric : {"late_p50", "late_p99", "cpu"}) {
        measured_by_block ours{{"late_p50", equal}, {"late_p99", equal}, {"cpu", equal}};
        ours[metric] = worse;
        EXPECT_EQ(gate_on_timers(ours), regression) << metric;
    }
    EXPECT_EQ(gate_on_timers({{"drift", worse}}), inconclusive) << "drift is not a primary metric";
}

TEST(summary, a_lateness_significantly_further_from_zero_is_a_regression_although_it_has_no_ratio) {
    using enum bench::gate_outcome;
    EXPECT_EQ(gate_on_timers({{"late_p50", {300, 400}}}, 0), regression);
    EXPECT_EQ(gate_on_timers({{"late_p50", {0, 0}}}, 0), pass);
    EXPECT_EQ(gate_on_timers({{"late_p50", {-3, 3}}}, -3), pass);
    EXPECT_EQ(gate_on_timers({{"late_p50", {-1, 9}}}, -3), inconclusive);
}

TEST(summary, a_client_on_another_machine_is_in_the_plan_and_a_warning_describes_the_network_path) {
    auto plan = plan_of({one_rate}, 6);
    for (auto& who : plan.contenders)
        who.environment = {{bench::serve_on_variable, "10.0.0.1"},
                           {bench::generator_on_variable, "ssh client"}};
    const auto report = report_of(plan, [](const trial_request&) {
        auto outcome = took_ns(1000);
        outcome.metrics["path_rtt_p50"] = 18'000;
        outcome.metrics["path_rtt_p99"] = 56'000;
        outcome.metrics["path_rate"] = 2e9;
        return outcome;
    });
    EXPECT_EQ(report.plan->serve_on, "10.0.0.1");
    EXPECT_EQ(report.plan->generator_on, "ssh client");
    const auto said = std::ranges::find(report.warnings, "client_elsewhere", &reports::warning::code);
    ASSERT_NE(said, report.warnings.end());
    for (const auto* part : {"ssh client", "18.0 µs", "56.0 µs", "2000 MB/s"})
        EXPECT_NE(said->message.find(part), std::string::npos) << part << " in " << said->message;
    const auto here = report_of(plan_of({one_rate}, 6), [](const trial_request&) { return took_ns(1000); });
    EXPECT_EQ(here.plan->generator_on, std::nullopt);
    EXPECT_EQ(std::ranges::find(here.warnings, "client_elsewhere", &reports::warning::code),
              here.warnings.end());
}

TEST(summary, a_percentile_that_the_load_generator_left_out_states_the_reason) {
    const auto report = report_of(plan_of({one_rate, "echo"}, 6), [](const trial_request&) {
        auto outcome = took_ns(1000);
        outcome.metrics["latency_p99"] = std::nullopt;
        return outcome;
    });
    const auto& left_out = row_of(report, "asio-epoll", one_rate, "latency_p99");
    EXPECT_FALSE(left_out.median);
    EXPECT_SAYS(left_out.reason.value_or(""), "6 of 6 trials");
    EXPECT_SAYS(left_out.reason.value_or(""), "explain send_late_p99");
    EXPECT_EQ(row_of(report, "asio-epoll", "echo", "latency_p99").reason, "6 of 6 trials have no value");
}

TEST(summary, a_percentile_of_too_few_samples_is_reported_as_a_maximum_without_a_verdict) {
    const auto of_samples = [](double latencies, double of_next = 0) {
        auto plan = plan_of({"echo/rtt/tcp/conns:1/bytes:64"}, 10);
        for (auto& who : plan.contenders) who.workloads = plan.workloads;
        return report_of(plan, [=](const trial_request& request) {
            auto outcome = took_ns(1000);
            outcome.metrics["latency_p99"] = request.who.name == "asio-epoll" ? 2000 : 9000;
            const bool is_next = request.who.name != "asio-epoll" && of_next > 0;
            outcome.metrics["latencies"] = is_next ? of_next : latencies;
            return outcome;
        });
    };
    const auto name = std::string{"echo/rtt/tcp/conns:1/bytes:64"};
    const auto few = of_samples(99), enough = of_samples(100);
    const auto &maximum = row_of(few, "loop-epoll", name, "latency_p99"),
               &percentile = row_of(enough, "loop-epoll", name, "latency_p99");
    EXPECT_EQ(maximum.max_of, 99U);
    EXPECT_EQ(maximum.median, 9000);
    EXPECT_FALSE(maximum.judged || maximum.to_baseline);
    EXPECT_EQ(few.workloads[0].primary_metrics, (std::vector<std::string>{"time", "cpu"}));
    EXPECT_FALSE(percentile.max_of);
    EXPECT_EQ(percentile.judged, reports::verdict::slower);
    EXPECT_EQ(enough.workloads[0].primary_metrics, (std::vector<std::string>{"time", "latency_p99", "cpu"}));
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(few, 5)), bench::gate_outcome::pass);
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(enough, 5)), bench::gate_outcome::regression);
    const auto one_sided = of_samples(100, 99);  // a build must not hide its p99 by recording fewer latencies
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(one_sided, 5)), bench::gate_outcome::inconclusive);
    const auto few_of_baseline = of_samples(99, 100);
    EXPECT_FALSE(row_of(few_of_baseline, "loop-epoll", name, "latency_p99").judged) << "of a maximum";
}

TEST(summary, a_ratio_above_one_means_better_whether_smaller_or_larger_values_are_better) {
    const auto report = report_of(small_plan(7), growing_times{});
    for (const auto* metric : {"time", "throughput"}) {
        const auto& ratio = row_of(report, "loop-epoll", "yield", metric).to_baseline;
        ASSERT_TRUE(ratio) << metric;
        EXPECT_EQ(ratio->to, "asio-epoll");
        EXPECT_DOUBLE_EQ(ratio->median, 2) << metric;
        EXPECT_DOUBLE_EQ(*ratio->low, 2) << metric;
    }
}

TEST(summary, the_primary_metrics_of_each_workload_are_named) {
    auto plan = small_plan(1);
    plan.workloads = {"timer/periodic", "mine"};
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    const auto report = report_of(plan, growing_times{});
    ASSERT_EQ(report.workloads.size(), 2U);
    EXPECT_EQ(report.workloads[0].name, "timer/periodic");
    EXPECT_EQ(report.workloads[0].primary_metrics, (std::vector<std::string>{"late_p50", "late_p99", "cpu"}));
    EXPECT_EQ(report.workloads[1].name, "mine");
    EXPECT_EQ(report.workloads[1].primary_metrics, std::vector<std::string>{"time"})
        << "counters of third-party programs decide nothing";
}

TEST(summary, a_warning_states_how_many_blocks_would_be_enough) {
    const auto warned = [](std::uint64_t blocks) {
        const auto report = report_of(small_plan(blocks), [n = 0](const trial_request& request) mutable {
            return took_ns(request.who.name == "asio-epoll" ? 100 : ++n % 4 < 2 ? 90 : 110);
        });
        for (const auto& each : report.warnings)
            if (each.code == "few_blocks") return each.remedy;
        return std::string{};
    };
    EXPECT_NE(warned(6).find("--blocks 7"), std::string::npos) << warned(6) << ": 2 * 2^-7 is below 0.05 / 2";
    EXPECT_EQ(warned(7), "");
}

// Most results of this test have no significant difference, because each difference would lower the number of
// blocks that the other results need.
TEST(summary, the_default_number_of_blocks_is_enough_for_every_verdict) {
    const auto warns = [](bench::run_plan plan) {
        const auto report = report_of(plan, [n = 0](const trial_request& request) mutable {
            return took_ns(request.who.name == "asio-epoll" ? 100 : ++n % 4 < 2 ? 90 : 110);
        });
        return std::ranges::count(report.warnings, "few_blocks", &reports::warning::code) > 0;
    };
    for (const std::size_t contenders : {2U, 14U, 25U})
        for (const std::size_t workloads : {1U, 10U, 60U}) {
            auto plan = small_plan(1);
            plan.workloads.clear();
            for (std::size_t i = 0; i < workloads; ++i) plan.workloads.push_back(fmt::format("w{}", i));
            while (plan.contenders.size() < contenders)
                plan.contenders.push_back({fmt::format("c{}", plan.contenders.size()), "", {}, ""});
            for (auto& who : plan.contenders) who.workloads = plan.workloads;
            plan.blocks = bench::blocks_for_any_verdict(plan);
            EXPECT_FALSE(warns(plan)) << plan.blocks << " blocks, " << contenders << " x " << workloads;
            --plan.blocks;
            EXPECT_TRUE(warns(plan) || plan.blocks < 6) << plan.blocks;
        }
}

TEST(summary, a_concurrent_trial_states_why_wall_clock_metrics_are_missing) {
    const auto report = report_of(small_plan(6), [](const trial_request&) {
        auto outcome = took_ns(1000);
        outcome.made = reports::pairing::concurrent;
        outcome.metrics["latency_p99"] = std::nullopt;
        return outcome;
    });
    const auto reason = row_of(report, "asio-epoll", "yield", "latency_p99").reason.value_or("");
    EXPECT_NE(reason.find("wall-clock"), std::string::npos) << reason;
}

// With seven blocks, two differences are significant among two comparisons, but not among forty. Therefore
// the verdicts would change if the comparisons of other metrics counted, too.
TEST(summary, the_verdict_on_time_does_not_depend_on_the_number_of_metrics) {
    const auto with_metrics = [](std::size_t more) {
        auto plan = small_plan(7);
        plan.workloads = {"yield", "spawn"};
        for (auto& who : plan.contenders) who.workloads = plan.workloads;
        return report_of(plan, [&](const trial_request& request) {
            auto outcome = took_ns(request.who.name == "loop-epoll" ? 5 : 10);
            for (const auto& metric : reports::known_metrics().first(more))
                if (metric.name != "time") outcome.metrics[std::string{metric.name}] = 10;
            return outcome;
        });
    };
    for (const std::size_t more : {std::size_t{0}, reports::known_metrics().size()}) {
        const auto report = with_metrics(more);
        EXPECT_EQ(report.judged_by.comparisons, 2U) << "two comparisons of time";
        for (const auto& item : report.results) {
            if (item.metric != "time" || item.contender != "loop-epoll") continue;
            EXPECT_EQ(item.judged, reports::verdict::faster) << more;
        }
    }
}

// Six pairs with the same sign are significant for a single comparison, but not for one of five comparisons.
// Therefore the verdict would change if the four other workloads counted, too.
TEST(summary, the_verdict_on_time_does_not_depend_on_workloads_with_other_primary_metrics) {
    auto plan = small_plan(6);
    plan.workloads = {"yield", "sleep/serial", "sleep/concurrent", "gather/sleep/children:10",
                      "gather/sleep/children:100"};
    for (auto& who : plan.contenders) who.workloads = plan.workloads;
    const auto report = report_of(plan, [](const trial_request& request) {
        const bool quicker = request.workload == "yield" && request.who.name == "loop-epoll";
        auto outcome = took_ns(quicker ? 5 : 10);
        if (request.workload != "yield") outcome.metrics["late_p50"] = 1000;
        return outcome;
    });
    EXPECT_EQ(report.judged_by.comparisons, 1U);
    EXPECT_EQ(row_of(report, "loop-epoll", "yield").judged, reports::verdict::faster);
}

TEST(summary, results_of_the_baseline_and_metrics_with_signed_values_have_no_ratio) {
    const auto report = report_of(small_plan(7), growing_times{});
    EXPECT_FALSE(row_of(report, "asio-epoll", "yield").to_baseline);
    EXPECT_FALSE(row_of(report, "loop-epoll", "yield", "late_p50").to_baseline);
    EXPECT_EQ(row_of(report, "loop-epoll", "yield", "late_p50").median, -1);
}

reports::result wakeups_compared(const std::vector<double>& theirs, const std::vector<double>& ours) {
    std::map<std::string, std::size_t> trials;
    return row_of(report_of(small_plan(ours.size()),
                            [&](const trial_request& request) {
                                auto outcome = took_ns(1);
                                const auto block = trials[request.who.name + request.workload]++;
                                const auto& values = request.who.name == "asio-epoll" ? theirs : ours;
                                outcome.metrics["wakeups"] = values[block];
                                return outcome;
                            }),
                  "loop-epoll", "yield", "wakeups");
}

TEST(summary, a_zero_has_a_difference_and_a_verdict_instead_of_a_ratio) {
    const std::vector<double> none(8), some{20, 21, 20, 19, 20, 20, 22, 20};
    const auto better = wakeups_compared(some, none), worse = wakeups_compared(none, some),
               equal = wakeups_compared(none, none);
    for (const auto* item : {&better, &worse, &equal}) {
        EXPECT_FALSE(item->to_baseline);
        EXPECT_FALSE(item->detectable_pct) << "zero has no percentage";
        ASSERT_TRUE(item->from_baseline);
        EXPECT_EQ(item->from_baseline->to, "asio-epoll");
        EXPECT_LE(item->from_baseline->low.value(), item->from_baseline->median);
        EXPECT_LE(item->from_baseline->median, item->from_baseline->high.value());
    }
    EXPECT_EQ(better.judged, reports::verdict::faster);
    EXPECT_EQ(better.from_baseline->median, -20);
    EXPECT_EQ(worse.judged, reports::verdict::slower);
    EXPECT_EQ(worse.from_baseline->median, 20);
    EXPECT_EQ(equal.judged, reports::verdict::equivalent);
    EXPECT_EQ(equal.from_baseline->high, 0);
}

TEST(summary, zeros_in_random_blocks_of_both_contenders_are_not_a_significant_difference) {
    const auto found = wakeups_compared({0, 20, 0, 20, 0, 20, 0, 20}, {20, 0, 0, 20, 20, 0, 20, 20});
    EXPECT_EQ(found.judged, reports::verdict::inconclusive);
    EXPECT_LE(found.from_baseline.value().low.value(), 0);
    EXPECT_GE(found.from_baseline->high.value(), 0);
    EXPECT_EQ(wakeups_compared({0, 20}, {0, 20}).judged, reports::verdict::inconclusive) << "too few blocks";
}

TEST(summary, an_early_timer_is_as_inaccurate_as_an_equally_late_timer) {
    const auto report = report_of(small_plan(8), [](const trial_request& request) {
        auto outcome = took_ns(1);
        const bool is_yield = request.workload == "yield";
        outcome.metrics["late_p50"] = request.who.name == "asio-epoll" ? 30'000.0
                                      : is_yield                       ? -1'000'000.0
                                                                       : -1000.0;
        return outcome;
    });
    EXPECT_EQ(row_of(report, "loop-epoll", "yield", "late_p50").judged, reports::verdict::slower);
    EXPECT_EQ(row_of(report, "loop-epoll", "yield", "late_p50").from_baseline.value().median, 970'000);
    EXPECT_EQ(row_of(report, "loop-epoll", "echo", "late_p50").judged, reports::verdict::faster);
}

TEST(summary, a_result_without_a_ratio_states_the_reason) {
    int trials = 0;
    const auto report = report_of(small_plan(7), [&](const trial_request& request) {
        auto outcome = took_ns(1);
        outcome.metrics["waits"] = request.workload == "yield" && ++trials == 5 ? 0.0 : 1.0;
        if (request.who.name == "loop-epoll") outcome.metrics["rss_peak"] = 1;
        return outcome;
    });
    const auto& waits = row_of(report, "loop-epoll", "yield", "waits");
    EXPECT_FALSE(waits.to_baseline);
    EXPECT_EQ(waits.reason, "there is no ratio, because a value is not above zero");
    EXPECT_EQ(row_of(report, "loop-epoll", "yield", "rss_peak").reason,
              "there is no ratio, because no block has usable values of both contenders");
    EXPECT_FALSE(row_of(report, "loop-epoll", "echo", "waits").reason);
}

TEST(summary, the_report_describes_each_contender_with_the_context_that_it_printed) {
    const auto report = report_of(small_plan(1), growing_times{});
    ASSERT_EQ(report.contenders.size(), 2U);
    EXPECT_EQ(report.contenders[0].library, "boost.asio");
    EXPECT_EQ(report.contenders[1].context.at("library"), "loop");
    EXPECT_FALSE(report.contenders[1].version);
}

TEST(summary, fewer_than_six_trials_give_no_interval_and_cause_one_warning) {
    const auto report = report_of(small_plan(5), growing_times{});
    const auto& time = row_of(report, "loop-epoll", "yield");
    EXPECT_TRUE(time.median && time.to_baseline);
    EXPECT_FALSE(time.low || time.high || time.to_baseline->low || time.to_baseline->high);
    EXPECT_EQ(warning_codes(report), "few_trials ");
}

TEST(summary, a_failed_result_states_the_reason_and_has_no_numbers) {
    int trials = 0;
    const auto report = report_of(small_plan(7), [&](const trial_request& request) {
        return request.who.name == "loop-epoll" && request.workload == "echo" && ++trials == 4
                   ? ended(result_status::failed, "lost bytes")
                   : took_ns(1);
    });
    const auto& failed = row_of(report, "loop-epoll", "echo");
    EXPECT_EQ(failed.status, result_status::failed);
    EXPECT_EQ(failed.reason, "in block 4 of 7: lost bytes");
    EXPECT_FALSE(failed.median || failed.to_baseline || !failed.samples.empty());
    EXPECT_EQ(bench::outcome_of(bench::judge_session(report)), bench::gate_outcome::failed);
}

TEST(summary, an_unsupported_result_is_not_a_failure) {
    const auto report = report_of(small_plan(7), [](const trial_request& request) {
        return request.who.name == "loop-epoll" ? ended(result_status::unsupported, "why") : took_ns(1);
    });
    EXPECT_EQ(row_of(report, "loop-epoll", "yield").status, result_status::unsupported);
    EXPECT_EQ(row_of(report, "loop-epoll", "yield").reason, "why");
    EXPECT_TRUE(bench::judge_session(report).empty());
}

TEST(summary, an_unsupported_result_of_a_run_with_few_blocks_states_the_reason) {
    const auto report = report_of(small_plan(2), [](const trial_request& request) {
        return request.who.name == "loop-epoll" ? ended(result_status::unsupported, "too late") : took_ns(1);
    });
    EXPECT_EQ(row_of(report, "loop-epoll", "yield").status, result_status::unsupported);
    EXPECT_EQ(row_of(report, "loop-epoll", "yield").reason, "too late");
}

bench::trial_outcome took_turns(std::vector<double> rounds) {
    auto outcome = took_ns(bench::median_of(rounds));
    outcome.made = reports::pairing::interleaved;
    outcome.slices = std::move(rounds);
    return outcome;
}

/// Returns a report in which the machine becomes slower with each round. loop-epoll takes half as long as
/// asio-epoll, and floor-epoll takes a quarter. loop-epoll and floor-epoll have fewer rounds than asio-epoll,
/// so the medians of the contenders come from different rounds.
reports::report report_of_slices() {
    auto plan = plan_of({"yield"}, 8);
    plan.contenders.push_back({"floor-epoll", "", {"yield"}, ""});
    for (const auto& who : plan.contenders)
        plan.described.push_back(reports::describe(
            who.name, {{"slices", "1"}, {"role", who.name == "floor-epoll" ? "floor" : ""}}));
    plan.pairings = {reports::pairing::interleaved};
    return report_of(plan, [](const trial_request& request) {
        if (request.who.name == "asio-epoll") return took_turns({100, 200, 400, 800, 1600});
        if (request.who.name == "loop-epoll") return took_turns({50, 100, 200});
        return took_turns({25, 50, 100, 200});
    });
}

TEST(summary, the_ratio_of_an_interleaved_block_is_calculated_from_its_rounds) {
    const auto report = report_of_slices();
    const auto& time = row_of(report, "loop-epoll", "yield");
    EXPECT_EQ(time.median, 100);
    EXPECT_DOUBLE_EQ(time.to_baseline.value().median, 2) << "the quotient of the medians is 4";
    ASSERT_TRUE(time.to_baseline->samples);
    EXPECT_EQ(time.to_baseline->samples->size(), 8U);
    for (const auto& ratio : *time.to_baseline->samples) EXPECT_DOUBLE_EQ(ratio.value(), 2);
    const auto& theirs = row_of(report, "asio-epoll", "yield");
    for (const double log_ratio : bench::log_ratios_of(time, theirs))
        EXPECT_DOUBLE_EQ(std::exp(log_ratio), 2);
    EXPECT_DOUBLE_EQ(time.times_floor.value().median, 2)
        << "rounds are compared; the quotient of the medians is 4/3";
    EXPECT_FALSE(
        row_of(report_of(small_plan(7), growing_times{}), "loop-epoll", "yield").to_baseline->samples)
        << "sequential trials are compared by their samples";
}

TEST(summary, the_pairing_of_a_result_is_taken_from_the_trials_that_have_a_number) {
    auto plan = plan_of({"yield"}, 8);
    int trials = 0;
    const auto report = report_of(plan, [&](const trial_request& request) {
        if (request.who.name == "asio-epoll") return took_turns({100, 200, 400});
        return ++trials == 8 ? ended(result_status::unsupported, "no memory to lock")
                             : took_turns({50, 100, 200});
    });
    const auto& time = row_of(report, "loop-epoll", "yield");
    EXPECT_EQ(time.made, reports::pairing::interleaved);
    ASSERT_TRUE(time.to_baseline.value().samples);
    EXPECT_EQ(time.to_baseline->samples->size(), 7U);
}

TEST(summary, a_block_without_a_number_is_a_gap_in_the_samples_and_the_gap_has_a_reason) {
    int trials = 0;
    auto plan = small_plan(4);
    plan.workloads = {"yield"};
    plan.contenders.resize(1);
    const auto report = report_of(plan, [&](const trial_request&) {
        auto outcome = took_ns(5);
        switch (++trials) {
            case 2:
                outcome.metrics["spin"] = 0.5;
                break;
            case 3:
                outcome.metrics["spin"] = std::nullopt;
                break;
            default:
                break;
        }
        return outcome;
    });
    const auto& spin = row_of(report, "asio-epoll", "yield", "spin");
    EXPECT_EQ(spin.samples, (std::vector<std::optional<double>>{{}, 0.5, {}, {}}));
    EXPECT_EQ(spin.median, 0.5);
    EXPECT_EQ(spin.reason, "3 of 4 trials have no value");
}

TEST(summary, a_report_without_the_baseline_has_a_warning_with_a_remedy_instead_of_ratios) {
    auto plan = small_plan(7);
    plan.baseline = "asio-tuned";
    const auto report = report_of(plan, growing_times{});
    for (const auto& item : report.results) EXPECT_FALSE(item.to_baseline);
    ASSERT_EQ(warning_codes(report), "no_baseline ");
    EXPECT_NE(report.warnings[0].remedy.find("--contender asio-tuned"), std::string::npos);
}

TEST(summary, a_workload_on_which_the_baseline_failed_has_a_warning_instead_of_ratios) {
    const auto report = report_of(small_plan(7), [](const trial_request& request) {
        return request.who.name == "asio-epoll" && request.workload == "echo"
                   ? ended(result_status::failed, "no")
                   : took_ns(1);
    });
    EXPECT_FALSE(row_of(report, "loop-epoll", "echo").to_baseline);
    EXPECT_TRUE(row_of(report, "loop-epoll", "yield").to_baseline);
    EXPECT_EQ(warning_codes(report), "baseline_without_numbers ");
}

TEST(summary, a_workload_on_which_no_contender_has_a_number_lacks_no_ratios) {
    const auto report = report_of(small_plan(7), [](const trial_request& request) {
        return request.workload == "echo" ? ended(result_status::unsupported, "no cores") : took_ns(1);
    });
    EXPECT_EQ(warning_codes(report), "");
}

TEST(summary, times_of_threads_that_shared_cores_cause_a_warning) {
    const auto report = report_of(small_plan(7), [](const trial_request& request) {
        auto outcome = took_ns(5);
        if (request.workload == "echo") outcome.metrics["threads_per_core"] = 2;
        return outcome;
    });
    EXPECT_EQ(warning_codes(report), "oversubscribed ");
    EXPECT_SAYS(report.warnings[0].message, "shared cores: echo");
}

TEST(summary, the_report_of_an_interrupted_run_is_incomplete_and_names_the_missing_results) {
    int trials = 0;
    const auto report =
        report_of(small_plan(7), [&](const auto&) { return ++trials == 3 ? stopped() : took_ns(1); });
    EXPECT_FALSE(report.complete);
    EXPECT_EQ(report.results.size(), 4U);
    EXPECT_EQ(std::ranges::count(report.results, result_status::not_run, &reports::result::status), 2);
    EXPECT_TRUE(warning_codes(report).starts_with("interrupted "));
}

reports::report report_within(std::chrono::seconds budget) {
    auto plan = small_plan(7);
    plan.budget = budget;
    auto now = 0s;
    mock_executor executor{[&](const auto&) {
        now += 1s;
        return took_ns(1);
    }};
    mock_observer observer;
    return bench::summarise(plan, bench::run(plan, executor, observer, [&] { return now; }));
}

TEST(summary, results_that_the_budget_does_not_reach_in_the_first_block_are_reported_as_not_run) {
    const auto report = report_within(3s);
    EXPECT_EQ(std::ranges::count(report.results, result_status::not_run, &reports::result::status), 1);
    EXPECT_EQ(bench::outcome_of(bench::judge_session(report)), bench::gate_outcome::inconclusive)
        << "judged as a run";
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(report, 5)), bench::gate_outcome::inconclusive)
        << "judged as a comparison";
}

TEST(summary, a_spent_budget_causes_a_warning_but_the_run_counts_as_complete) {
    const auto report = report_within(5s);
    EXPECT_TRUE(report.complete);
    EXPECT_EQ(warning_codes(report), "budget few_trials ");
    EXPECT_TRUE(bench::judge_session(report).empty());
}

}  // namespace

}  // namespace loopbench::tests
