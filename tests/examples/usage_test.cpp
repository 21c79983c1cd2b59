// Tests the options of the examples, the errors for wrong arguments, and the two examples that do not run on
// a design.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "loop/io/fd.hpp"
#include "on_every_design.hpp"

namespace loopbench::tests {

namespace files = std::filesystem;

TEST(an_example, the_option_list_prints_the_names_of_all_designs) {
    EXPECT_EQ(lines_of(run_program("round_robin_tasks", {"--list"}).output), design_names());
}

TEST(an_example, an_unknown_design_is_refused_with_the_names_of_the_designs) {
    const program_end end = run_program("round_robin_tasks", {"--design", "loop-nothing"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("loop-nothing"), std::string::npos) << end.errors;
    EXPECT_NE(end.errors.find("loop-epoll"), std::string::npos) << end.errors;
}

TEST(an_example, a_speed_of_zero_is_refused) {
    const program_end end = run_program("round_robin_tasks", {"--speed", "0"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("--speed"), std::string::npos) << end.errors;
}

TEST(an_example, a_port_above_65535_is_refused) {
    const program_end end = run_program("echo_beside_counting", {"--port", "70000"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("'70000' is not a valid --port"), std::string::npos) << end.errors;
}

TEST(an_example, a_server_argument_without_a_port_is_refused) {
    const program_end end = run_program("concurrent_requests", {"localhost"});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_NE(end.errors.find("'localhost' is not a server"), std::string::npos) << end.errors;
}

TEST(the_queue_by_hand, the_program_prints_the_output_that_its_tutorial_shows) {
    const program_end end = run_program("round_robin_by_hand", {"--virtual-time"});
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_EQ(end.output, "Task 1\nTask 2\nTask 1\nTask 2\nTask 2\ndone\n");
}

std::string tasks_run(const std::vector<std::string>& lines, std::size_t from, std::size_t count) {
    std::string names;
    for (std::size_t at = from; at < std::min(from + count, lines.size()); ++at)
        names += lines[at].substr(0, lines[at].find(',')) + "\n";
    return names;
}

TEST(the_queue_by_hand, the_option_trace_prints_each_task_that_runs) {
    const program_end end =
        run_program("round_robin_by_hand", {"--virtual-time", "--speed", "1000", "--trace"});
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    const auto lines = lines_of(end.output);
    // The loop runs main, main's two tasks, and the sleeping task that each of these two tasks starts.
    EXPECT_EQ(tasks_run(lines, 0, 12),
              "Running task main\n"
              "Running task task1\nTask 1\nRunning task task2\nTask 2\nRunning task main\n"
              "Running task _sleep\nRunning task task1\nRunning task _sleep\nRunning task task2\n"
              "Running task main\nRunning task _sleep\n");
    const auto last = std::find(lines.rbegin(), lines.rend(), "Task 2");
    ASSERT_NE(last, lines.rend());
    EXPECT_EQ(tasks_run(lines, static_cast<std::size_t>(lines.rend() - last), 6),
              "Running task main\nRunning task _sleep\nRunning task task2\n"
              "Running task main\nRunning task _sleep\nRunning task task2\n");
    EXPECT_EQ(lines[0], "Running task main, finished False, res : None");
}

class inside_a_folder {
public:
    inside_a_folder() : before_(files::current_path()) {
        std::string path = files::temp_directory_path() / "loopbench-examples-XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) loop::throw_errno("mkdtemp");
        files::current_path(path);
    }
    inside_a_folder(const inside_a_folder&) = delete;
    inside_a_folder& operator=(const inside_a_folder&) = delete;
    ~inside_a_folder() {
        const files::path inside = files::current_path();
        files::current_path(before_);
        files::remove_all(inside);
    }

private:
    files::path before_;
};

TEST(the_primer, the_generators_program_prints_the_output_that_its_tutorial_shows) {
    const inside_a_folder folder;
    files::create_directories("down/under");
    files::create_directories("Elsewhere");
    std::ofstream("file") << "no folder";
    const program_end end = run_program("generators", {});
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.output,
              "./down\n./down/under\n"
              "coroutine started\nreceived value: 1\nreceived value: 2\n"
              "coroutine started\nsub coroutine started\n"
              "sub coroutine received value: 1\nreceived value: 1\n"
              "sub coroutine received value: 2\nreceived value: 2\n"
              "coroutine started\nreceived value: 1\nreceived value: 2\nStopIteration: done\n"
              "task1\ntask2\ntask1\ntask2\n"
              "task1\ntask2\ntask1\ntask1\ntask2\ntask1\n");
}

TEST(the_primer, the_generators_program_prints_at_most_ten_folders) {
    const inside_a_folder folder;
    for (char name = 'a'; name < 'p'; ++name) files::create_directory(std::string(1, name));
    const auto lines = lines_of(run_program("generators", {}).output);
    EXPECT_EQ(
        std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.starts_with("./"); }),
        10);
}

}  // namespace loopbench::tests
