// Tests `loopbench compare --client` on two builds of a server that knows nothing of loopbench.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

class served : public testing::Test {
protected:
    served() { fs::create_symlink(LOOPBENCH_CLIENT, loopbench.path("bin/loopbench-client")); }

    bench::child_outcome compare(const std::string& client, const char* next,
                                 std::vector<std::string> arguments, std::vector<std::string> more = {},
                                 const char* blocks = "6") const {
        std::vector<std::string> all{
            "compare",    "--client", client, LOOPBENCH_ECHO_SERVER, next, "--blocks", blocks, "--seed", "5",
            "--min-time", "2ms",      "-o",   loopbench.out()};
        all.insert(all.end(), more.begin(), more.end());
        all.emplace_back("--");
        all.insert(all.end(), arguments.begin(), arguments.end());
        return loopbench(all);
    }

    nlohmann::json result(std::string_view workload, std::string_view metric) const {
        const auto report = loopbench.report();
        for (const auto& item : report["results"])
            if (item["contender"] != report["baseline"] && item["workload"] == workload &&
                item["metric"] == metric)
                return item;
        return {};
    }

    loopbench_command loopbench;
};

bool is_measured(int code) {
    return code == 0 || code == 3 || code == 4 || code == 5;
}

TEST_F(served, interleaved_servers_are_compared_by_round_trip_times_and_by_the_cpu_time_of_the_server) {
    const auto ran = compare("echo", LOOPBENCH_ECHO_SERVER, {"{port}"});
    ASSERT_TRUE(is_measured(ran.code)) << ran.code << ran.error_tail;
    EXPECT_TRUE(fits_the_schema(loopbench.report()));
    for (const auto* workload : {"served/echo/conns:1", "served/echo/conns:100"}) {
        EXPECT_EQ(result(workload, "time")["pairing"], "interleaved") << workload;
        EXPECT_EQ(result(workload, "time")["samples"].size(), 6U);
        for (const auto* metric : {"cpu", "latency_p99", "throughput", "rss_peak"})
            EXPECT_GT(result(workload, metric)["median"], 0) << workload << metric;
        EXPECT_TRUE(result(workload, "cpu_user").is_null()) << "it would be the client's";
    }
    const std::string server = LOOPBENCH_ECHO_SERVER;
    EXPECT_SAYS(ran.output, "\necho_server = " + server + ", echo_server (new) = " + server + "\n");
    EXPECT_EQ(loopbench.report()["contenders"][1]["context"]["program"], LOOPBENCH_ECHO_SERVER)
        << "for the page";
    const auto header = journal_lines(loopbench.path("out/journal.jsonl")).front().dump();
    EXPECT_SAYS(header, LOOPBENCH_ECHO_SERVER) << "the path of the server";
}

TEST_F(served, a_server_that_has_become_slower_is_reported_as_a_regression) {
    const auto ran =
        compare("echo", LOOPBENCH_SLOWER_ECHO_SERVER, {"{port}"}, {"--workload", "served/echo/conns:1"}, "8");
    ASSERT_TRUE(ran.code == 3 || ran.code == 5) << ran.code << ran.error_tail;
    EXPECT_LT(result("served/echo/conns:1", "cpu")["ratio"]["high"], 0.5);
    EXPECT_GE(result("served/echo/conns:1", "cpu")["median"], 200'000)
        << "ns of the server, without its client";
}

TEST_F(served, builds_of_a_server_that_share_a_fixed_port_run_sequentially) {
    // This port is below the range from which the kernel selects the ports of clients, so no client can
    // occupy it.
    const auto port = std::to_string(20'000 + ::getpid() % 10'000);
    const auto ran = compare("echo", LOOPBENCH_ECHO_SERVER, {port}, {"--port", port});
    ASSERT_TRUE(is_measured(ran.code)) << ran.code << ran.error_tail;
    EXPECT_EQ(result("served/echo/conns:100", "time")["pairing"], "sequential");
    EXPECT_EQ(
        compare("echo", LOOPBENCH_ECHO_SERVER, {port}, {"--port", port, "--pairing", "interleaved"}).code, 2);
}

TEST_F(served, any_shell_command_can_be_the_client_of_the_compared_servers) {
    const auto ran = compare(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}; echo hello >&3; read -r back <&3; "
        "[ \"$back\" = hello ]'",
        LOOPBENCH_ECHO_SERVER, {"{port}"});
    ASSERT_TRUE(is_measured(ran.code)) << ran.code << ran.error_tail;
    EXPECT_GT(result("served/client", "time")["median"], result("served/client", "cpu")["median"]);
    EXPECT_EQ(result("served/client", "time")["pairing"], "sequential");
}

TEST_F(served, the_result_of_a_failing_server_or_client_has_a_reason_instead_of_a_number) {
    const auto reason = [&](const std::string& client, std::vector<std::string> arguments) {
        fs::remove_all(loopbench.out());
        EXPECT_EQ(compare(client, LOOPBENCH_ECHO_SERVER, std::move(arguments), {}, "1").code, 1);
        return result(client == "echo" ? "served/echo/conns:1" : "served/client", "time")["reason"]
            .get<std::string>();
    };
    EXPECT_SAYS(reason("echo", {"{port}", "wrong"}), "replies");
    EXPECT_SAYS(reason("echo", {"{port}", "dies"}), "exit code 7");
    const auto ends = reason("echo", {"{port}", "ends"});
    EXPECT_SAYS(ends, "exit code 3");
    EXPECT_TRUE(ends.ends_with(": it has nowhere to listen")) << ends;
    EXPECT_SAYS(reason("exit 9 # {port}", {"{port}"}), "exit code 9");
}

TEST_F(served, replacing_the_servers_executable_during_the_measurement_fails_the_trial) {
    const auto copy = loopbench.path("server");
    fs::copy_file(LOOPBENCH_ECHO_SERVER, copy);
    const auto ran = compare(": {port}; touch " + copy.native(), copy.c_str(), {"{port}"}, {}, "1");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.output, "was replaced");
}

TEST_F(served, a_resumed_comparison_of_servers_uses_the_client_of_its_first_start) {
    compare("echo", LOOPBENCH_ECHO_SERVER, {"{port}"}, {"--workload", "served/echo/conns:1"});
    const auto journal = loopbench.path("out/journal.jsonl");
    auto text = content_of(journal);
    for (int i = 0; i < 7; ++i) text.erase(text.rfind('\n', text.size() - 2) + 1);
    reports::write_file_atomically(journal, text);
    const auto resumed = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_TRUE(is_measured(resumed.code)) << resumed.code << resumed.error_tail;
    EXPECT_EQ(result("served/echo/conns:1", "time")["samples"].size(), 6U);
}

TEST_F(served, a_comparison_of_servers_without_a_port_or_a_client_is_refused) {
    const auto complaint = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"compare", LOOPBENCH_ECHO_SERVER, LOOPBENCH_ECHO_SERVER});
        const auto ran = loopbench(arguments);
        EXPECT_EQ(ran.code, 2) << ran.error_tail;
        return ran.error_tail;
    };
    EXPECT_SAYS(complaint({"--client", "echo"}), "either {port} or --port");
    EXPECT_SAYS(complaint({"--client", "echo", "--port", "4000", "--", "{port}"}), "either {port} or --port");
    EXPECT_SAYS(complaint({"--port", "4000"}), "--client");
    EXPECT_SAYS(complaint({"--", "{port}"}), "--client");
    const auto unknown = complaint({"--client", "ecko", "--", "{port}"});
    EXPECT_SAYS(unknown, "ecko");
    EXPECT_SAYS(unknown, "`echo`");
    const auto folder = loopbench.path("bin").native();
    EXPECT_EQ(loopbench({"compare", "--client", "echo", folder, folder, "--", "{port}"}).code, 2);
}

}  // namespace

}  // namespace loopbench::tests
