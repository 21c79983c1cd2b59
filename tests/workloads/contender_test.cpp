// Tests a contender's executable.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/suite/contenders/process/process_facts.hpp"
#include "reports/base/file_formats.hpp"

namespace loopbench::bench {
namespace {

struct finished_process {
    int exit_code;
    std::string output;
};

finished_process run(const std::string& environment, const std::string& flags, bool with_stderr = false) {
    const std::string command =
        environment + " '" LOOPBENCH_TEST_CONTENDER "' " + flags + (with_stderr ? " 2>&1" : " 2>/dev/null");
    FILE* const pipe = popen(command.c_str(), "r");
    finished_process result{-1, {}};
    if (pipe == nullptr) return result;
    std::array<char, 4096> buffer;
    for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        result.output.append(buffer.data(), got);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    return result;
}

nlohmann::json json_of(const std::string& filter) {
    const auto result =
        run("LOOPBENCH_SIZE=small",
            "--benchmark_format=json --benchmark_min_time=0.01 '--benchmark_filter=" + filter + "'");
    EXPECT_EQ(result.exit_code, 0);
    return nlohmann::json::parse(result.output);
}

TEST(contender, a_contender_prints_only_the_json_of_its_benchmarks_to_stdout) {
    const auto report = json_of("^yield");
    ASSERT_EQ(report["benchmarks"].size(), 1u);
    EXPECT_EQ(report["benchmarks"][0]["name"], "yield/manual_time");
}

TEST(contender, the_context_identifies_the_contender_and_its_build) {
    const auto context = json_of("^yield")["context"];
    EXPECT_EQ(context["contender"], "asio-epoll");
    EXPECT_EQ(context["library"], "Boost.Asio");
    EXPECT_EQ(context["driver"], "epoll");
    for (const char* key : {"library_version", "compiler", "compiler_flags", "build_type", "optimised",
                            "assertions", "sanitizers", "allocator", "timer_slack_ns", "clock", "buffers"})
        EXPECT_TRUE(context.contains(key) && context[key].is_string()) << key;
}

TEST(contender, a_contender_can_describe_itself_without_running_a_workload) {
    const auto result = run("LOOPBENCH_DESCRIBE=1", "--benchmark_list_tests=true");
    EXPECT_EQ(result.exit_code, 0);
    const auto described = nlohmann::json::parse(result.output);
    EXPECT_EQ(described["benchmarks"], nlohmann::json::array());
    EXPECT_EQ(described["context"]["contender"], "asio-epoll");
    const std::string options = described["context"]["socket_options"];
    EXPECT_TRUE(options.starts_with("client TCP_NODELAY=1 ")) << options;
}

TEST(contender, a_preloaded_allocator_is_reported) {
    if (sanitizers_in_use() != "off") GTEST_SKIP() << "a sanitizer's own allocator must come first";
    const auto allocator = [](const std::string& environment) {
        const auto result = run(environment + " LOOPBENCH_DESCRIBE=1", "");
        return nlohmann::json::parse(result.output)["context"]["allocator"].get<std::string>();
    };
    EXPECT_TRUE(allocator("").starts_with("glibc "));
    EXPECT_EQ(allocator("LD_PRELOAD=libc_malloc_debug.so.0"), "malloc from libc_malloc_debug.so.0");
}

TEST(contender, the_throughput_is_the_inverse_of_the_time_per_operation) {
    for (const std::string filter : {"^yield", "^gather/yield", "^echo/rtt/tcp/conns:1/"}) {
        const auto row = json_of(filter)["benchmarks"][0];
        const double time_ns = row["real_time"];
        const double per_second = row["items_per_second"];
        EXPECT_GT(time_ns, 0) << filter;
        EXPECT_NEAR(time_ns * per_second, 1e9, 1e6) << filter;
        for (const char* counter : {"cpu", "cpu_user", "cpu_system", "spin", "wakeups"})
            EXPECT_TRUE(row.contains(counter)) << filter << " " << counter;
        EXPECT_GT(row["rss_peak"].get<double>(), 1 << 20) << filter;
    }
}

TEST(contender, higher_latency_percentiles_of_an_echo_have_larger_values) {
    const auto row = json_of("^echo/rtt/tcp/conns:1/")["benchmarks"][0];
    double last = 0;
    for (const char* counter : {"latency_p50", "latency_p90", "latency_p99", "latency_p999", "latency_max"}) {
        EXPECT_GE(row[counter].get<double>(), last) << counter;
        last = row[counter];
    }
}

TEST(contender, a_timer_workload_reports_the_lateness_of_its_timers) {
    const auto row = json_of("^timer/periodic")["benchmarks"][0];
    for (const char* counter : {"late_p50", "late_p99", "late_max"})
        EXPECT_GE(row[counter].get<double>(), 0) << counter;
    EXPECT_EQ(row["early"], 0);
}

TEST(contender, a_contender_refuses_an_invalid_workload_size) {
    const auto result = run("LOOPBENCH_SIZE=large", "--benchmark_list_tests=true", true);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.output.find("LOOPBENCH_SIZE is \"large\""), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("small or full"), std::string::npos) << result.output;
}

TEST(contender, the_contender_does_the_configured_number_of_operations) {
    for (const std::string workload : {"yield", "timer/periodic", "sleep/serial"}) {
        const auto result = run("LOOPBENCH_SIZE=small LOOPBENCH_OPERATIONS=13",
                                "--benchmark_format=json '--benchmark_filter=^" + workload + "'");
        EXPECT_EQ(nlohmann::json::parse(result.output)["benchmarks"][0]["operations"], 13) << workload;
    }
}

TEST(contender, a_contender_refuses_an_invalid_number_of_operations) {
    for (const std::string number : {"0", "-1", "many", "7x", "99999999999999"}) {
        const auto result = run("LOOPBENCH_OPERATIONS=" + number, "--benchmark_list_tests=true", true);
        EXPECT_EQ(result.exit_code, 2) << number;
        EXPECT_NE(result.output.find("LOOPBENCH_OPERATIONS is \"" + number + "\""), std::string::npos)
            << result.output;
    }
}

TEST(contender, no_latencies_are_reported_if_their_recording_is_switched_off) {
    const auto result = run("LOOPBENCH_SIZE=small LOOPBENCH_RECORD=off",
                            "--benchmark_format=json '--benchmark_filter=^echo/rtt/tcp/conns:1/bytes:64'");
    const auto row = nlohmann::json::parse(result.output)["benchmarks"][0];
    EXPECT_FALSE(row.contains("error_message")) << row.dump();
    EXPECT_FALSE(row.contains("latency_p50"));
    EXPECT_GT(row["real_time"].get<double>(), 0);
    EXPECT_EQ(run("LOOPBENCH_RECORD=perhaps", "--benchmark_list_tests=true").exit_code, 2);
}

TEST(contender, the_time_that_recording_one_latency_takes_is_reported) {
    const double cost_ns = json_of("^echo/rtt/tcp/conns:1/bytes:64")["benchmarks"][0]["sample_cost"];
    EXPECT_GT(cost_ns, 1);
    EXPECT_LT(cost_ns, 10'000);
}

TEST(contender, histograms_are_written_to_the_histogram_file) {
    const std::string path = testing::TempDir() + "loopbench-side-" + std::to_string(getpid());
    const auto result = run("LOOPBENCH_SIZE=small LOOPBENCH_HISTOGRAM_FILE='" + path + "'",
                            "--benchmark_format=json '--benchmark_filter=^(mixed|timer/periodic)'");
    ASSERT_EQ(result.exit_code, 0);
    const auto rows = nlohmann::json::parse(result.output)["benchmarks"];
    std::ifstream file(path);
    const auto side = nlohmann::json::parse(file);
    std::remove(path.c_str());
    EXPECT_EQ(side["schema"], reports::histogram_file_format.schema);
    EXPECT_EQ(side["contender"], "asio-epoll");
    ASSERT_EQ(side["histograms"].size(), 3u);
    for (const auto& each : side["histograms"]) {
        std::uint64_t count = 0;
        std::int64_t above = std::numeric_limits<std::int64_t>::min();
        for (const auto& bucket : each["buckets"]) {
            EXPECT_GT(bucket[0].get<std::int64_t>(), above);
            EXPECT_GE(bucket[1], bucket[0]);
            above = bucket[1];
            count += bucket[2].get<std::uint64_t>();
        }
        EXPECT_EQ(each["count"], count);
        EXPECT_LE(each["max"].get<std::int64_t>(), above);
        const std::string counter = each["metric"].get<std::string>() + "_max";
        bool in_a_row = false;
        for (const auto& row : rows)
            if (row["name"].get<std::string>().starts_with(each["workload"].get<std::string>() + "/"))
                in_a_row = row[counter] == each["max"].get<double>();
        EXPECT_TRUE(in_a_row) << each["workload"] << " " << counter;
    }
}

TEST(contender, a_contender_fails_if_the_histogram_file_cannot_be_written) {
    const auto result = run("LOOPBENCH_HISTOGRAM_FILE=/dev/full LOOPBENCH_OPERATIONS=10",
                            "--benchmark_filter=^timer/periodic", true);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.output.find("/dev/full"), std::string::npos) << result.output;
}

TEST(contender, a_contender_refuses_unknown_flags) {
    EXPECT_EQ(run("", "--benchmark_nonsense").exit_code, 2);
}

TEST(contender, a_workload_is_unsupported_if_the_limit_of_open_files_is_too_low) {
    const auto result =
        run("ulimit -n 500; LOOPBENCH_SIZE=small", "--benchmark_format=json --benchmark_filter=conns:1000");
    const auto row = nlohmann::json::parse(result.output)["benchmarks"][0];
    EXPECT_EQ(row["error_occurred"], true);
    const std::string message = row["error_message"];
    EXPECT_TRUE(message.starts_with("unsupported: ")) << message;
    EXPECT_NE(message.find("ulimit -n"), std::string::npos) << message;
}

}  // namespace
}  // namespace loopbench::bench
