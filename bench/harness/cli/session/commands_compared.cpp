#include "bench/harness/cli/session/commands_compared.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::bench {

namespace {

std::vector<std::string> words_of(const std::string& command, bool in_shell) {
    if (in_shell) return {"/bin/sh", "-c", command};
    std::istringstream words{command};
    return {std::istream_iterator<std::string>{words}, {}};
}

std::string shortened(const std::string& command) {
    constexpr std::size_t longest = 40;
    return reports::clipped(reports::printable(command), longest);
}

}  // namespace

bool need_shell(std::string_view base, std::string_view next) {
    constexpr std::string_view special = "|&;<>()$`\\\"'*?[]#~=%\n{}!";
    return base.find_first_of(special) != std::string_view::npos ||
           next.find_first_of(special) != std::string_view::npos;
}

bool are_commands(std::span<const std::string> words, const std::string& base, const std::string& next) {
    const auto mark = std::ranges::find(words, "--");
    return words.end() - mark == 3 && mark[1] == base && mark[2] == next;
}

void become_command(contender& who, const std::string& command, bool in_shell) {
    if (command.find_first_not_of(" \t\n") == std::string::npos)
        throw usage_error{
            "a command is empty; write two commands after `--`, for example -- 'sort a' 'sort b'"};
    if (reports::valid_utf8(command) != command)
        throw usage_error{"the command {} is not valid UTF-8, which the journal needs; use another spelling",
                          reports::valid_utf8(command)};
    const auto words = words_of(command, in_shell);
    who.path =
        installed_program("loopbench-command",
                          "it measures commands: build it with `cmake --build --preset release --target "
                          "tool`, or install loopbench again");
    who.environment = {{"LOOPBENCH_COMMAND", nlohmann::json(words).dump()}};
    if (const char* const folder = std::getenv("TMPDIR");
        folder != nullptr && reports::valid_utf8(folder) == folder)
        who.environment["LOOPBENCH_USER_TMPDIR"] = folder;  // trials get a TMPDIR of their own
    remember_asio_use(who, words.front());
    remember_files(who);
}

run_plan usual_commands_plan() {
    auto plan = usual_gate_plan();
    plan.min_time_s = 0.01;
    plan.blocks = 50;
    return plan;
}

std::pair<std::string, std::string> command_names(const std::string& base, const std::string& next) {
    auto old = shortened(base), other = shortened(next);
    if (old == other) other += " (new)";
    return {std::move(old), std::move(other)};
}

}  // namespace loopbench::bench
