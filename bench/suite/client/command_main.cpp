// The program loopbench-command, which runs a command repeatedly, and prints the cost of a run as a contender
// does: wall time, CPU time with that of all descendants, and peak memory. LOOPBENCH_COMMAND contains the
// words of the command as a JSON list. LOOPBENCH_OPERATIONS can contain the number of runs.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/suite/client/measured_command.hpp"
#include "bench/suite/client/one_benchmark.hpp"

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

bool is_asio_record(std::string_view entry) {
    return entry.starts_with("LOOPBENCH_ASIO_CONTEXTS=");
}

/// Returns the user's environment: without the variables that the harness sets, except for the padding, which
/// gives each trial a random size, and the files in which all descendants count their allocations and record
/// the loops of their io_contexts.
std::vector<std::string> environment_of_user() {
    auto all = own_environment();
    std::erase_if(all, [](std::string_view entry) {
        return (entry.starts_with("LOOPBENCH_") && !entry.starts_with("LOOPBENCH_PADDING=") &&
                !entry.starts_with("LOOPBENCH_ASIO=") && !is_asio_record(entry) &&
                !entry.starts_with("LOOPBENCH_MALLOC_FILE=")) ||
               entry.starts_with("BENCHMARK_OUT=") || entry.starts_with("BENCHMARK_OUT_FORMAT=") ||
               entry.starts_with("TMPDIR=");
    });
    if (const char* const folder = std::getenv("LOOPBENCH_USER_TMPDIR"))
        all.push_back(std::string{"TMPDIR="} + folder);
    return all;
}

command_cost measured_run(const std::vector<std::string>& words) {
    static auto environment = environment_of_user();
    try {
        auto one = run_command(words, environment);
        std::erase_if(environment, is_asio_record);  // one record is enough, and each takes some microseconds
        add_background_processes(one);
        return one;
    } catch (const exit_code_error& failure) {
        throw std::runtime_error(fmt::format(
            "the command {}; if this is not a failure, append ' || true' to the command", failure.what()));
    } catch (const std::runtime_error& failure) {
        throw std::runtime_error(fmt::format("the command {}", failure.what()));
    }
}

std::optional<std::uint64_t> fixed_number_of_runs() {
    const char* const runs = std::getenv("LOOPBENCH_OPERATIONS");
    if (runs == nullptr) return std::nullopt;
    return static_cast<std::uint64_t>(std::max(std::atol(runs), 1L));
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
        const auto flags = read_benchmark_flags(
            std::span<const char* const>{argv, static_cast<std::size_t>(argc)}.subspan(1));
        const auto runs = fixed_number_of_runs();
        // The name of a Google Benchmark program's benchmark with these properties.
        const auto name =
            runs ? fmt::format("command/iterations:{}/manual_time", *runs) : "command/manual_time";
        fmt::print("{}", benchmark_output(flags, name, runs, [&] { return measured_run(words); }));
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "loopbench-command: {}\n", error.what());
        return 2;
    }
}
