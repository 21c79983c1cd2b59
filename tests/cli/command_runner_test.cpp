// Tests loopbench-command, which runs a command as a Google Benchmark program runs a benchmark.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/suite/client/one_benchmark.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::benchmark_flags;
using bench::command_cost;

/// A command that always takes 1 ms, and counts its runs.
struct counted_command {
    std::uint64_t runs = 0;
    command_cost operator()() {
        ++runs;
        return {.wall = 1ms, .cpu = 500us, .peak_bytes = 4096};
    }
};

nlohmann::json rows_of(const benchmark_flags& flags, std::optional<std::uint64_t> runs = {}) {
    counted_command command;
    const auto output = bench::benchmark_output(flags, "command/manual_time", runs, std::ref(command));
    return nlohmann::json::parse(output).at("benchmarks");
}

TEST(command_runner, the_last_batch_takes_at_least_the_minimum_time_and_is_the_result) {
    counted_command command;
    const auto batch = bench::measure_batch(0.05, std::nullopt, std::ref(command));
    EXPECT_GE(batch.all.wall, 50ms);
    EXPECT_LE(batch.runs, 100U) << "a batch is not much longer than the minimum time";
    EXPECT_GT(command.runs, batch.runs) << "earlier batches warm up caches";
    EXPECT_EQ(batch.all.wall, 1ms * static_cast<std::int64_t>(batch.runs));
}

TEST(command_runner, a_command_that_takes_longer_than_the_minimum_time_runs_once) {
    counted_command command;
    EXPECT_EQ(bench::measure_batch(0.0005, std::nullopt, std::ref(command)).runs, 1U);
    EXPECT_EQ(command.runs, 1U);
}

TEST(command_runner, a_fixed_number_of_runs_is_made_once) {
    counted_command command;
    EXPECT_EQ(bench::measure_batch(60, 7, std::ref(command)).runs, 7U);
    EXPECT_EQ(command.runs, 7U);
}

TEST(command_runner, a_row_has_the_cost_of_one_run) {
    const auto rows = rows_of({.min_time_s = 0.01});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0]["run_name"], "command/manual_time");
    EXPECT_EQ(rows[0]["time_unit"], "ns");
    EXPECT_EQ(rows[0]["real_time"], 1e6);
    EXPECT_EQ(rows[0]["cpu"], 5e5);
    EXPECT_EQ(rows[0]["rss_peak"], 4096);
    EXPECT_EQ(rows_of({.repetitions = 3}, 1).size(), 3U);
}

TEST(command_runner, a_filter_selects_by_the_name) {
    EXPECT_EQ(rows_of({.filter = "^command(/(manual_time|iterations:[^/]+))*$"}, 1).size(), 1U);
    EXPECT_TRUE(rows_of({.filter = "^$"}, 1).empty());
    counted_command command;
    const auto list = [&](const char* filter) {
        return bench::benchmark_output({.only_list = true, .filter = filter}, "command", 1,
                                       std::ref(command));
    };
    EXPECT_EQ(list(""), "command\n");
    EXPECT_EQ(list("^$"), "");
    EXPECT_EQ(command.runs, 0U);
}

TEST(command_runner, an_error_of_the_command_is_the_error_of_the_benchmark) {
    const auto output = bench::benchmark_output(
        {}, "command", 1, []() -> command_cost { throw std::runtime_error("the command failed \xff"); });
    const auto row = nlohmann::json::parse(output).at("benchmarks").at(0);
    EXPECT_TRUE(row["error_occurred"]);
    EXPECT_SAYS(row["error_message"].get<std::string>(), "the command failed");
    EXPECT_FALSE(row.contains("real_time"));
}

TEST(command_runner, the_flags_of_the_harness_are_read_and_others_are_refused) {
    const std::array given{"--benchmark_list_tests=true", "--benchmark_filter=^a=b$",
                           "--benchmark_format=json",     "--benchmark_min_time=0.25s",
                           "--benchmark_repetitions=2",   "--v=2"};
    const auto flags = bench::read_benchmark_flags(given);
    EXPECT_TRUE(flags.only_list);
    EXPECT_EQ(flags.filter, "^a=b$");
    EXPECT_EQ(flags.min_time_s, 0.25);
    EXPECT_EQ(flags.repetitions, 2);
    for (const char* wrong :
         {"--benchmark_min_time=x", "--benchmark_min_time=-1", "--benchmark_repetitions=0",
          "--benchmark_repetitions=1.5", "--benchmark_typo=1", "word"})
        EXPECT_THROW(bench::read_benchmark_flags(std::array{wrong}), std::invalid_argument) << wrong;
}

TEST(command_runner, a_missing_part_of_loopbench_is_named_with_the_remedy) {
    loopbench_command loopbench;
    const auto command = loopbench({"compare", "-o", loopbench.out(), "--", "true", "true"});
    EXPECT_EQ(command.code, 2);
    EXPECT_SAYS(command.error_tail, "loopbench-command is not installed");
    EXPECT_SAYS(command.error_tail, "--target tool");
    const auto server = loopbench(
        {"compare", "--client", "echo", "/bin/true", "/bin/true", "-o", loopbench.out(), "--", "{port}"});
    EXPECT_EQ(server.code, 2);
    EXPECT_SAYS(server.error_tail, "loopbench-client is not installed");
    EXPECT_SAYS(server.error_tail, "loopbench-contenders");
    const auto run = loopbench({"run", "--quick", "-o", loopbench.out()});
    EXPECT_EQ(run.code, 2);
    EXPECT_SAYS(run.error_tail, "loopbench-contenders");
}

}  // namespace

}  // namespace loopbench::tests
