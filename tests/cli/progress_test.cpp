// Tests the progress display: a bar on a terminal, lines in a log.
#include "bench/harness/cli/session/progress.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <regex>

#include "bench/harness/cli/session/time_left.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::countdown;
using bench::time_left;

TEST(progress, the_time_left_is_estimated_from_the_finished_trials) {
    EXPECT_FALSE(time_left(5s, 0, 10, {}));
    EXPECT_EQ(time_left(5s, 1, 10, {})->count(), 45);
    EXPECT_EQ(time_left(5s, 10, 10, {})->count(), 0);
}

TEST(progress, the_time_left_never_exceeds_the_budget) {
    EXPECT_EQ(time_left(5s, 1, 10, 30s)->count(), 25);
    EXPECT_EQ(time_left(5s, 1, 10, 300s)->count(), 45);
    EXPECT_EQ(time_left(35s, 1, 10, 30s)->count(), 0);
}

TEST(progress, long_times_are_shown_in_minutes_and_hours) {
    EXPECT_EQ(countdown(0s), "0 s");
    EXPECT_EQ(countdown(89400ms), "89 s");
    EXPECT_EQ(countdown(89500ms), "1:30 min");
    EXPECT_EQ(countdown(125s), "2:05 min");
    EXPECT_EQ(countdown(3600s), "1:00:00 h");
    EXPECT_EQ(countdown(90061s), "25:01:01 h");
}

std::string on_a_terminal(std::vector<std::string> words, const char* kind = "xterm",
                          const char* no_color = "") {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        ::setenv("TERM", kind, 1);
        ::setenv("NO_COLOR", no_color, 1);
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    const reports::unique_fd owned{terminal};
    std::string all;
    std::array<char, 4096> chunk{};
    for (;;) {  // read() fails with EIO when the command has closed the terminal
        const auto count =
            reports::uninterrupted([&] { return ::read(terminal, chunk.data(), chunk.size()); });
        if (count <= 0) break;
        all.append(chunk.data(), static_cast<std::size_t>(count));
    }
    int status = 0;
    reports::uninterrupted([&] { return ::waitpid(child, &status, 0); });
    EXPECT_EQ(status, 0) << all;
    return all;
}

TEST(progress, the_progress_bar_is_drawn_only_on_a_terminal_and_is_erased_at_the_end_of_the_run) {
    loopbench_command loopbench;
    // A trial must be longer than the shortest pause between two drawings of the bar. Otherwise, the bar
    // would not be drawn after the trial.
    loopbench.add_contender("asio-epoll", "sleep 0.15; row '\"real_time\": 10'");
    const std::vector<std::string> words{"run", "--workload", "yield",        "--blocks",
                                         "1",   "-o",         loopbench.out()};
    auto command = words;
    command.insert(command.begin(), loopbench.path("bin/loopbench").native());
    const auto shown = on_a_terminal(command);
    EXPECT_SAYS(shown, "[....................] 0/2: yield on asio-epol");
    const std::regex second{R"(\[##########\.{10}\] 1/2, \d+ s left: yield on asio-epol)"};
    EXPECT_TRUE(std::regex_search(shown, second)) << shown;
    const auto erased = shown.rfind("\r\x1b[K");
    ASSERT_NE(erased, std::string::npos);
    EXPECT_EQ(shown.find(" left: ", erased), std::string::npos);
    const auto piped = loopbench(words);
    EXPECT_EQ(piped.error_tail.find(" left: "), std::string::npos) << piped.error_tail;
    EXPECT_EQ(piped.error_tail.find('\x1b'), std::string::npos) << piped.error_tail;
    const auto dumb = on_a_terminal(command, "dumb");
    EXPECT_EQ(dumb.find('\x1b'), std::string::npos) << dumb;
    EXPECT_EQ(dumb.find(" left: "), std::string::npos) << dumb;
}

TEST(terminal, the_screen_of_a_report_has_colours_only_on_a_terminal) {
    loopbench_command loopbench;
    const auto report = loopbench.path("report.json").native();
    reports::write_file_atomically(report, reports::write_json(sample_report()));
    const std::vector<std::string> words{"report", report, "--format", "screen"};
    auto command = words;
    command.insert(command.begin(), loopbench.path("bin/loopbench").native());
    EXPECT_SAYS(on_a_terminal(command), "\x1b[1mTRUST");
    EXPECT_EQ(on_a_terminal(command, "dumb").find('\x1b'), std::string::npos);
    EXPECT_EQ(on_a_terminal(command, "xterm", "1").find('\x1b'), std::string::npos);
    EXPECT_EQ(loopbench(words).output.find('\x1b'), std::string::npos);
}

TEST(progress, progress_lines_are_printed_at_intervals_if_there_is_no_terminal) {
    testing::internal::CaptureStderr();
    {
        bench::progress each({}, 0s), later({}, 1h);
        each.show("yield", "asio-epoll", 1, 4);
        later.show("yield", "asio-epoll", 2, 4);
        each.show("yield", "asio-epoll", 3, 4);
    }
    const std::regex two_lines{
        R"(loopbench: 1 of 4 trials done, \d+ s left\nloopbench: 3 of 4 trials done, \d+ s left\n)"};
    const auto shown = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(std::regex_match(shown, two_lines)) << shown;
}

TEST(progress, the_progress_bar_shows_the_ratio_to_the_baseline_so_far) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", "sleep 0.15; row '\"real_time\": 10'");
    loopbench.add_contender("loop-epoll", "sleep 0.15; row '\"real_time\": 4'");
    const auto shown = on_a_terminal({loopbench.path("bin/loopbench").native(), "run", "--workload", "yield",
                                      "--blocks", "2", "-o", loopbench.out()});
    EXPECT_SAYS(shown, "yield on loop-epoll, time 2.50× so far");
    EXPECT_EQ(shown.find("asio-epoll, time"), std::string::npos)
        << "a ratio of the baseline to itself: " << shown;
}

// The load depends on a contender's capacity, so two contenders' latencies cannot be compared.
TEST(progress, the_progress_bar_shows_no_ratio_for_latencies_under_different_loads) {
    loopbench_command loopbench;
    constexpr auto loaded = "serve/open_loop/load:50";
    loopbench.add_contender_of(loaded, "asio-epoll",
                               R"(sleep 0.15; row '"real_time": 10, "latency_p99": 10')");
    loopbench.add_contender_of(loaded, "loop-epoll", R"(sleep 0.15; row '"real_time": 4, "latency_p99": 4')");
    const auto shown = on_a_terminal({loopbench.path("bin/loopbench").native(), "run", "--workload", loaded,
                                      "--blocks", "2", "-o", loopbench.out()});
    EXPECT_SAYS(shown, "load:50 on loop-epoll");
    EXPECT_EQ(shown.find("so far"), std::string::npos) << shown;
}

TEST(progress, colours_are_used_only_on_terminals_that_support_them) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", good_row);
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')");
    const std::vector<std::string> command{
        loopbench.path("bin/loopbench").native(), "run", "--workload", "yield", "-o", loopbench.out()};
    EXPECT_SAYS(on_a_terminal(command), "\x1b[32m2.00");
    for (const char* kind : {"dumb", ""})
        EXPECT_EQ(on_a_terminal(command, kind).find('\x1b'), std::string::npos) << kind;
    EXPECT_EQ(on_a_terminal(command, "xterm", "1").find("\x1b[32m"), std::string::npos);
}

}  // namespace

}  // namespace loopbench::tests
