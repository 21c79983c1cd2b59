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

/// Returns the user's environment: without the variables of the harness, except for the padding, which gives
/// each trial a random size, and the file in which the allocations of all descendants are counted.
std::vector<std::string> environment_of_user() {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const bool is_of_harness =
            (text.starts_with("LOOPBENCH_") && !text.starts_with("LOOPBENCH_PADDING=") &&
             !text.starts_with("LOOPBENCH_ASIO=") && !text.starts_with("LOOPBENCH_MALLOC_FILE=")) ||
            text.starts_with("BENCHMARK_") || text.starts_with("TMPDIR=");
        if (!is_of_harness) all.emplace_back(text);
    }
    if (const char* const folder = std::getenv("LOOPBENCH_USER_TMPDIR"))
        all.push_back(std::string{"TMPDIR="} + folder);
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Throws std::runtime_error if the command cannot start, or if it ends with a code other than 0.
run_cost run_once(std::vector<std::string>& words) {
    static auto environment = environment_of_user();
    static const auto environment_pointers = pointers_to(environment);
    const auto pointers = pointers_to(words);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    const auto start = clock_type::now();
    pid_t process = -1;
    const int error = ::posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(),
                                     environment_pointers.data());
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
    // The peak is at least that of this process, because exec(2) keeps the value.
    state.counters["rss_peak"] = static_cast<double>(all.peak_bytes);
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
