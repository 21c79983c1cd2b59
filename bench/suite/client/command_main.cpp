// The program loopbench-command, which runs a command repeatedly, and prints the cost of a run as a contender
// does: wall time, CPU time with that of all descendants, and peak memory. LOOPBENCH_COMMAND contains the
// words of the command as a JSON list.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/suite/client/server_process.hpp"

namespace {

using json = nlohmann::json;
using clock_type = std::chrono::steady_clock;

std::vector<std::string> configured_words() {
    const char* const text = std::getenv("LOOPBENCH_COMMAND");
    try {
        auto words = json::parse(text == nullptr ? "" : text).get<std::vector<std::string>>();
        if (!words.empty()) return words;
    } catch (const json::exception&) {
    }
    throw std::invalid_argument(
        "LOOPBENCH_COMMAND is not a JSON list of words; use `loopbench compare -- COMMAND COMMAND`, which "
        "sets it");
}

/// Returns true if execvp(3) would find the program.
bool is_found(const std::string& program) {
    const auto runs = [](const std::filesystem::path& file) { return ::access(file.c_str(), X_OK) == 0; };
    if (program.find('/') != std::string::npos) return runs(program);
    const char* const folders = std::getenv("PATH");
    std::string rest = folders == nullptr ? "/bin:/usr/bin" : folders;
    for (std::size_t at = 0; at <= rest.size();) {
        const auto end = std::min(rest.find(':', at), rest.size());
        if (runs(std::filesystem::path{rest.substr(at, end - at)} / program)) return true;
        at = end + 1;
    }
    return false;
}

struct run_cost {
    std::chrono::nanoseconds wall{0}, cpu{0};
    std::int64_t peak_bytes = 0;
};

std::chrono::nanoseconds to_ns(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// Throws std::runtime_error if the command cannot start, or if it ends with a code other than 0.
run_cost run_once(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    const auto start = clock_type::now();
    pid_t process = -1;
    const int error = ::posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(fmt::format("cannot start {}: {}", words[0], ::strerror(error)));
    int status = 0;
    rusage used{};
    while (::wait4(process, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const auto wall = clock_type::now() - start;
    if (status != 0) throw std::runtime_error("the command " + loopbench::bench::text_of_end(status));
    return {wall, to_ns(used.ru_utime) + to_ns(used.ru_stime), std::int64_t{used.ru_maxrss} * 1024};
}

/// Returns the peak memory of this process. A child's peak seems to be at least as large, because exec(2)
/// keeps the value of the process that started the child.
std::int64_t own_peak_bytes() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return std::int64_t{used.ru_maxrss} * 1024;
}

void run_command(benchmark::State& state, std::vector<std::string>& words) {
    run_cost all;
    for ([[maybe_unused]] auto _ : state) {
        try {
            const auto one = run_once(words);
            state.SetIterationTime(std::chrono::duration<double>(one.wall).count());
            all.cpu += one.cpu;
            all.peak_bytes = std::max(all.peak_bytes, one.peak_bytes);
        } catch (const std::exception& failure) {
            state.SkipWithError(failure.what());
            return;
        }
    }
    state.counters["cpu"] = static_cast<double>(all.cpu.count()) / static_cast<double>(state.iterations());
    if (all.peak_bytes > own_peak_bytes()) state.counters["rss_peak"] = static_cast<double>(all.peak_bytes);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto words = configured_words();
        if (!is_found(words[0]))
            throw std::invalid_argument(
                fmt::format("the program {} does not exist or is not executable", words[0]));
        benchmark::RegisterBenchmark("command",
                                     [&words](benchmark::State& state) { run_command(state, words); })
            ->UseManualTime()
            ->Unit(benchmark::kNanosecond);
        benchmark::Initialize(&argc, argv);
        benchmark::RunSpecifiedBenchmarks();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "loopbench-command: {}\n", error.what());
        return 2;
    }
}
