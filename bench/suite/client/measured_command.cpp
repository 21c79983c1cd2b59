#include "bench/suite/client/measured_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "bench/suite/client/server_process.hpp"

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
    if (status != 0) throw std::runtime_error(text_of_end(status));
    return {wall, to_ns(used.ru_utime) + to_ns(used.ru_stime), std::int64_t{used.ru_maxrss} * 1024};
}

std::vector<std::string> own_environment() {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
    return all;
}

}  // namespace loopbench::bench
