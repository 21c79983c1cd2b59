// Tests that the commands in README.md and docs/ work, with fake contenders.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "reports/render/terminal/fixed_width.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator{LOOPBENCH_SOURCE "/docs"})
        if (entry.path().extension() == ".md") all.push_back(entry.path());
    std::ranges::sort(all);
    all.insert(all.begin(), LOOPBENCH_SOURCE "/README.md");
    return all;
}

std::string without_comment(const std::string& line) {
    const auto command = line.substr(0, line.find("  #"));
    return command.substr(0, command.find_last_not_of(' ') + 1);
}

std::vector<std::string> shown_commands() {
    std::vector<std::string> all;
    for (const auto& document : documents()) {
        std::istringstream lines{content_of(document)};
        // tests/distributions/packages.py and tests/package run the commands of this document.
        if (document.filename() == "packages.md") continue;
        // tests/package/swap.py runs the commands of this document, except `loopbench run`.
        const bool is_swap = document.filename() == "asio-programs.md";
        bool is_shell = false;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("```"))
                is_shell = line == "```sh";
            else if (is_swap && !line.starts_with("loopbench run"))
                continue;
            else if (is_shell && !line.empty() && std::ranges::find(all, without_comment(line)) == all.end())
                all.push_back(without_comment(line));
        }
    }
    return all;
}

bool is_tried_elsewhere(const std::string& command) {
    static const std::set<std::string, std::less<>> elsewhere{
        "make bench",                        // tests/cli/end_to_end_test.cpp runs it
        "make test",                         // .ci/run runs it
        "make install prefix=$HOME/.local",  // setup_scripts_test.py runs it with a fake build
        // tests/package runs these commands, with other folders.
        "cmake --install build/release --component loop --prefix ~/.local",
        "cmake --install build/release --component contender --prefix ~/.local",
        "cmake -S my -B my/bin -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=\"-O2 -DNDEBUG\"",
        "cmake --build my/bin",
        // tests/package/swap.py runs this command.
        "loopbench compare --client echo ./server ./server-on-loop -- {port}",
        // tests/package/extend.py runs these two commands.
        "cmake --build --preset release --target suite", "build/release/bin/loopbench run --workload answer",
        // tests/bisection/bisect_command_test.cpp runs such commands in repositories of its own.
        "loopbench bisect v1.2 HEAD --program build/bench -- 'cmake -B build && cmake --build build --target "
        "bench'",
        "loopbench bisect v1.2 HEAD --run './sort words' -- make sort",
        "loopbench bisect --resume loopbench-bisect",
        "loopbench calibrate",  // takes 15 minutes, and needs a contender that can be slowed down
    };
    return elsewhere.contains(command);
}

constexpr auto countable =
    R"(row "\"real_time\": 10, \"time_unit\": \"ns\", \"operations\": ${LOOPBENCH_OPERATIONS:-10}")";

void prepare(loopbench_command& loopbench) {
    for (const auto* name : {"asio-epoll", "loop-epoll", "asio-on-epoll"})
        loopbench.add_contender(name, countable);
    loopbench.add_contender_of("threads/ping/threads:2", "asio-shared", countable);
    const auto fake = loopbench.path("bin/contenders/loop-epoll");
    for (const auto* copy : {"build-a/bench", "build-b/bench", "my/bin/mine", "python/mine.py"}) {
        fs::create_directories(loopbench.path(copy).parent_path());
        fs::copy_file(fake, loopbench.path(copy));
    }
    fs::create_symlink(LOOPBENCH_COMMAND_RUNNER, loopbench.path("bin/loopbench-command"));
    write_script(loopbench.path("words"), "b a");
    fs::copy_file(LOOPBENCH_SOURCE "/tests/package/python/mine.py", loopbench.path("python/mine.py"),
                  fs::copy_options::overwrite_existing);
    for (const auto* folder : {"build-a/layouts", "build-b/layouts"})
        for (const auto* name : {"1", "2", "3", "4", "5", "6"})
            write_script(loopbench.path(folder) / name, content_of(fake) + "# " + name);
    ASSERT_NE(
        loopbench
            .in_shell("cd $folder && $loopbench run --blocks 1 -o old && cp old/report.json old.json && "
                      "cp old/report.json new.json")
            .code,
        1);
}

TEST(documentation, the_commands_in_the_documentation_succeed_in_the_order_in_which_they_appear) {
    loopbench_command loopbench;
    ASSERT_NO_FATAL_FAILURE(prepare(loopbench));
    const auto commands = shown_commands();
    EXPECT_GT(std::ranges::count_if(commands, [](auto& each) { return each.starts_with("loopbench "); }), 25);
    for (const auto& command : commands) {
        if (is_tried_elsewhere(command)) continue;
        ASSERT_TRUE(command.starts_with("loopbench ")) << "nothing tries: " << command;
        const auto ran = loopbench.in_shell(
            "cd $folder && PATH=$folder/bin:$PATH && export XDG_DATA_HOME=$folder/data LOOPBENCH_HISTORY= "
            "&& " +
            command);
        // 4 (inconclusive) and 5 (unreliable) are possible with few blocks on a busy machine. Only two real
        // commands can also differ by chance (3): the other programs print constants.
        const auto measures = command.find(" -- '") != std::string::npos;
        const auto ran_through =
            ran.code == 0 || ran.code == 4 || ran.code == 5 || (measures && ran.code == 3);
        EXPECT_TRUE(ran.end == bench::child_end::exited && ran_through)
            << command << ": " << ran.code << ", " << ran.error_tail;
        if (command.find("--contender mine.py") != std::string::npos) {
            const auto report =
                nlohmann::json::parse(content_of(loopbench.path("loopbench-report/report.json")));
            EXPECT_TRUE(time_of(report, "mine.py")["median"].is_number()) << "the contender of " << command;
        }
    }
}

TEST(documentation, the_screen_of_a_quick_run_fits_on_30_lines_of_80_columns) {
    const loopbench_command loopbench;
    const auto shown = loopbench.in_shell("xz -dc " LOOPBENCH_SOURCE
                                          "/reports/evidence/quick/report.json.xz > $folder/report.json && "
                                          "$loopbench report $folder/report.json --format screen");
    ASSERT_EQ(shown.code, 0) << shown.error_tail;
    constexpr auto lines_of_next_steps = 4;
    EXPECT_LE(std::ranges::count(shown.output, '\n') + lines_of_next_steps, 30) << shown.output;
    std::istringstream lines{shown.output};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(reports::width_of(line), 80U) << line;
    EXPECT_TRUE(shown.output.starts_with("FASTEST echo: ")) << shown.output;
    std::size_t at = 0;
    for (const auto* part :
         {"FASTEST", "TRUST", "echo/rtt/tcp", "loop-uring/loop-epoll", "sleep/serial", "IDLE"}) {
        const auto found = shown.output.find(part, at);
        ASSERT_NE(found, std::string::npos) << part << " is missing or too early:\n" << shown.output;
        at = found;
    }
    for (const auto* wrong : {"showed no difference", "-0.00", "e+0", "100.0", "5.3 %"})
        EXPECT_EQ(shown.output.find(wrong), std::string::npos) << wrong << ":\n" << shown.output;
}

}  // namespace

}  // namespace loopbench::tests
