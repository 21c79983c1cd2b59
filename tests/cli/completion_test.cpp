// Tests `loopbench complete -- WORDS`. completion_test.py tests the completion scripts in real shells.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

using word_set = std::set<std::string>;

word_set completed(const loopbench_command& loopbench, std::vector<std::string> typed) {
    typed.insert(typed.begin(), {"complete", "--"});
    const auto ran = loopbench(typed);
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    std::istringstream lines{ran.output};
    word_set all;
    for (std::string line; std::getline(lines, line);) all.insert(line.substr(0, line.find('\t')));
    return all;
}

word_set named_in_help(const loopbench_command& loopbench, const std::vector<std::string>& arguments,
                       const std::regex& pattern) {
    const auto text = loopbench(arguments).output;
    word_set all;
    for (std::sregex_iterator found{text.begin(), text.end(), pattern}, end; found != end; ++found)
        all.insert((*found)[1]);
    return all;
}

TEST(completion, the_completed_commands_and_options_match_the_help) {
    const loopbench_command loopbench;
    const std::regex option{R"(\n  (?:-\w,)?(--[\w-]+))"}, command{R"(\n  ([a-z]+)  )"};
    const auto commands = named_in_help(loopbench, {"--help"}, command);
    EXPECT_TRUE(commands.contains("run") && commands.contains("explain"));
    EXPECT_EQ(completed(loopbench, {""}), commands);
    EXPECT_EQ(completed(loopbench, {"-"}), named_in_help(loopbench, {"--help"}, option));
    for (const auto& each : commands)
        EXPECT_EQ(completed(loopbench, {each, "--"}), named_in_help(loopbench, {each, "--help"}, option))
            << each;
    const auto of_history = named_in_help(loopbench, {"history", "--help"}, command);
    EXPECT_TRUE(of_history.contains("changes"));
    EXPECT_EQ(completed(loopbench, {"history", ""}), of_history);
    for (const auto& each : of_history)
        EXPECT_EQ(completed(loopbench, {"history", each, "--"}),
                  named_in_help(loopbench, {"history", each, "--help"}, option))
            << each;
    EXPECT_EQ(completed(loopbench, {"ru"}), word_set{"run"});
    EXPECT_EQ(completed(loopbench, {"rnu", "--"}), word_set{}) << "an unknown command has no options";
}

TEST(completion, the_possible_values_of_an_option_are_offered_as_completions) {
    const loopbench_command loopbench;
    EXPECT_EQ(completed(loopbench, {"run", "--pairing", ""}),
              (word_set{"sequential", "concurrent", "interleaved"}));
    EXPECT_EQ(completed(loopbench, {"report", "x.json", "--format", "mark"}), word_set{"markdown"});
    EXPECT_EQ(completed(loopbench, {"compare", "a", "b", "--format=ht"}), word_set{"--format=html"});
    EXPECT_EQ(completed(loopbench, {"check", "--tier", ""}), (word_set{"counts", "times"}));
    EXPECT_EQ(completed(loopbench, {"run", "--blocks", ""}), word_set{}) << "a number is not guessed";
    EXPECT_TRUE(completed(loopbench, {"run", "--quick", ""}).contains("--blocks")) << "a flag takes no value";
}

TEST(completion, names_of_workloads_and_names_for_explain_are_offered_as_completions) {
    const loopbench_command loopbench;
    EXPECT_EQ(completed(loopbench, {"run", "--workload", "timer/churn"}),
              (word_set{"timer/churn/timers:1000", "timer/churn/timers:100000"}));
    EXPECT_EQ(completed(loopbench, {"explain", "late_"}), (word_set{"late_p50", "late_p99", "late_max"}));
    const auto all = completed(loopbench, {"explain", ""});
    for (const auto* name : {"timer/churn", "loop-tick", "conns"}) EXPECT_TRUE(all.contains(name)) << name;
}

TEST(completion, names_of_contenders_are_offered_without_starting_a_contender) {
    const loopbench_command loopbench;
    std::filesystem::create_directories(loopbench.path("mine"));
    for (const auto* name : {"bin/contenders/asio-epoll", "bin/contenders/loop-epoll", "mine/loop-mine"})
        write_script(loopbench.path(name), "touch $0.started\n");
    const auto folder = loopbench.path("mine").native();
    const word_set ours{"asio-epoll", "loop-epoll"}, all{"asio-epoll", "loop-epoll", "loop-mine"};
    EXPECT_EQ(completed(loopbench, {"run", "--baseline", ""}), ours);
    EXPECT_EQ(completed(loopbench, {"run", "--contender-dir", folder, "--contender", ""}), all);
    EXPECT_EQ(completed(loopbench, {"run", "--contender-dir=" + folder, "--contender", ""}), all);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("mine/loop-mine.started")));
}

TEST(completion, the_completion_of_file_names_is_left_to_the_shell) {
    const loopbench_command loopbench;
    for (const auto& typed : std::vector<std::vector<std::string>>{
             {"report", ""}, {"compare", "a.json", ""}, {"run", "-o", ""}, {"check", "--against", ""}})
        EXPECT_EQ(completed(loopbench, typed), word_set{}) << typed.front();
}

}  // namespace

}  // namespace loopbench::tests
