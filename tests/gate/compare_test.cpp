// Tests the verdicts and exit codes of `loopbench compare` on two benchmark programs and on two reports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "bench/harness/gate/compare_reports.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

using bench::gate_outcome;
using reports::verdict;

std::string scattering(double ns, const char* offset) {
    return fmt::format(R"sh(row "\"real_time\": $(( {:.0f} + {} * (($(trials) * 37) % 7 - 3) ))")sh", ns,
                       offset);
}

class compare : public testing::Test {
protected:
    bench::child_outcome run(std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"compare", loopbench.path("bin/contenders/old").native(),
                                   loopbench.path("bin/contenders/new").native(), "-o", loopbench.out()});
        return loopbench(more);
    }

    loopbench_command loopbench;
};

TEST_F(compare, comparing_two_equal_builds_shows_no_difference) {
    loopbench.add_contender("old", scattering(10000, "10"));
    loopbench.add_contender("new", scattering(10000, "10"));
    const auto ran = run();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_TRUE(fits_the_schema(loopbench.report()));
    EXPECT_EQ(time_of(loopbench.report(), "new")["verdict"], "equivalent");
    EXPECT_EQ(loopbench.report()["judging"]["correction"], "holm");
    EXPECT_EQ(loopbench.report()["aa"]["aa_copy"], "ol~");
}

TEST_F(compare, a_slower_build_is_a_regression_and_the_size_of_the_slowdown_is_reported) {
    loopbench.add_contender("old", scattering(10000, "10"));
    loopbench.add_contender("new", scattering(10500, "10"));
    const auto ran = run();
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    const double slower_pct =
        100 * (1 / time_of(loopbench.report(), "new")["ratio"]["median"].get<double>() - 1);
    EXPECT_NEAR(slower_pct, 5, 0.5);
    EXPECT_SAYS(ran.output, fmt::format("yield by {:.1f} % (", slower_pct));
    EXPECT_SAYS(ran.output, fmt::format("slower by {:.1f} % (", slower_pct)) << "in the table";
}

TEST_F(compare, a_faster_build_passes_the_comparison) {
    loopbench.add_contender("old", scattering(10500, "10"));
    loopbench.add_contender("new", scattering(10000, "10"));
    EXPECT_EQ(run().code, 0);
}

// A counter `capacity` of a container once replaced the time as the primary metric.
TEST_F(compare, a_counter_with_the_name_of_a_metric_does_not_hide_a_slowdown) {
    for (const auto* counter : {"capacity", "late_p50", "latency_p99", "spin"})
        for (const auto* workload : {"mine", "idle/mine"}) {
            const auto row = [&](int time) {
                return fmt::format(R"(row '"real_time": {}, "{}": 64')", time, counter);
            };
            loopbench.add_contender_of(workload, "old", row(10));
            loopbench.add_contender_of(workload, "new", row(40));
            const auto ran = run({"--blocks", "8"});
            EXPECT_EQ(ran.code, 3) << workload << counter << ran.error_tail;
        }
}

TEST_F(compare, a_counter_with_the_name_of_a_metric_is_shown_but_decides_nothing) {
    for (const auto* counter : {"capacity", "late_p50", "latency_p99", "cpu"}) {
        const auto row = [&](int value) {
            return fmt::format(R"(row '"real_time": 10, "{}": {}')", counter, value);
        };
        const bool is_larger_better = std::string_view{counter} == "capacity";
        loopbench.add_contender_of("mine", "old", row(is_larger_better ? 1024 : 900));
        loopbench.add_contender_of("mine", "new", row(is_larger_better ? 900 : 1024));
        const auto ran = run({"--blocks", "8"});
        EXPECT_EQ(ran.code, 0) << counter << ran.output << ran.error_tail;
        const auto report = loopbench.report();
        const auto& results = report["results"];
        EXPECT_TRUE(std::any_of(results.begin(), results.end(), [&](const auto& item) {
            return item["contender"] == "new" && item["metric"] == counter && item["verdict"] == "slower";
        })) << counter;
    }
}

TEST_F(compare, a_comparison_with_too_few_blocks_is_inconclusive) {
    loopbench.add_contender("old", scattering(10000, "10"));
    loopbench.add_contender("new", scattering(10000, "10"));
    const auto ran = run({"--blocks", "4"});
    EXPECT_EQ(ran.code, 4);
    EXPECT_SAYS(ran.output, "undecided: too few blocks");
}

TEST_F(compare, a_comparison_whose_budget_ends_before_the_first_trial_is_inconclusive) {
    loopbench.add_contender("old", scattering(10000, "10"));
    loopbench.add_contender("new", scattering(10000, "10"));
    const auto ran = run({"--budget", "1ms"});
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_SAYS(ran.output, "the time budget");
}

// The time per operation of a periodic timer is its period, which does not depend on the code.
TEST_F(compare, timer_workloads_are_judged_by_their_lateness_and_cpu_time) {
    const auto timer = [](int late, int cpu) {
        return fmt::format(
            R"sh(row "\"real_time\": 1000000, \"late_p50\": $(( {0} + {0} * ($(trials) * 37 % 7 - 3) / 50 )), \"late_p99\": $(( 90000 + ($(trials) % 5) * 40000 )), \"cpu\": $(( {1} + $(trials) * 37 % 7 ))")sh",
            late, cpu);
    };
    const auto compared_with = [&](int late, int cpu) {
        loopbench.add_contender_of("timer/periodic", "old", timer(60'000, 20'000));
        loopbench.add_contender_of("timer/periodic", "new", timer(late, cpu));
        return run({"--seed", "5"});
    };
    const auto same = compared_with(60'000, 20'000);
    EXPECT_EQ(same.code, 0) << "late_p99 scatters: " << same.error_tail;
    const auto late = compared_with(110'000, 20'000);
    EXPECT_EQ(late.code, 3) << late.error_tail;
    EXPECT_SAYS(late.output, "SLOWER: late_p50 on timer/periodic");
    EXPECT_SAYS(late.output, "worse by");
    const auto burning = compared_with(60'000, 1'000'000);
    EXPECT_EQ(burning.code, 3) << burning.error_tail;
    EXPECT_SAYS(burning.output, "SLOWER: cpu on timer/periodic");
    EXPECT_SAYS(burning.output, " times as bad");
    EXPECT_EQ(compared_with(30'000, 10'000).code, 0);
}

TEST_F(compare, a_comparison_of_timer_workloads_that_report_only_their_time_is_inconclusive) {
    for (const auto* name : {"old", "new"}) loopbench.add_contender_of("timer/periodic", name, good_row);
    const auto ran = run();
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_SAYS(ran.output, "timer/periodic: not compared");
}

TEST_F(compare, a_comparison_is_inconclusive_if_the_new_build_reports_no_lateness_of_a_timer) {
    const auto timer = [](const char* more) {
        return fmt::format(
            R"sh(row "\"real_time\": 1000000, {}\"cpu\": $(( 20000 + $(trials) * 37 % 7 ))")sh", more);
    };
    loopbench.add_contender_of("timer/periodic", "old", timer(R"(\"late_p50\": 60000, )"));
    for (const auto* now : {"", R"(\"late_p50\": NaN, )"}) {
        loopbench.add_contender_of("timer/periodic", "new", timer(now));
        const auto ran = run();
        EXPECT_EQ(ran.code, 4) << ran.error_tail;
        EXPECT_SAYS(ran.output, "late_p50 on timer/periodic: not compared");
    }
}

TEST_F(compare, a_comparison_whose_times_scatter_widely_is_inconclusive) {
    loopbench.add_contender("old", R"sh(row "\"real_time\": $(( 10000 + ($(trials) % 3) * 9000 ))")sh");
    loopbench.add_contender("new", R"sh(row "\"real_time\": $(( 10000 + ($(trials) % 3) * 9000 ))")sh");
    const auto ran = run({"--seed", "7"});
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
}

TEST_F(compare, a_failing_build_causes_an_error) {
    loopbench.add_contender("old", scattering(10000, "10"));
    loopbench.add_contender("new", "exit 7");
    EXPECT_EQ(run().code, 1);
}

// The new build can be the one that repairs the benchmark.
TEST_F(compare, a_benchmark_that_fails_only_in_the_old_build_is_undecided) {
    const auto failing_echo = "case $workload in echo*) exit 7;; esac\n" + scattering(10000, "10");
    loopbench.add_contender("old", failing_echo);
    loopbench.add_contender("new", scattering(10000, "10"));
    const auto repaired = run();
    EXPECT_EQ(repaired.code, 4) << repaired.output << repaired.error_tail;
    EXPECT_SAYS(repaired.output, "echo/rtt/conns:1: not compared (only old failed: ");
    EXPECT_SAYS(repaired.output, "exit code 7");
    loopbench.add_contender("new", scattering(12000, "10"));
    EXPECT_EQ(run({"--workload", "yield", "--workload", "echo"}).code, 3) << "yield is slower";
    loopbench.add_contender("new", failing_echo);
    EXPECT_EQ(run().code, 1) << "the new build fails, too";
}

TEST_F(compare, too_few_blocks_for_any_verdict_are_reported_with_the_needed_number_before_the_first_trial) {
    loopbench.add_contender("old", good_row);
    loopbench.add_contender("new", good_row);
    const auto early = [&](std::vector<std::string> options) {
        options.insert(options.end(), {"--budget", "1ms"});  // it ends before the first trial
        return run(options).error_tail;
    };
    const auto two = early({"--blocks", "6"});
    EXPECT_SAYS(two, "6 blocks cannot show a difference in a comparison of 2 benchmarks");
    EXPECT_SAYS(two, "--blocks 7 or more");
    EXPECT_FALSE(says(early({"--blocks", "7"}), "cannot show a difference"));
    EXPECT_FALSE(says(early({"--blocks", "6", "--workload", "yield"}), "cannot show a difference"));
    EXPECT_SAYS(run({"--blocks", "5"}).error_tail, "a median needs six trials; use --blocks 7 or more");
}

TEST_F(compare, two_outputs_of_a_google_benchmark_program_are_compared) {
    const auto write = [&](const char* name, double ns) {
        std::string rows;
        for (int i = 0; i < 12; ++i)
            rows +=
                fmt::format(R"({}{{"name":"sort","run_type":"iteration","real_time":{},"time_unit":"ns"}})",
                            i == 0 ? "" : ",", ns + i % 3);
        const auto file = loopbench.path(name).native();
        reports::write_file_atomically(
            file, fmt::format(R"({{"context":{{"date":"2021-09-02 18:59:37","executable":"./bench"}},)"
                              R"("benchmarks":[{}]}})",
                              rows));
        return file;
    };
    const auto old = write("old.json", 1000), slower = write("slower.json", 1500);
    const auto worse = loopbench({"compare", old, slower});
    EXPECT_EQ(worse.code, 3) << worse.output << worse.error_tail;
    EXPECT_SAYS(worse.output, "SLOWER: sort");
    EXPECT_SAYS(loopbench({"report", old, "--format", "text"}).output, "sort");
    const auto refused = loopbench({"check", "--against", old, slower});
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "loopbench compare OLD.json NEW.json");
}

TEST_F(compare, a_benchmark_that_the_new_build_lacks_is_named_and_one_that_it_refuses_is_undecided) {
    loopbench.add_contender("old", scattering(10000, "10"));
    write_script(loopbench.path("bin/contenders/new"), R"sh(
[ "$1" != --benchmark_list_tests=true ] || { echo yield/real_time; exit; }
exec "${0%new}old" "$@")sh");
    const auto lost = run();
    EXPECT_EQ(lost.code, 0) << lost.error_tail;
    EXPECT_SAYS(lost.error_tail, "only in old: echo/rtt/conns:1");
    EXPECT_SAYS(lost.output, "These benchmarks are only in old: echo/rtt/conns:1.")
        << "the verdict says so, too";
    EXPECT_EQ(run({"--workload", "yield"}).code, 0);
    loopbench.add_contender("new", R"sh(case $workload in
  echo*) row '"error_occurred": true, "error_message": "unsupported: no sockets"'; exit;;
esac
)sh" + scattering(10000, "10"));
    const auto refused = run();
    EXPECT_EQ(refused.code, 4) << refused.error_tail;
    EXPECT_SAYS(refused.output, "no sockets");
}

// An older version's remedy was --baseline, an option that compare lacks.
TEST_F(compare, the_remedy_for_a_benchmark_without_old_values_names_only_options_of_compare) {
    loopbench.add_contender("new", scattering(10000, "10"));
    loopbench.add_contender("old", R"sh(case $workload in
  echo*) row '"error_occurred": true, "error_message": "unsupported: no sockets"'; exit;;
esac
)sh" + scattering(10000, "10"));
    const auto ran = run();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "--workload");
    EXPECT_EQ(ran.error_tail.find("--baseline"), std::string::npos) << ran.error_tail;
}

TEST_F(compare, standard_output_begins_with_the_verdict) {
    loopbench.add_contender("old", scattering(10000, "10"));
    loopbench.add_contender("new", scattering(10500, "10"));
    const auto slower = run();
    EXPECT_TRUE(slower.output.starts_with("SLOWER: ")) << slower.output;
    const auto line = slower.output.substr(0, slower.output.find('\n'));
    EXPECT_EQ(loopbench.report()["gate"]["verdict"], line);
    EXPECT_EQ(loopbench.report()["gate"]["outcome"], "regression");
    const auto report = loopbench.path("out/report.json").native();
    const auto journal =
        loopbench({"report", loopbench.path("out/journal.jsonl").native(), "--format", "json"});
    EXPECT_EQ(journal.output, content_of(report)) << "a journal contains the same verdict";
    EXPECT_SAYS(loopbench({"report", report, "--format", "junit"}).output, line);
    EXPECT_TRUE(loopbench({"compare", report, report}).output.starts_with("PASS: "));
    const auto as_json = loopbench({"compare", report, report, "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(as_json.output)["gate"]["outcome"], "pass");
    EXPECT_SAYS(as_json.error_tail, "PASS: ");
}

TEST_F(compare, a_debug_build_against_a_release_build_is_refused_before_the_measurement) {
    loopbench.add_contender("old", scattering(10000, "10"), R"(, "build_type": "Release")");
    loopbench.add_contender("new", scattering(10000, "10"), R"(, "build_type": "Debug")");
    const auto ran = run();
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "Release (old); Debug (new)");
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("bin/contenders/old.trials")));
}

TEST_F(compare, a_new_build_with_an_additional_benchmark_passes) {
    loopbench.add_contender("new", scattering(10000, "10"));
    write_script(loopbench.path("bin/contenders/old"), R"sh(
[ "$1" != --benchmark_list_tests=true ] || { echo yield/real_time; exit; }
exec "${0%old}new" "$@")sh");
    const auto ran = run();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
}

TEST_F(compare, a_comparison_with_too_few_blocks_for_the_aa_copy_is_inconclusive) {
    loopbench.add_contender("old", good_row);
    loopbench.add_contender("new", good_row);
    EXPECT_EQ(run({"--blocks", "6"}).code, 4);
    EXPECT_EQ(run({"--blocks", "8"}).code, 0);
}

TEST_F(compare, compare_accepts_a_journal_instead_of_a_report) {
    loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
    ASSERT_EQ(loopbench({"run", "--blocks", "8", "-o", loopbench.out()}).code, 0);
    const auto ran = loopbench({"compare", loopbench.path("out/journal.jsonl").native(),
                                loopbench.path("out/report.json").native()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_SAYS(ran.output, "equivalent");
}

TEST_F(compare, programs_that_are_not_benchmarks_cause_usage_errors) {
    loopbench.add_contender("old", scattering(10000, "10"));
    const auto old = loopbench.path("bin/contenders/old").native();
    reports::write_file_atomically(loopbench.path("report.json"), reports::write_json(sample_report()));
    EXPECT_EQ(loopbench({"compare", old, "/no/where"}).code, 2);
    EXPECT_EQ(loopbench({"compare", old, loopbench.path("report.json").native()}).code, 2);
    EXPECT_EQ(loopbench({"compare", old, "/bin/true"}).code, 2);
    EXPECT_EQ(loopbench({"compare", old, old, "--workload", "yeild"}).code, 2);
}

reports::report two_times(double baseline_ns, double other_ns, std::size_t trials = 12) {
    reports::report content;
    content.baseline = "asio-epoll";
    const auto add = [&](const char* contender, double ns) {
        auto item = measured_as("yield", contender, "time", ns);
        item.unit = "ns";
        for (std::size_t i = 0; i < trials; ++i)
            item.samples.push_back(ns * (1 + 0.0007 * static_cast<double>(i * 5 % 12)));
        content.results.push_back(item);
    };
    add("asio-epoll", baseline_ns);
    add("loop-epoll", other_ns);
    return content;
}

std::string report_with(double baseline_ns, double other_ns, std::size_t trials = 12) {
    return reports::write_json(two_times(baseline_ns, other_ns, trials));
}

class compare_reports : public compare {
protected:
    bench::child_outcome between(const std::string& old, const std::string& next,
                                 const std::vector<std::string>& more = {}) {
        reports::write_file_atomically(loopbench.path("old.json"), old);
        reports::write_file_atomically(loopbench.path("new.json"), next);
        std::vector<std::string> words{"compare", loopbench.path("old.json").native(),
                                       loopbench.path("new.json").native()};
        words.insert(words.end(), more.begin(), more.end());
        return loopbench(words);
    }
};

TEST_F(compare_reports, a_slowdown_between_two_reports_is_a_regression) {
    EXPECT_EQ(between(report_with(100, 50), report_with(100, 50)).code, 0);
    const auto slower = between(report_with(100, 50), report_with(100, 53));
    EXPECT_EQ(slower.code, 3);
    EXPECT_SAYS(slower.error_tail, "loop-epoll on yield: 6.0 % slower than before");
    EXPECT_EQ(between(report_with(100, 50, 3), report_with(100, 50, 3)).code, 4)
        << "three trials cannot rule out a slowdown";
}

TEST_F(compare_reports, failed_and_missing_results_of_the_new_report_are_named_with_the_reason) {
    const auto with = [](reports::result_status status, const char* reason) {
        auto content = two_times(100, 50);
        auto& cell = content.results.back();
        cell.status = status;
        cell.reason = reason;
        cell.median.reset();
        cell.samples.clear();
        return reports::write_json(content);
    };
    const auto failed =
        between(report_with(100, 50), with(reports::result_status::failed, "killed by SIGSEGV"));
    EXPECT_EQ(failed.code, 1);
    EXPECT_SAYS(failed.error_tail, "loop-epoll on yield: killed by SIGSEGV");
    EXPECT_SAYS(failed.output, "failed: killed by SIGSEGV");
    const auto refused =
        between(report_with(100, 50), with(reports::result_status::unsupported, "io_uring refused"));
    EXPECT_EQ(refused.code, 4);
    EXPECT_SAYS(refused.error_tail, "loop-epoll on yield: time has no value to compare: io_uring refused");
    auto without = two_times(100, 50);
    without.results.pop_back();
    const auto gone = between(report_with(100, 50), reports::write_json(without));
    EXPECT_EQ(gone.code, 4);
    EXPECT_SAYS(gone.error_tail, "the new report does not contain the result");
    EXPECT_EQ(between(with(reports::result_status::failed, "once"), report_with(100, 50)).code, 0)
        << "a contender that failed only before is acceptable";
    const auto now = [&](const std::string& old, reports::result_status status) {
        return between(old, with(status, "now")).code;
    };
    for (const auto& old : {with(reports::result_status::failed, "then"), reports::write_json(without)}) {
        EXPECT_EQ(now(old, reports::result_status::failed), 1) << "a contender that fails again is a failure";
        EXPECT_EQ(now(old, reports::result_status::not_run), 4);
        EXPECT_EQ(now(old, reports::result_status::unsupported), 0);
    }
}

TEST_F(compare_reports, comparing_reports_accepts_selections_and_refuses_measuring_options) {
    const auto one = report_with(100, 50);
    for (const auto& option : {std::vector<std::string>{"--blocks", "3"},
                               {"--seed", "1"},
                               {"--budget", "1s"},
                               {"--min-time", "1s"},
                               {"-o", loopbench.out()}}) {
        const auto ran = between(one, one, option);
        EXPECT_EQ(ran.code, 2) << option[0];
        EXPECT_SAYS(ran.error_tail, option[0] == "-o" ? "leave --output out" : "leave " + option[0] + " out");
    }
    const auto unknown = between(one, one, {"--workload", "yeild"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_SAYS(unknown.error_tail, "did you mean yield");
    auto slower_elsewhere = two_times(100, 50);
    for (auto& item : slower_elsewhere.results) item.workload = "spawn";
    auto old = two_times(100, 50), next = old;
    old.results.insert(old.results.end(), slower_elsewhere.results.begin(), slower_elsewhere.results.end());
    for (auto& item : slower_elsewhere.results)
        for (auto& sample : item.samples) *sample *= 1.1;
    next.results.insert(next.results.end(), slower_elsewhere.results.begin(), slower_elsewhere.results.end());
    EXPECT_EQ(between(reports::write_json(old), reports::write_json(next)).code, 3);
    EXPECT_EQ(between(reports::write_json(old), reports::write_json(next), {"--workload", "yield"}).code, 0);
}

TEST_F(compare_reports, comparing_an_interrupted_run_is_inconclusive_and_names_the_run) {
    auto cut = two_times(100, 50), slower = two_times(100, 53);
    cut.complete = slower.complete = false;
    for (const bool first : {true, false}) {
        const auto half = reports::write_json(cut), whole = report_with(100, 50);
        const auto ran = between(first ? half : whole, first ? whole : half);
        EXPECT_EQ(ran.code, 4);
        EXPECT_SAYS(ran.error_tail, first ? "old.json comes from an interrupted run"
                                          : "new.json comes from an interrupted run");
    }
    EXPECT_EQ(between(report_with(100, 50), reports::write_json(slower)).code, 3);
    auto& unreached = cut.results.back();
    unreached.status = reports::result_status::not_run;
    unreached.reason = "the run was interrupted before the first trial of this result";
    unreached.median.reset();
    unreached.samples.clear();
    const auto ran = between(report_with(100, 50), reports::write_json(cut));
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_SAYS(
        ran.error_tail,
        "time has no value to compare: the run was interrupted before the first trial of this result");
}

TEST_F(compare_reports, the_less_reliable_of_two_sessions_decides_the_outcome) {
    using enum reports::reliability;
    const auto in_session = [](reports::reliability found) {
        auto content = two_times(100, 50);
        content.aa = reports::self_check{};
        content.aa->found = found;
        if (found != reliable) content.aa->reason = "so it is";
        return reports::write_json(content);
    };
    const auto code = [&](reports::reliability then, reports::reliability now) {
        return between(in_session(then), in_session(now)).code;
    };
    EXPECT_EQ(code(reliable, reliable), 0);
    for (const auto other : {reliable, unknown}) {
        EXPECT_EQ(code(unknown, other), 4);
        EXPECT_EQ(code(other, unknown), 4);
    }
    for (const auto other : {reliable, unknown, unreliable}) {
        EXPECT_EQ(code(unreliable, other), 5);
        EXPECT_EQ(code(other, unreliable), 5);
    }
}

TEST_F(compare_reports, reports_of_different_sizes_are_refused) {
    auto quick = two_times(100, 50), full = two_times(100, 50);
    quick.plan = reports::planned{"small", 0.01, 5, 12, {}};
    full.plan = reports::planned{"full", 0.5, 60, 12, {}};
    const auto ran = between(reports::write_json(quick), reports::write_json(full));
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "old.json was measured at small size and ");
    EXPECT_EQ(between(reports::write_json(full), reports::write_json(full)).code, 0);
    EXPECT_EQ(between(report_with(100, 50), reports::write_json(full)).code, 0)
        << "an old report has no plan";
}

TEST_F(compare_reports, comparing_different_pairings_is_inconclusive_and_names_the_pairings) {
    auto sequential = two_times(100, 50), interleaved = two_times(100, 53);
    for (auto& item : interleaved.results) item.made = reports::pairing::interleaved;
    const auto ran = between(reports::write_json(sequential), reports::write_json(interleaved));
    EXPECT_EQ(ran.code, 4);
    for (const auto* said : {"loop-epoll on yield", "sequential before and are interleaved now", "--pairing"})
        EXPECT_SAYS(ran.error_tail, said);
    EXPECT_EQ(between(reports::write_json(interleaved), reports::write_json(interleaved)).code, 0);
}

TEST_F(compare_reports, different_slice_lengths_of_two_reports_are_shown) {
    auto usual = two_times(100, 50), longer = usual, sequential = usual;
    usual.plan = reports::planned{"full", 0.5, 60, 12, {}, {}, 500'000, 1'500'000};
    longer.plan = reports::planned{"full", 0.5, 60, 12, {}, {}, 250'000, 4'000'000};
    sequential.plan = reports::planned{"full", 0.5, 60, 12, {}};
    const auto ran = between(reports::write_json(usual), reports::write_json(longer));
    EXPECT_SAYS(ran.error_tail, "slice: 0.5ms+1.5ms before, 0.25ms+4ms now");
    EXPECT_EQ(between(reports::write_json(usual), reports::write_json(usual)).error_tail, "");
    EXPECT_EQ(between(reports::write_json(usual), reports::write_json(sequential)).error_tail, "");
}

TEST_F(compare_reports, reports_from_different_machines_or_builds_cause_a_message_with_a_remedy) {
    auto old = two_times(100, 50), next = old;
    old.plan = reports::planned{"full", 0.5, 60, 12, {}};
    next.plan = reports::planned{"full", 0.5, 60, 12, 1};
    old.where.cpu_model = "A processor";
    next.where.cpu_model = "B processor";
    old.contenders = {reports::describe("loop-epoll", {{"compiler", "g++ 12"}, {"build_type", "Release"}}),
                      reports::describe("asio-epoll", {{"compiler", "g++ 12"}})};
    next.contenders = {reports::describe("loop-epoll", {{"compiler", "g++ 12"}, {"build_type", "Debug"}}),
                       reports::describe("asio-epoll", {{"compiler", "g++ 12"}})};
    const auto ran = between(reports::write_json(old), reports::write_json(next));
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    for (const auto* wanted :
         {"processor: A processor before, B processor now", "measure both on one machine",
          "build type: Release (loop-epoll before); Debug (loop-epoll now)",
          "pinned to CPU: none before, 1 now"})
        EXPECT_SAYS(ran.error_tail, wanted);
    EXPECT_EQ(ran.error_tail.find("asio-epoll"), std::string::npos) << ran.error_tail;
    EXPECT_EQ(between(reports::write_json(old), reports::write_json(old)).error_tail, "");
}

TEST_F(compare_reports, a_slower_machine_does_not_count_as_a_slower_contender) {
    const auto ran = between(report_with(100, 50), report_with(115, 57.5));
    EXPECT_EQ(ran.code, 3) << "the baseline itself is slower";
    EXPECT_EQ(ran.error_tail.find("loop-epoll"), std::string::npos) << ran.error_tail;
}

TEST_F(compare_reports, a_large_change_of_the_baseline_counts_as_another_machine_and_is_inconclusive) {
    for (const auto& [then, now] : {std::pair{report_with(190, 50), report_with(100, 50)},
                                    {report_with(100, 50), report_with(190, 50)}}) {
        const auto ran = between(then, now);
        EXPECT_EQ(ran.code, 4) << ran.error_tail;
        for (const auto* said : {"loop-epoll on yield", "asio-epoll on yield", "1.9 times", "in one session"})
            EXPECT_SAYS(ran.error_tail, said);
    }
    const auto alone = [](double ns) {
        auto content = two_times(ns, 50);
        content.results.pop_back();
        return reports::write_json(content);
    };
    EXPECT_EQ(between(alone(100), alone(190)).code, 3) << "a lone baseline does not identify the machine";
}

TEST_F(compare_reports, no_regression_is_reported_if_the_machine_might_have_changed) {
    auto then = two_times(100, 50), now = two_times(125, 75);
    for (std::size_t i = 0; i < 12; i += 3) now.results[0].samples[i] = 105.0 + static_cast<double>(i) / 10;
    now.results[1].samples = now.results[0].samples;
    for (auto& sample : now.results[1].samples) *sample *= 0.6;
    const auto ran = between(reports::write_json(then), reports::write_json(now));
    EXPECT_EQ(ran.code, 4) << "the baseline moved by a quarter, or by a twentieth: " << ran.error_tail;
}

reports::report two_timers(double baseline_late, double other_late) {
    auto content = two_times(1e6, 1e6);
    for (auto& item : content.results) item.workload = "timer/periodic";
    auto late = two_times(baseline_late, other_late);
    for (auto& item : late.results) {
        item.workload = "timer/periodic";
        item.metric = "late_p50";
        content.results.push_back(item);
    }
    content.workloads = {{"timer/periodic", {"late_p50", "late_p99", "cpu"}}};
    return content;
}

TEST_F(compare_reports, lateness_is_compared_relative_to_the_baseline) {
    const auto timers = [](double baseline_late, double other_late) {
        return reports::write_json(two_timers(baseline_late, other_late));
    };
    const auto later = between(timers(60e3, 30e3), timers(60e3, 80e3));
    EXPECT_EQ(later.code, 3) << later.error_tail;
    EXPECT_SAYS(later.error_tail, "late_p50 of loop-epoll on timer/periodic: 2.7 times as bad as before");
    EXPECT_EQ(between(timers(60e3, 30e3), timers(60e3, 30e3)).code, 0);
    const auto both_later = between(timers(60e3, 30e3), timers(120e3, 60e3));
    EXPECT_EQ(both_later.code, 0) << "the session is slower, not the contender: " << both_later.error_tail;
    const auto alone = [](double late) {
        auto content = two_timers(late, late);
        std::erase_if(content.results, [](const auto& item) { return item.contender == "loop-epoll"; });
        return reports::write_json(content);
    };
    const auto unknown = between(alone(60e3), alone(120e3));
    EXPECT_EQ(unknown.code, 4) << unknown.error_tail;
    EXPECT_SAYS(unknown.error_tail, "across two sessions");
}

TEST_F(compare_reports, a_comparison_is_inconclusive_if_the_new_report_lacks_the_lateness_of_a_timer) {
    auto then = two_timers(60e3, 30e3);
    for (const auto& item : two_timers(20e3, 10e3).results) {
        if (item.metric != "late_p50") continue;
        then.results.push_back(item);
        then.results.back().metric = "cpu";
    }
    auto null = then, gone = then;
    auto& late = null.results[3];
    ASSERT_EQ(late.contender + " " + late.metric, "loop-epoll late_p50");
    late.median.reset();
    late.samples.assign(late.samples.size(), std::nullopt);
    late.reason = "12 of 12 trials have no value";
    gone.results.erase(gone.results.begin() + 3);
    for (const auto& [now, why] :
         {std::pair{null, *late.reason}, {gone, "the new report does not contain the result"}}) {
        const auto ran = between(reports::write_json(then), reports::write_json(now));
        EXPECT_EQ(ran.code, 4) << ran.error_tail;
        EXPECT_SAYS(ran.error_tail,
                    "late_p50 of loop-epoll on timer/periodic: late_p50 has no value to compare: " + why);
        EXPECT_SAYS(ran.output, "cpu: equivalent");
    }
    EXPECT_EQ(between(reports::write_json(then), reports::write_json(then)).code, 0);
    auto unknown = std::pair{reports::write_json(then), reports::write_json(null)};
    for (auto* text : {&unknown.first, &unknown.second})
        for (auto at = text->find("late_p50"); at != std::string::npos; at = text->find("late_p50"))
            text->replace(at, 8, "late_p51");
    EXPECT_EQ(between(unknown.first, unknown.second).code, 4) << "a later version knows other metrics";
}

TEST_F(compare_reports, results_are_compared_by_the_ratios_of_their_rounds_if_the_baseline_has_no_samples) {
    auto content = two_times(100, 50);
    content.results[0].samples.clear();
    content.results[1].to_baseline = reports::ratio{"asio-epoll", 2, 2, 2};
    content.results[1].to_baseline->samples = std::vector<std::optional<double>>(12, 2.0);
    const auto ran = between(reports::write_json(content), reports::write_json(content));
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
}

TEST(two_reports, comparing_reports_of_several_hosts_shows_no_separate_effect_of_each_host) {
    auto merged = two_times(100, 50);
    merged.hosts.emplace(2);
    merged.results[1].to_baseline = reports::ratio{"asio-epoll", 2, 1.9, 2.1};
    merged.results[1].by_host = reports::host_effect{{2, 2.1}, 1.0, true};
    const auto found = bench::compare_reports(merged, merged, 1);
    EXPECT_FALSE(found.hosts);
    for (const auto& item : found.results) EXPECT_FALSE(item.by_host) << item.contender;
}

TEST(two_reports, causes_and_unmatched_names_of_another_comparison_are_left_out) {
    const auto then = two_times(100, 50);
    auto now = then;
    now.unmatched = {reports::unmatched_benchmark{.workload = "gone", .contender = "loop-epoll"}};
    EXPECT_FALSE(bench::compare_reports(then, now, 1).unmatched);
    now.causes = {reports::slowdown_cause{.workload = "yield", .contender = "loop-epoll"}};
    EXPECT_FALSE(bench::compare_reports(then, now, 1).causes);
}

TEST_F(compare_reports, interleaved_times_are_compared_by_the_ratios_of_their_rounds) {
    auto then = two_times(100, 50), now = then;
    for (auto* report : {&then, &now}) {
        for (auto& item : report->results) item.made = reports::pairing::interleaved;
        report->results[1].to_baseline = reports::ratio{"asio-epoll", 2, 2, 2};
    }
    const auto of_rounds = [](double ratio) { return std::vector<std::optional<double>>(12, ratio); };
    then.results[1].to_baseline->samples = of_rounds(2);
    now.results[1].to_baseline->samples = of_rounds(1.8);
    EXPECT_EQ(between(reports::write_json(then), reports::write_json(now)).code, 3);
}

reports::report random_session(std::mt19937_64& random, double slower) {
    std::normal_distribution<double> noise{0, 0.01};
    reports::report content;
    content.baseline = "asio-epoll";
    for (int workload = 0; workload < 12; ++workload)
        for (const auto& [contender, ns] : {std::pair{"asio-epoll", 100.0}, {"loop-epoll", 50 * slower}}) {
            auto item = measured_as(fmt::format("w{}", workload).c_str(), contender, "time", ns);
            for (int block = 0; block < 10; ++block) item.samples.push_back(ns * std::exp(noise(random)));
            content.results.push_back(item);
        }
    return content;
}

TEST(two_reports, reports_of_equal_builds_usually_pass_and_reports_of_slower_builds_are_regressions) {
    std::mt19937_64 random{20261122};
    const auto outcome = [&](double slower) {
        const auto then = random_session(random, 1), now = random_session(random, slower);
        return bench::outcome_of(bench::judge_gate(bench::compare_reports(then, now, 1), 5));
    };
    int passed = 0;
    for (int i = 0; i < 20; ++i) {
        const auto equal = outcome(1);
        EXPECT_NE(equal, gate_outcome::regression);
        passed += equal == gate_outcome::pass ? 1 : 0;
        EXPECT_EQ(outcome(1.1), gate_outcome::regression);
    }
    EXPECT_GE(passed, 15);
}

TEST(gate, a_failure_outranks_an_unreliable_session_and_an_unreliable_session_outranks_a_regression) {
    auto report = sample_report();
    const auto session = [&] { return bench::outcome_of(bench::judge_session(report)); };
    const auto gate = [&](double tolerated_pct) {
        return bench::outcome_of(bench::judge_gate(report, tolerated_pct));
    };
    EXPECT_EQ(gate(5), gate_outcome::failed);
    EXPECT_EQ(session(), gate_outcome::failed);
    std::erase_if(report.results, [](const auto& item) { return item.status != reports::result_status::ok; });
    report.results[2].judged = verdict::slower;
    EXPECT_EQ(gate(5), gate_outcome::unreliable);
    EXPECT_EQ(session(), gate_outcome::unreliable);
    report.results[2].judged = verdict::faster;
    report.workloads[1].primary_metrics = {"time"};
    report.aa->found = reports::reliability::reliable;
    EXPECT_TRUE(bench::judge_session(report).empty());
    EXPECT_EQ(gate(5), gate_outcome::inconclusive) << "speeds down to 0.9× the baseline's";
    EXPECT_EQ(gate(12), gate_outcome::pass);
    report.results[2].judged = verdict::slower;
    EXPECT_EQ(gate(12), gate_outcome::regression);
    report.results.clear();
    EXPECT_EQ(gate(12), gate_outcome::inconclusive) << "nothing was compared";
}

// The lateness of early timers is negative, so it is compared by a difference instead of a ratio.
TEST(gate, a_lateness_given_as_a_difference_is_inconclusive_if_the_lateness_might_have_doubled) {
    const auto found = [](const char* metric, std::optional<double> high, verdict judged) {
        auto report = two_timers(-60e3, -60e3);
        for (auto& item : report.results) {
            item.metric = item.metric == "late_p50" ? metric : item.metric;
            item.judged = item.contender == "loop-epoll" ? std::optional{verdict::equivalent} : std::nullopt;
        }
        auto& late = report.results.back();
        late.from_baseline = reports::difference{"asio-epoll", 1e3, -5e3, high};
        late.judged = judged;
        return bench::outcome_of(bench::judge_gate(report, 5));
    };
    EXPECT_EQ(found("late_p50", 59e3, verdict::inconclusive), gate_outcome::pass);
    EXPECT_EQ(found("late_p50", 61e3, verdict::inconclusive), gate_outcome::inconclusive);
    EXPECT_EQ(found("late_p50", std::nullopt, verdict::inconclusive), gate_outcome::inconclusive);
    EXPECT_EQ(found("late_p50", 61e3, verdict::faster), gate_outcome::pass);
    EXPECT_EQ(found("late_p50", 61e3, verdict::slower), gate_outcome::regression);
}

TEST(gate, a_regression_in_a_duplicate_result_fails_the_gate) {
    auto report = sample_report();
    std::erase_if(report.results, [](const auto& item) { return item.status != reports::result_status::ok; });
    report.workloads[1].primary_metrics = {"time"};
    report.aa->found = reports::reliability::reliable;
    ASSERT_EQ(bench::outcome_of(bench::judge_gate(report, 12)), gate_outcome::pass);
    report.results.push_back(report.results[2]);
    report.results.back().judged = verdict::slower;
    EXPECT_EQ(bench::outcome_of(bench::judge_gate(report, 12)), gate_outcome::regression);
}

}  // namespace

}  // namespace loopbench::tests
