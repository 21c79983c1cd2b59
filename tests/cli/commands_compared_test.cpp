// Tests `loopbench compare -- COMMAND COMMAND`.
#include "bench/harness/cli/session/commands_compared.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/command_support.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

class compared_commands : public testing::Test {
protected:
    compared_commands() {
        fs::create_symlink(LOOPBENCH_COMMAND_RUNNER, loopbench.path("bin/loopbench-command"));
    }

    bench::child_outcome compare(const std::string& base, const std::string& next) const {
        return loopbench(
            {"compare", "--blocks", "6", "--min-time", "1ms", "-o", loopbench.out(), "--", base, next});
    }

    nlohmann::json result(std::string_view metric) const {
        const auto report = loopbench.report();
        for (const auto& item : report["results"])
            if (item["contender"] != report["baseline"] && item["metric"] == metric) return item;
        return {};
    }

    loopbench_command loopbench;
};

TEST_F(compared_commands, the_slower_of_two_commands_is_named_with_its_wall_time_and_cpu_time) {
    const auto ran = compare("sleep 0.01", "sleep 0.2");
    ASSERT_TRUE(ran.code == 3 || ran.code == 5) << ran.code << ran.error_tail;
    EXPECT_TRUE(fits_the_schema(loopbench.report()));
    EXPECT_LT(result("time").at("ratio").at("median").get<double>(), 0.5);
    EXPECT_GE(result("time").at("median").get<double>(), 200e6) << "ns";
    EXPECT_LT(result("cpu").at("median").get<double>(), 200e6) << "a sleeping command needs little CPU time";
    EXPECT_EQ(result("time")["contender"], "sleep 0.2");
    EXPECT_EQ(result("time")["pairing"], "sequential");
}

TEST_F(compared_commands, the_cpu_time_of_descendants_and_the_peak_memory_are_measured) {
    const auto busy = [](int rounds) {
        return "i=0; (while [ $i -lt " + std::to_string(rounds) + " ]; do i=$((i+1)); done)";
    };
    const auto ran = compare(busy(100), busy(50'000));
    ASSERT_NE(ran.code, 2) << ran.error_tail;
    EXPECT_LT(result("cpu").at("ratio").at("median").get<double>(), 0.5) << loopbench.report().dump();
    compare("python3 -c pass", "python3 -c 'x = b\"x\" * 50000000'");
    EXPECT_GT(result("rss_peak").at("median").get<double>(), 50e6);
    EXPECT_EQ(result("rss_peak").at("verdict"), "slower") << "a small base has a value, too";
}

TEST_F(compared_commands, the_runs_of_two_commands_alternate) {
    const auto runs = loopbench.path("runs").native();
    const auto command = [&](const char* name) {
        return "echo " + std::string{name} + " >> '" + runs + "'; sleep 0.02";
    };
    loopbench({"compare", "--blocks", "6", "-o", loopbench.out(), "--", command("a"), command("b")});
    const auto order = content_of(runs);
    constexpr std::size_t trials = 6 * 3, probes = 6;  // a block has a third trial, that of the A/A copy
    EXPECT_LE(std::ranges::count(order, '\n'), trials + probes) << order;
}

TEST_F(compared_commands, a_failing_command_fails_the_comparison_with_its_exit_code) {
    const auto ran = compare("true", "sh -c 'echo broken >&2; exit 7'");
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    EXPECT_SAYS(ran.output, "exit code 7");
}

TEST_F(compared_commands, commands_get_the_environment_of_the_user) {
    const auto ran = loopbench.in_shell(
        "TMPDIR=/var/tmp LOOPBENCH_ASIO=io_uring $loopbench compare --blocks 6 --min-time 1ms -o $out -- "
        "true "
        "'test \"$TMPDIR $LOOPBENCH_ASIO\" = \"/var/tmp io_uring\" && ! env | grep -e ^BENCHMARK_ -e "
        "^LOOPBENCH_S'");
    EXPECT_NE(ran.code, 1) << ran.error_tail;
    EXPECT_NE(ran.code, 2) << ran.error_tail;
}

// A shell does not wait for a process in the background, so only its start would be measured
// (sharkdp/hyperfine#108).
TEST_F(compared_commands, a_command_that_leaves_a_process_in_the_background_fails) {
    const auto ran = compare("sleep 600 &", "sleep 600 &");
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    EXPECT_SAYS(ran.output, "background");
    EXPECT_NE(compare("sleep 0.01 & wait", "sleep 0.01 & wait").code, 1) << "the shell waits for it";
}

TEST_F(compared_commands, a_process_that_ends_shortly_after_the_command_counts) {
    const auto ran = compare("true", "sh -c 'sleep 0.03 &'");
    ASSERT_NE(ran.code, 1) << ran.error_tail;
    EXPECT_GE(result("time").at("median").get<double>(), 25e6) << "ns";
}

TEST_F(compared_commands, a_builtin_of_the_shell_and_a_folder_are_refused_with_the_remedy) {
    for (const auto* command : {"exit 0", "cd /", "/tmp", "/etc/passwd"}) {
        const auto ran = compare(command, "true");
        EXPECT_EQ(ran.code, 2) << command;
        EXPECT_SAYS(ran.error_tail, "sh -c") << command;
    }
}

TEST_F(compared_commands, a_failing_command_has_the_remedy_for_commands_that_may_fail) {
    const auto failing = compare("grep nothing /dev/null", "true");
    EXPECT_EQ(failing.code, 1);
    EXPECT_SAYS(failing.output, "|| true");
    EXPECT_NE(compare("grep nothing /dev/null || true", "true").code, 1) << "sharkdp/hyperfine#11";
}

TEST_F(compared_commands, only_a_failing_exit_code_has_the_remedy_for_commands_that_may_fail) {
    for (const auto* command : {"sh -c 'kill -9 $$'", "kill -9 $$", "sleep 600 &", "true; no-such-program"}) {
        const auto ran = compare("true", command);
        EXPECT_EQ(ran.code, 1) << command;
        EXPECT_FALSE(says(ran.error_tail + ran.output, "|| true")) << ran.output;
    }
}

TEST_F(compared_commands, the_error_for_an_unknown_benchmark_names_the_benchmarks_of_commands) {
    const auto ran =
        loopbench({"compare", "--workload", "sort", "-o", loopbench.out(), "--", "true", "true"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "the names are command");
    EXPECT_FALSE(says(ran.error_tail, "--benchmark_list_tests")) << ran.error_tail;
}

TEST_F(compared_commands, options_that_do_not_fit_commands_are_refused) {
    for (const auto* option : {"--args=x", "--pairing=concurrent"})
        EXPECT_EQ(loopbench({"compare", option, "-o", loopbench.out(), "--", "true", "true"}).code, 2)
            << option;
}

TEST_F(compared_commands, a_program_that_does_not_exist_is_refused) {
    const auto ran = compare("true", "no-such-program --at all");
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "no-such-program");
    EXPECT_FALSE(fs::exists(loopbench.path("out/journal.jsonl")));
    EXPECT_EQ(compare("true", " ").code, 2);
}

TEST(command_names, command_names_are_short_and_different_and_contain_no_control_characters) {
    EXPECT_EQ(bench::command_names("a", "a").second, "a (new)");
    EXPECT_EQ(bench::command_names("a\nb", "c").first, "a?b");
    EXPECT_EQ(bench::command_names(std::string(100, 'x'), "c").first.size(), 40U);
}

TEST(command_names, base_and_new_are_commands_only_if_they_are_the_only_words_after_a_double_dash) {
    const std::vector<std::string> commands{"compare", "--blocks", "6", "--", "a b", "c"},
        servers{"compare", "old", "new", "--", "{port}"}, files{"compare", "old", "new"};
    EXPECT_TRUE(bench::are_commands(commands, "a b", "c"));
    EXPECT_FALSE(bench::are_commands(servers, "old", "new"));
    EXPECT_FALSE(bench::are_commands(files, "old", "new"));
}

}  // namespace

}  // namespace loopbench::tests
