// The program loopbench-command, which runs a command repeatedly, and prints the cost of a run as a contender
// does: wall time, CPU time with that of all descendants, and peak memory. LOOPBENCH_COMMAND contains the
// words of the command as a JSON list. LOOPBENCH_OPERATIONS can contain the number of runs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/suite/client/measured_command.hpp"

namespace {

using json = nlohmann::json;
using namespace loopbench::bench;

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
    const auto runs = [](const std::filesystem::path& file) {
        std::error_code none;
        return ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, none);
    };
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

/// Returns the user's environment: without the variables that the harness sets, except for the padding, which
/// gives each trial a random size, and the file in which the allocations of all descendants are counted.
std::vector<std::string> environment_of_user() {
    auto all = own_environment();
    std::erase_if(all, [](std::string_view entry) {
        return (entry.starts_with("LOOPBENCH_") && !entry.starts_with("LOOPBENCH_PADDING=") &&
                !entry.starts_with("LOOPBENCH_ASIO=") && !entry.starts_with("LOOPBENCH_MALLOC_FILE=")) ||
               entry.starts_with("BENCHMARK_OUT=") || entry.starts_with("BENCHMARK_OUT_FORMAT=") ||
               entry.starts_with("TMPDIR=");
    });
    if (const char* const folder = std::getenv("LOOPBENCH_USER_TMPDIR"))
        all.push_back(std::string{"TMPDIR="} + folder);
    return all;
}

void measure_command(benchmark::State& state, const std::vector<std::string>& words) {
    static const auto environment = environment_of_user();
    command_cost all;
    for ([[maybe_unused]] auto _ : state) {
        try {
            auto one = run_command(words, environment);
            add_background_processes(one);
            state.SetIterationTime(std::chrono::duration<double>(one.wall).count());
            all.cpu += one.cpu;
            all.peak_bytes = std::max(all.peak_bytes, one.peak_bytes);
        } catch (const exit_code_error& failure) {
            state.SkipWithError(
                fmt::format("the command {}; if this is not a failure, append ' || true' to the command",
                            failure.what())
                    .c_str());
            return;
        } catch (const std::runtime_error& failure) {
            state.SkipWithError(fmt::format("the command {}", failure.what()).c_str());
            return;
        }
    }
    state.counters["cpu"] = static_cast<double>(all.cpu.count()) / static_cast<double>(state.iterations());
    state.counters["rss_peak"] = static_cast<double>(all.peak_bytes);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        const auto words = configured_words();
        if (!is_found(words[0]))
            throw std::invalid_argument(
                fmt::format("the program {} does not exist or is not executable; for a builtin of the shell, "
                            "write sh -c 'COMMAND'",
                            words[0]));
        auto* const command =
            benchmark::RegisterBenchmark("command",
                                         [&words](benchmark::State& state) { measure_command(state, words); })
                ->UseManualTime()
                ->Unit(benchmark::kNanosecond);
        if (const char* const runs = std::getenv("LOOPBENCH_OPERATIONS"))
            command->Iterations(std::max(std::atol(runs), 1L));
        benchmark::Initialize(&argc, argv);
        benchmark::RunSpecifiedBenchmarks();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "loopbench-command: {}\n", error.what());
        return 2;
    }
}
