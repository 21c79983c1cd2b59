#include "bench/suite/client/measured_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <thread>

namespace loopbench::bench {

namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));  // posix_spawn(3)
    pointers.push_back(nullptr);
    return pointers;
}

std::chrono::nanoseconds to_ns(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void add(command_cost& to, const rusage& used) {
    to.cpu += to_ns(used.ru_utime) + to_ns(used.ru_stime);
    to.peak_bytes = std::max(to.peak_bytes, std::int64_t{used.ru_maxrss} * 1024);
}

struct started_process {
    pid_t id = -1;
    std::chrono::steady_clock::time_point at;
};

started_process start(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
    const auto arguments = pointers_to(words), variables = pointers_to(environment);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    started_process process{.at = std::chrono::steady_clock::now()};
    const int error =
        ::posix_spawnp(&process.id, arguments[0], &actions, nullptr, arguments.data(), variables.data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(fmt::format("cannot start: {}", ::strerror(error)));
    return process;
}

}  // namespace

command_cost run_command(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
    const auto process = start(words, environment);
    int status = 0;
    rusage used{};
    while (::wait4(process.id, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const auto wall = std::chrono::steady_clock::now() - process.at;
    constexpr int first_code_of_shells = 126;
    if (WIFEXITED(status) && status != 0 && WEXITSTATUS(status) < first_code_of_shells)
        throw exit_code_error(text_of_end(status));
    if (status != 0) throw std::runtime_error(text_of_end(status));
    command_cost cost{.wall = wall};
    add(cost, used);
    return cost;
}

void add_background_processes(command_cost& to) {
    using namespace std::chrono_literals;
    const auto end_of_command = std::chrono::steady_clock::now();
    const auto wall = to.wall;
    rusage used{};
    for (pid_t ended = 1; ended >= 0;) {
        ended = ::wait4(-1, nullptr, WNOHANG, &used);
        const auto since = std::chrono::steady_clock::now() - end_of_command;
        if (ended > 0) {
            to.wall = wall + since;
            add(to, used);
        } else if (ended == 0) {
            if (since >= 100ms)
                throw std::runtime_error(
                    "left a process in the background, whose time is not measured; let it wait for the "
                    "process (for example with `wait`)");
            std::this_thread::sleep_for(50us);
        }
    }
}

std::string text_of_end(int status) {
    if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

std::vector<std::string> own_environment() {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
    return all;
}

}  // namespace loopbench::bench
