// Tests the Python contender with the real command, unchanged and with planted faults.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/interleaving.hpp"
#include "bench/harness/trial/listing.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

class asyncio : public testing::Test {
protected:
    asyncio() {
        loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
        for (const auto* file : {"asyncio.py", "gbench.py"}) fs::copy(sources / file, folder / file);
        fs::rename(folder / "asyncio.py", script);
    }

    void plant(const std::string& right, const std::string& wrong) { plant_in(script, right, wrong); }

    static void plant_in(const fs::path& file, const std::string& right, const std::string& wrong) {
        auto source = content_of(file);
        const auto at = source.find(right);
        if (at == std::string::npos) throw std::logic_error{"the source does not contain \"" + right + "\""};
        reports::write_file_atomically(file, source.replace(at, right.size(), wrong));
        fs::permissions(file, fs::perms::owner_all);
    }

    std::vector<nlohmann::json> results_of(const std::string& workloads, int code,
                                           const std::string& pairing = "sequential") {
        const auto ran = loopbench({"run", "--quick", "--contender", "asyncio", "--workload", workloads,
                                    "--blocks", "1", "--trial-limit", "60s", "--budget", "250s", "--pairing",
                                    pairing, "-o", loopbench.out()});
        EXPECT_EQ(ran.code, code) << ran.error_tail;
        const auto report = loopbench.report();
        EXPECT_TRUE(fits_the_schema(report));
        std::vector<nlohmann::json> results;
        for (const auto& item : report["results"])
            if (item["contender"] == "asyncio") results.push_back(item);
        return results;
    }

    void expect_failed_proof(const std::string& workload, const std::string& reason) {
        const auto results = results_of(workload, 1);
        ASSERT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0]["status"], "failed");
        EXPECT_EQ(results[0]["median"], nullptr);
        const std::string told = results[0]["reason"];
        EXPECT_SAYS(told, "proof: ");
        EXPECT_SAYS(told, reason);
    }

    bench::child_outcome started(const std::vector<std::string>& arguments,
                                 const std::string& size = "small") {
        bench::child_request request;
        request.command = {script.native()};
        request.command.insert(request.command.end(), arguments.begin(), arguments.end());
        request.environment = {{"LOOPBENCH_SIZE", size}};
        return bench::run_child(request);
    }

    loopbench_command loopbench;
    const fs::path sources = LOOPBENCH_CONTENDER_SOURCES;
    const fs::path folder = loopbench.path("bin/contenders");
    const fs::path script = folder / "asyncio";
};

TEST_F(asyncio, the_contender_measures_all_of_its_workload_families) {
    for (const auto* family : {"sleep", "gather", "echo/rtt/tcp"}) {
        std::set<std::string> metrics, workloads;
        for (const auto& item : results_of(family, 0)) {
            EXPECT_EQ(item["status"], "ok") << item["reason"];
            EXPECT_GE(item["median"].get<double>(), 0) << item["metric"];
            metrics.insert(item["metric"]);
            workloads.insert(item["workload"]);
        }
        EXPECT_GE(workloads.size(), 2U);
        for (const auto* wanted : {"time", "cpu", "spin", "wakeups"})
            EXPECT_TRUE(metrics.contains(wanted)) << wanted;
        const bool times_replies = std::string_view{family}.starts_with("echo");
        EXPECT_TRUE(metrics.contains(times_replies ? "latency_p99" : "late_p99"));
    }
}

TEST_F(asyncio, the_contender_can_be_measured_in_interleaved_slices) {
    for (const auto* workload : {"gather/echo", "echo/rtt/tcp/conns:1/bytes:64"}) {
        const auto results = results_of(workload, 0, "interleaved");
        ASSERT_FALSE(results.empty());
        for (const auto& item : results) {
            EXPECT_EQ(item["status"], "ok") << item["reason"];
            EXPECT_EQ(item["pairing"], "interleaved") << workload;
        }
        const auto trial = journal_lines(loopbench.path("out/journal.jsonl")).at(1);
        EXPECT_FALSE(trial["slices_ns"].empty()) << trial;
    }
    const auto sequential = results_of("sleep/concurrent", 0, "interleaved");
    EXPECT_EQ(sequential.at(0)["pairing"], "sequential") << "it waits, so that it cannot be interleaved";
    bench::child_request request;
    request.command = {script.native()};
    request.environment = {{"LOOPBENCH_SLICES", "1,2,three"}};
    const auto refused = bench::run_child(request);
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "LOOPBENCH_SLICES is \"1,2,three\"");
}

TEST_F(asyncio, the_contender_prints_its_results_in_the_order_of_its_workload_list) {
    const auto printed =
        started({"--benchmark_format=json", "--benchmark_min_time=0.01", "--benchmark_filter=sleep|gather"});
    ASSERT_EQ(printed.code, 0) << printed.error_tail;
    std::vector<std::string> names;
    for (const auto& row : bench::parse_gbench_json(printed.output).rows) {
        names.push_back(bench::workload_name(row.name));
        EXPECT_GT(row.real_time_ns.value_or(0), 0);
        EXPECT_FALSE(row.error);
    }
    std::vector<std::string> listed;
    for (const auto& each :
         bench::benchmarks_named(bench::lines_of(started({"--benchmark_list_tests=true"}).output)))
        listed.push_back(each.workload);
    std::erase_if(listed, [](const auto& name) { return name.starts_with("echo"); });
    EXPECT_EQ(names, listed);
}

TEST_F(asyncio, the_contender_reports_its_socket_options_in_the_format_of_all_contenders) {
    const auto listed = nlohmann::json::parse(loopbench({"list", "--json"}).output);
    const auto& context = listed["contenders"][1]["context"];
    const std::string options = context["socket_options"];
    EXPECT_TRUE(options.starts_with("client TCP_NODELAY=1 ")) << options;
    EXPECT_SAYS(options, "; server TCP_NODELAY=1 ");
    EXPECT_EQ(context["build_type"], "none: interpreted");
}

TEST_F(asyncio, a_trial_fails_if_a_gather_has_one_child_too_few) {
    plant("ended.after_a_yield() for _ in range(GATHER_CHILDREN)",
          "ended.after_a_yield() for _ in range(GATHER_CHILDREN - 1)");
    expect_failed_proof("gather/yield", "number of children that ended: expected ");
}

TEST_F(asyncio, a_trial_fails_if_a_reply_differs_from_the_request) {
    plant("writer.write(data)", "writer.write(data[::-1])");
    expect_failed_proof("echo/rtt/tcp/conns:1/bytes:64", "connection 0: ");
}

TEST_F(asyncio, a_trial_fails_without_hanging_if_its_server_stops_early) {
    plant("while data := await reader.read(", "if data := await reader.read(");
    const auto results = results_of("echo/rtt/tcp/conns:1/bytes:64", 1);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0]["status"], "failed");
}

TEST_F(asyncio, a_timer_that_fires_early_fails_the_trial) {
    plant("max(deadline_ns - time", "max(deadline_ns - 1_000_000_000 - time");
    expect_failed_proof("sleep/concurrent", "timers fired early");
}

TEST_F(asyncio, timers_that_fire_early_within_the_tolerance_of_asyncio_are_counted_and_shown) {
    plant("max(deadline_ns - time", "max(deadline_ns - 1_000_000_000 - time");
    plant("else 1000", "else 1_000_000_000");
    const auto results = results_of("sleep/concurrent", 0);
    const auto early = std::ranges::find(results, "early", [](const auto& item) { return item["metric"]; });
    ASSERT_NE(early, results.end());
    EXPECT_GT((*early)["median"], 0);
}

TEST_F(asyncio, the_workload_of_concurrent_sleeps_fails_if_the_two_sleeps_run_sequentially) {
    plant("await asyncio.gather(*(one_of_two(start + delay) for delay in sleep_pair_ns(trial)))",
          "[await one_of_two(start + delay) for delay in sleep_pair_ns(trial)]");
    expect_failed_proof("sleep/concurrent",
                        "number of sleeps that had started when the first sleep ended: expected 2, got 1");
}

TEST_F(asyncio, the_contender_does_the_configured_number_of_operations) {
    bench::child_request request;
    request.command = {script.native(), "--benchmark_format=json",
                       "--benchmark_filter=^(sleep/serial|sleep/concurrent|gather/sleep)"};
    request.environment = {{"LOOPBENCH_SIZE", "small"}, {"LOOPBENCH_OPERATIONS", "3"}};
    const auto rows = bench::parse_gbench_json(bench::run_child(request).output).rows;
    EXPECT_EQ(rows.size(), 3U);
    for (const auto& row : rows) EXPECT_EQ(row.counters.at("operations"), 3) << row.name;
}

TEST_F(asyncio, no_latencies_are_reported_if_their_recording_is_switched_off) {
    bench::child_request request;
    request.command = {script.native(), "--benchmark_format=json",
                       "--benchmark_filter=^(echo/rtt/tcp/conns:1/bytes:64|gather/echo)"};
    request.environment = {{"LOOPBENCH_SIZE", "small"}, {"LOOPBENCH_RECORD", "off"}};
    const auto rows = bench::parse_gbench_json(bench::run_child(request).output).rows;
    EXPECT_EQ(rows.size(), 2U);
    for (const auto& row : rows) {
        EXPECT_FALSE(row.error) << *row.error;
        EXPECT_FALSE(row.counters.contains("latency_p50")) << row.name;
    }
    request.environment = {{"LOOPBENCH_SIZE", "small"}, {"LOOPBENCH_RECORD", "perhaps"}};
    const auto refused = bench::run_child(request);
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "LOOPBENCH_RECORD is \"perhaps\"");
}

TEST_F(asyncio, the_configured_slowdown_is_applied_and_reported) {
    // The slowdown prolongs only the time in which the contender does not wait for a core. The contender
    // reads 0 as its waiting time, so that the expected slowdown does not depend on the load of the machine.
    plant_in(folder / "gbench.py", "return int(file.read().split()[1])", "return 0");
    bench::child_request request;
    request.command = {script.native(), "--benchmark_format=json", "--benchmark_filter=^sleep/concurrent"};
    request.environment = {{"LOOPBENCH_SIZE", "small"}, {"LOOPBENCH_SLOWDOWN", "1"}};
    const auto output = nlohmann::json::parse(bench::run_child(request).output);
    EXPECT_EQ(output["context"]["slowdown"], "100 %");
    // The longer of the two concurrent sleeps takes 7 ms, and the slowdown of 100 % doubles this time.
    EXPECT_GE(output["benchmarks"][0]["real_time"], 10e6);
    request.environment = {{"LOOPBENCH_SLOWDOWN", "2"}};
    EXPECT_EQ(bench::run_child(request).code, 2);
}

TEST_F(asyncio, the_contender_writes_histograms) {
    results_of("echo/rtt/tcp/conns:1/bytes:64", 0);
    const auto text = loopbench({"report", loopbench.out() + "/report.json", "--format", "hgrm"}).output;
    EXPECT_TRUE(
        text.starts_with("#[Workload = echo/rtt/tcp/conns:1/bytes:64, Contender = asyncio, Metric = latency"))
        << text;
    EXPECT_SAYS(text, "Total count    =         3000]");
}

TEST_F(asyncio, an_unknown_flag_or_size_causes_a_usage_error_that_names_the_flag_or_size) {
    const auto flag = started({"--benchmark_nonsense"});
    EXPECT_EQ(flag.code, 2);
    EXPECT_SAYS(flag.error_tail, "--benchmark_nonsense");
    const auto size = started({"--benchmark_list_tests=true"}, "large");
    EXPECT_EQ(size.code, 2);
    EXPECT_SAYS(size.error_tail, "LOOPBENCH_SIZE is \"large\"");
}

TEST_F(asyncio, replacing_a_module_during_the_measurement_fails_the_trial) {
    plant("def about():\n",
          "def about():\n    open(os.path.join(sys.path[-1], 'gbench.py'), 'a').write('#')\n");
    const auto results = results_of("sleep/concurrent", 1);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_SAYS(results[0]["reason"].get<std::string>(), "gbench.py was replaced");
}

TEST_F(asyncio, an_interleaved_trial_does_the_configured_number_of_operations) {
    bench::child_request request;
    request.command = {script.native(), "--benchmark_format=json", "--benchmark_filter=^gather/yield"};
    request.environment = {{"LOOPBENCH_SIZE", "small"}, {"LOOPBENCH_OPERATIONS", "5000"}};
    const std::vector all{request};
    const auto outcomes =
        bench::run_interleaved(all, {.enough = std::chrono::hours{1}, .limit = std::chrono::minutes{1}});
    const auto rows = bench::parse_gbench_json(outcomes[0].child.output).rows;
    ASSERT_EQ(rows.size(), 1U) << outcomes[0].child.error_tail;
    EXPECT_FALSE(rows[0].error);
    EXPECT_EQ(rows[0].counters.at("operations"), 5000);
}

TEST_F(asyncio, if_python3_is_missing_the_reason_in_the_results_names_python3) {
    const auto ran =
        loopbench.in_shell("PATH=/no/where exec $loopbench run --workload yield --blocks 1 -o $out");
    EXPECT_EQ(ran.code, 1);
    const auto report = loopbench.report();
    for (const auto& item : report["results"])
        if (item["contender"] == "asyncio") {
            EXPECT_SAYS(item["reason"].get<std::string>(), "python3");
        }
}

TEST_F(asyncio, without_uvloop_the_result_is_unsupported_and_its_reason_contains_a_remedy) {
    fs::create_symlink("asyncio", folder / "asyncio-uvloop");
    plant("import uvloop", "import no_such_uvloop");
    const auto ran =
        loopbench({"run", "--quick", "--contender", "asyncio-uvloop", "--workload", "sleep/serial",
                   "--blocks", "1", "--trial-limit", "60s", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto report = loopbench.report();
    const auto& cell = report["results"][0];
    EXPECT_EQ(cell["status"], "unsupported");
    EXPECT_SAYS(cell["reason"].get<std::string>(), "pip install uvloop");
}

}  // namespace

}  // namespace loopbench::tests
