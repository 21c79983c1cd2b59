// Tests how the harness interprets a contender's exit and output.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <deque>

#include "bench/harness/trial/run_trial.hpp"
#include "reports/base/posix_io.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::child_end;
using bench::child_outcome;
using bench::trial_outcome;
using reports::result_status;

trial_outcome judged(const std::string& row_fields) {
    child_outcome outcome;
    outcome.output =
        R"({"context":{"library":"x"},"benchmarks":[{"run_name":"yield/real_time",)" + row_fields + "}]}";
    return bench::judge(outcome, "yield", 60s);
}

std::string reason_for(child_end end, int code, const std::string& errors = "") {
    child_outcome outcome;
    outcome.end = end;
    outcome.code = code;
    outcome.error_tail = errors;
    const auto trial = bench::judge(outcome, "yield", 1500ms);
    EXPECT_EQ(trial.status, result_status::failed);
    EXPECT_EQ(trial.timed_out, end == child_end::timed_out);
    return trial.reason;
}

TEST(trial, known_metrics_of_a_row_are_used_and_unknown_counters_are_ignored) {
    const auto trial =
        judged(R"("real_time":2,"time_unit":"us","items_per_second":5,"spin":0.5,"my_own":1,"iterations":9)");
    EXPECT_EQ(trial.status, result_status::ok);
    const std::map<std::string, std::optional<double>> expected{
        {"time", 2000}, {"throughput", 5}, {"spin", 0.5}};
    EXPECT_EQ(trial.metrics, expected);
    EXPECT_EQ(trial.context.at("library"), "x");
}

TEST(trial, the_label_of_a_workload_of_the_suite_states_the_cores) {
    const auto cores_of = [](const std::string& name, const std::string& label) {
        child_outcome outcome;
        outcome.output =
            fmt::format(R"({{"context":{{}},"benchmarks":[{{"run_name":"{}","real_time":1,"label":"{}"}}]}})",
                        name, label);
        return bench::judge(outcome, name, 60s).cores;
    };
    EXPECT_EQ(cores_of("threads/ping/threads:2", "threads=0,1 generator=2"),
              (reports::used_cores{.threads = {0, 1}, .generator = {2}}));
    EXPECT_FALSE(cores_of("threads/ping/threads:2", "fast"));
    EXPECT_FALSE(cores_of("third_party", "threads=0,1"));
}

TEST(trial, a_metric_with_a_non_finite_number_has_no_value) {
    const auto trial = judged(R"("real_time":2,"spin":NaN,"early":Infinity)");
    EXPECT_EQ(trial.status, result_status::ok);
    EXPECT_EQ(trial.metrics.at("spin"), std::nullopt);
    EXPECT_EQ(trial.metrics.at("early"), std::nullopt);
}

TEST(trial, a_trial_needs_a_time_above_zero) {
    for (const auto* fields :
         {R"("spin":1)", R"("real_time":NaN)", R"("real_time":null)", R"("real_time":Infinity)",
          R"("real_time":"fast")", R"("real_time":0)", R"("real_time":-1)"}) {
        const auto trial = judged(fields);
        EXPECT_EQ(trial.status, result_status::failed) << fields;
        EXPECT_SAYS(trial.reason, "time above 0") << fields;
        EXPECT_TRUE(trial.metrics.empty()) << fields;
    }
}

TEST(trial, a_counter_with_the_name_time_does_not_replace_the_measured_time) {
    EXPECT_EQ(judged(R"("time":1,"real_time":2)").metrics.at("time"), 2);
}

TEST(trial, the_prefix_of_an_error_message_decides_whether_a_trial_is_unsupported_or_failed) {
    auto trial = judged(R"("error_occurred":true,"error_message":"unsupported: io_uring refused")");
    EXPECT_EQ(trial.status, result_status::unsupported);
    EXPECT_EQ(trial.reason, "io_uring refused");
    trial = judged(R"("error_occurred":true,"error_message":"3 of 64 bytes were lost")");
    EXPECT_EQ(trial.status, result_status::failed);
    EXPECT_EQ(trial.reason, "3 of 64 bytes were lost");
    EXPECT_TRUE(trial.metrics.empty());
}

TEST(trial, an_error_in_any_repetition_of_the_benchmark_fails_the_trial) {
    child_outcome outcome;
    outcome.output =
        R"({"benchmarks":[{"name":"yield","real_time":1},{"name":"yield","error_occurred":true,"error_message":"no"}]})";
    EXPECT_EQ(bench::judge(outcome, "yield", 60s).status, result_status::failed);
}

TEST(trial, only_the_rows_of_the_requested_workload_are_used) {
    child_outcome outcome;
    outcome.output =
        R"({"benchmarks":[{"name":"echo","real_time":1},{"name":"yield/threads:2","real_time":2}]})";
    EXPECT_EQ(bench::judge(outcome, "yield", 60s).metrics.at("time"), 2);
    EXPECT_EQ(bench::judge(outcome, "yield/threads:2", 60s).metrics.at("time"), 2);
    EXPECT_EQ(bench::judge(outcome, "spawn", 60s).reason, "the contender printed no result for the workload");
}

TEST(trial, a_result_belongs_to_exactly_one_registered_benchmark) {
    child_outcome outcome;
    outcome.output = R"({"benchmarks":[
        {"name":"lookup/iterations:50","real_time":7,"family_index":0,"per_family_instance_index":0},
        {"name":"lookup","real_time":1,"family_index":1,"per_family_instance_index":0},
        {"name":"push","real_time":2,"family_index":2,"per_family_instance_index":0},
        {"name":"push","real_time":3,"family_index":3,"per_family_instance_index":0},
        {"name":"push","real_time":9,"family_index":3,"per_family_instance_index":0}]})";
    const auto time_of = [&](const bench::listed_benchmark& listed) {
        return bench::judge(outcome, listed.workload, 60s, &listed).metrics.at("time");
    };
    EXPECT_EQ(time_of({"lookup", "lookup"}), 1);
    EXPECT_EQ(time_of({"lookup/iterations:50", "lookup/iterations:50"}), 7);
    EXPECT_EQ(time_of({"push/#1/2", "push", 0, 2}), 2);
    EXPECT_EQ(time_of({"push/#2/2", "push", 1, 2}), 3) << "the first repetition counts";
    std::swap(outcome.output[outcome.output.find("\"family_index\":2") + 15],
              outcome.output[outcome.output.find("\"family_index\":3") + 15]);
    EXPECT_EQ(time_of({"push/#1/2", "push", 0, 2}), 3) << "in the order of registration, not of printing";
}

TEST(trial, results_that_several_benchmarks_could_have_printed_are_refused) {
    child_outcome outcome;
    outcome.output = R"({"benchmarks":[{"name":"push","real_time":2,"family_index":1},
                                       {"name":"push","real_time":3,"family_index":2}]})";
    const bench::listed_benchmark only{"push", "push"};
    EXPECT_SAYS(bench::judge(outcome, "push", 60s, &only).reason, "2 benchmarks");
    EXPECT_SAYS(bench::judge(outcome, "push", 60s).reason, "2 benchmarks");
    outcome.output = R"({"benchmarks":[{"name":"push","real_time":2},{"name":"push","real_time":3}]})";
    const bench::listed_benchmark second{"push/#2/2", "push", 1, 2};
    EXPECT_SAYS(bench::judge(outcome, "push/#2/2", 60s, &second).reason, "own name")
        << "an old library does not print which is which";
}

TEST(trial, a_note_of_the_library_is_not_reported_as_the_cause_of_a_failure) {
    child_outcome outcome;
    outcome.error_tail = "opening\n-- LOG(0): Value passed to --benchmark_min_time should have a suffix.\n";
    outcome.output =
        R"({"benchmarks":[{"name":"open","error_occurred":true,"error_message":"no such device"}]})";
    EXPECT_EQ(bench::judge(outcome, "open", 60s).reason, "no such device: opening");
    outcome.error_tail = "-- LOG(0): Value passed to --benchmark_min_time should have a suffix.\n";
    EXPECT_EQ(bench::judge(outcome, "open", 60s).reason, "no such device");
    outcome.error_tail = "opening\n-->LOG(2): Running open for 1\n-->LOG(2): Ran in 0/0\n";
    EXPECT_EQ(bench::judge(outcome, "open", 60s).reason, "no such device: opening") << "a log of --v=2";
}

TEST(trial, a_listed_line_that_is_no_benchmark_is_unsupported) {
    child_outcome outcome;
    outcome.error_tail = "Failed to match any benchmarks against regex: ^a(/(real_time))*$\n";
    const auto trial = bench::judge(outcome, "a", 60s);
    EXPECT_EQ(trial.status, result_status::unsupported);
    EXPECT_SAYS(trial.reason, "line break");
    EXPECT_NE(bench::judge(outcome, "command", 60s).status, result_status::unsupported)
        << "loopbench-command has always this benchmark; the message comes from the measured command";
}

TEST(trial, a_message_of_another_program_on_standard_error_does_not_hide_the_results) {
    child_outcome outcome;
    outcome.error_tail = "Failed to match any benchmarks against regex: ^setup$\n";
    outcome.output = R"({"benchmarks":[{"name":"a","real_time":3}]})";
    const auto trial = bench::judge(outcome, "a", 60s);
    EXPECT_EQ(trial.status, result_status::ok) << trial.reason;
    EXPECT_EQ(trial.metrics.at("time"), 3);
}

TEST(trial, a_layout_without_the_benchmark_fails_and_is_named) {
    const temporary_folder folder;
    write_script(folder / "02", "echo 'Failed to match any benchmarks against regex: ^a$' >&2");
    bench::contender who{"build", folder / "02", {"a"}, ""};
    who.layouts = {folder / "01", folder / "02"};
    bench::process_executor executor{-1};
    const auto trial = executor.run({who, who.workloads[0], 0.25, bench::workload_size::small, 60s});
    EXPECT_EQ(trial.status, result_status::failed);
    for (const auto* part : {"/02 has no benchmark a", "/01 lists it"}) EXPECT_SAYS(trial.reason, part);
}

TEST(trial, text_on_standard_output_does_not_hide_the_results) {
    const temporary_folder folder;
    write_script(folder / "contender", R"(
case "$1" in --benchmark_list*) echo "Hello from my benchmark"; [ "$2" ] || printf 'a\nb b\n'; exit;; esac
echo 'Hello from my benchmark {'
echo '{"benchmarks":[{"name":"a","real_time":1}]}' > "$BENCHMARK_OUT"
)");
    bench::contender who{"contender", folder / "contender", {}, ""};
    bench::list_workloads(who, bench::workload_size::small, 60s, -1);
    EXPECT_EQ(who.workloads, (std::vector<std::string>{"a", "b b"}));
    bench::process_executor executor{-1};
    const auto trial = executor.run({who, who.workloads[0], 0.25, bench::workload_size::small, 60s});
    EXPECT_EQ(trial.status, result_status::ok) << trial.reason;
}

TEST(trial, a_thread_of_the_contender_that_waited_for_a_cpu_disturbs_the_trial) {
    const temporary_folder folder;
    const bench::contender who{"contender", folder / "contender", {"a"}, ""};
    bench::process_executor executor{-1};
    write_script(
        folder / "contender",
        R"(echo '{"benchmarks":[{"name":"a","real_time":1,"thread_wait":6e13}]}' > "$BENCHMARK_OUT")");
    const auto trial = executor.run({who, who.workloads[0], 0.25, bench::workload_size::small, 60s});
    EXPECT_EQ(trial.status, result_status::ok) << trial.reason;
    EXPECT_SAYS(trial.disturbed, "waited for a CPU");
    EXPECT_FALSE(trial.metrics.contains("thread_wait"));
}

TEST(trial, other_users_cannot_write_the_results_of_an_ordinary_program) {
    const temporary_folder folder;
    write_script(folder / "contender", R"(
stat -c %a "${BENCHMARK_OUT%/*}" > "$0.seen"
ls "$BENCHMARK_OUT" >> "$0.seen"
echo '{"benchmarks":[{"name":"a","real_time":1}]}' > "$BENCHMARK_OUT"
)");
    const bench::contender who{"contender", folder / "contender", {"a"}, ""};
    bench::process_executor executor{-1};
    const auto trial = executor.run({who, who.workloads[0], 0.25, bench::workload_size::small, 60s});
    EXPECT_EQ(trial.status, result_status::ok) << trial.reason;
    EXPECT_EQ(reports::read_file(folder / "contender.seen"), "700\n") << "the program creates the file";
}

TEST(trial, a_context_that_is_too_large_is_refused_and_a_long_error_message_is_cut) {
    child_outcome outcome;
    const auto said = [&](std::size_t context_bytes, std::size_t error_bytes) {
        outcome.output = fmt::format(
            R"({{"context":{{"note":"{}"}},"benchmarks":[{{"name":"yield","error_occurred":true,"error_message":"{}"}}]}})",
            std::string(context_bytes, 'x'), std::string(error_bytes, 'y'));
        return bench::judge(outcome, "yield", 60s).reason;
    };
    EXPECT_EQ(said(10, 4096), std::string(4096, 'y'));
    EXPECT_EQ(said(10, 100'000), std::string(4096, 'y') + "...");
    EXPECT_TRUE(said(100'000, 1).starts_with("the program printed a JSON context of 100011 bytes"))
        << said(100'000, 1);
}

TEST(trial, every_unsuccessful_end_of_a_contender_has_a_specific_reason) {
    EXPECT_EQ(reason_for(child_end::signalled, SIGSEGV), "killed by SIGSEGV");
    EXPECT_EQ(reason_for(child_end::exited, 3, "one\ntwo\n\n"), "exit code 3: two");
    EXPECT_EQ(reason_for(child_end::exited, 3), "exit code 3");
    EXPECT_TRUE(
        reason_for(child_end::not_started, EACCES)
            .starts_with("the contender could not be started: Permission denied; make the file executable"));
    EXPECT_EQ(reason_for(child_end::timed_out, 0), "the contender had no result within 1.5 s");
    EXPECT_EQ(reason_for(child_end::flooded, 0), "the contender printed more than 64 MiB");
    EXPECT_EQ(reason_for(child_end::exited, 0), "the program printed nothing");
}

TEST(trial, each_trial_is_a_new_process_with_the_requested_flags_and_size) {
    const temporary_folder folder;
    write_script(folder / "contender", R"(
for word in "$LOOPBENCH_SIZE" "$@"; do echo "$word"; done > "$0.seen"
echo '{"benchmarks":[{"name":"yield","real_time":1}]}'
)");
    const bench::contender who{"contender", folder / "contender", {"yield"}, ""};
    bench::process_executor executor{-1};
    const auto trial = executor.run({who, who.workloads[0], 0.25, bench::workload_size::small, 60s});
    EXPECT_EQ(trial.status, result_status::ok) << trial.reason;
    EXPECT_GT(trial.wall.count(), 0);
    const auto seen = content_of(folder / "contender.seen");
    EXPECT_TRUE(seen.starts_with("small\n--benchmark_filter=^yield(/(")) << seen;
    EXPECT_TRUE(seen.ends_with("\n--benchmark_format=json\n--benchmark_min_time=0.25\n")) << seen;
}

std::vector<trial_outcome> ran_together(const std::vector<std::pair<std::string, std::string>>& rows) {
    const temporary_folder folder;
    std::deque<bench::contender> all;
    std::vector<bench::trial_request> requests;
    for (const auto& [fields, context] : rows) {
        const auto file = folder / fmt::format("contender{}", all.size());
        write_script(file, fmt::format(R"(
echo '{{"context": {{{}}}, "benchmarks": [{{"name": "yield", "real_time": 100, {}}}]}}')",
                                       context, fields));
        all.push_back({"contender", file, {"yield"}, ""});
        requests.push_back({all.back(), all.back().workloads[0]});
    }
    return bench::process_executor{-1}.run_at_once(requests, reports::pairing::concurrent, 1, 60s);
}

// With a shorter time, Google Benchmark ends after a single iteration while another program uses the core.
TEST(trial, a_concurrent_trial_measures_at_least_20_ms) {
    const temporary_folder folder;
    write_script(folder / "contender", R"(
echo "$@" >> "$0.seen"
echo '{"benchmarks":[{"name":"yield","real_time":1,"cpu_time":1}]}'
)");
    const bench::contender who{"contender", folder / "contender", {"yield"}, ""};
    bench::process_executor executor{-1};
    const auto flags = [&](double min_time_s, std::optional<reports::pairing> made) {
        const bench::trial_request request{who, who.workloads[0], min_time_s};
        std::filesystem::remove(folder / "contender.seen");
        if (made)
            executor.run_at_once({&request, 1}, *made, 1, 60s);
        else
            executor.run(request);
        return content_of(folder / "contender.seen");
    };
    EXPECT_SAYS(flags(0.001, reports::pairing::concurrent), "--benchmark_min_time=0.02");
    EXPECT_SAYS(flags(0.3, reports::pairing::concurrent), "--benchmark_min_time=0.3");
    EXPECT_SAYS(flags(0.001, std::nullopt), "--benchmark_min_time=0.001");
}

constexpr auto of_ours = R"("slices": "1")";

TEST(trial, a_concurrent_trial_omits_metrics_of_wall_clock_time) {
    const auto trial = ran_together(
        {{R"("cpu_time": 60, "cpu": 50, "spin": 0.3, "latency_p99": 9, "wakeups": 5, "late_p50": 7,
"items_per_second": 8, "rss_peak": 4096)",
          of_ours}})[0];
    ASSERT_EQ(trial.status, result_status::ok) << trial.reason;
    for (const auto* metric : {"spin", "latency_p99", "wakeups", "late_p50", "throughput"})
        EXPECT_EQ(trial.metrics.at(metric), std::nullopt) << metric;
    EXPECT_EQ(trial.metrics.at("time"), 50);
    EXPECT_EQ(trial.metrics.at("cpu"), 50);
    EXPECT_EQ(trial.metrics.at("rss_peak"), 4096);
}

TEST(trial, all_concurrent_trials_of_a_block_use_the_same_definition_of_cpu_time) {
    const auto times = [](const std::string& others_context) {
        std::vector<double> all;
        for (const auto& trial : ran_together({{R"("cpu_time": 60, "cpu": 50)", of_ours},
                                               {R"("cpu_time": 80, "cpu": 70)", others_context}}))
            all.push_back(trial.metrics.at("time").value());
        return all;
    };
    EXPECT_EQ(times(of_ours), (std::vector<double>{50, 70}));
    EXPECT_EQ(times(R"("library": "x")"), (std::vector<double>{60, 80}))
        << "a third-party counter can also have the name cpu";
}

TEST(trial, the_pairing_is_recorded_even_for_an_unsupported_trial) {
    const auto trial =
        ran_together({{R"("error_occurred": true, "error_message": "unsupported: no")", ""}})[0];
    EXPECT_EQ(trial.status, result_status::unsupported);
    EXPECT_EQ(trial.made, reports::pairing::concurrent);
}

}  // namespace

}  // namespace loopbench::tests
