// The commands that the README shows, tried on fake contenders.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

/// The lines of the README that begin with `loopbench`, without check and calibrate, whose contenders have to
/// be real: to be counted, and to be slowed down.
std::vector<std::string> shown_commands() {
    std::istringstream readme{content_of(LOOPBENCH_README)};
    std::vector<std::string> all;
    for (std::string line; std::getline(readme, line);)
        if (line.starts_with("loopbench ") && !line.starts_with("loopbench check ") &&
            !line.starts_with("loopbench calibrate "))
            all.push_back(line);
    return all;
}

TEST(readme, shows_commands_that_work_in_the_order_in_which_it_shows_them) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')");
    for (const auto* copy : {"build-a/bench", "build-b/bench", "my/bin/mine"}) {
        std::filesystem::create_directories(loopbench.path(copy).parent_path());
        std::filesystem::copy_file(loopbench.path("bin/contenders/loop-epoll"), loopbench.path(copy));
    }
    for (const auto* folder : {"build-a/layouts", "build-b/layouts"})
        for (const auto* name : {"1", "2", "3", "4", "5", "6"})
            write_script(loopbench.path(folder) / name,
                         content_of(loopbench.path("bin/contenders/loop-epoll")) + "# " + name);
    const auto in_folder = "cd $folder && PATH=$folder/bin:$PATH && ";
    ASSERT_NE(loopbench
                  .in_shell(std::string{in_folder} +
                            "loopbench run --blocks 1 -o old && cp old/report.json old.json && "
                            "cp old/report.json new.json")
                  .code,
              1);
    const auto commands = shown_commands();
    EXPECT_GT(commands.size(), 10U);
    for (const auto& command : commands) {
        const auto ran = loopbench.in_shell(in_folder + command);
        // Whether the machine is fit, and whether there is enough to tell, is none of the README's business.
        const auto ran_through = ran.code == 0 || ran.code == 4 || ran.code == 5;
        EXPECT_TRUE(ran.end == bench::child_end::exited && ran_through)
            << command << ": " << ran.code << ", " << ran.error_tail;
    }
}

// Of what was measured once, by what is in the repository, and what `make bench` is to end with: one screen.
TEST(readme, shows_the_screen_of_the_run_that_is_kept_as_evidence) {
    const loopbench_command loopbench;
    const auto shown = loopbench.in_shell("xz -dc " LOOPBENCH_EVIDENCE
                                          "/quick/journal.jsonl.xz > $folder/journal.jsonl && "
                                          "$loopbench report $folder/journal.jsonl --format screen");
    ASSERT_EQ(shown.code, 0) << shown.error_tail;
    EXPECT_NE(content_of(LOOPBENCH_README).find("```\n" + shown.output + "```\n"), std::string::npos)
        << shown.output;
    EXPECT_EQ(content_of(LOOPBENCH_EVIDENCE "/quick/table.txt"), shown.output);
    constexpr auto lines_of_where_the_reports_are = 2;
    EXPECT_LE(std::ranges::count(shown.output, '\n') + lines_of_where_the_reports_are, 60);
}

}  // namespace

}  // namespace loopbench::tests
