// Two commands that `loopbench compare -- 'COMMAND' 'COMMAND'` compares. The contender is loopbench-command
// (bench/suite/client), which runs a command and measures it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/contender_list.hpp"

namespace loopbench::bench {

/// Returns true if the only words after `--` are BASE and NEW. `words` are those of the command line.
bool are_commands(std::span<const std::string> words, const std::string& base, const std::string& next);

/// Returns true if one of the commands contains a character that a shell interprets. Then both run in a
/// shell.
bool need_shell(std::string_view base, std::string_view next);

/// Makes the contender run the command. Throws usage_error if the command is empty or not valid UTF-8.
void become_command(contender& who, const std::string& command, bool in_shell);

/// Returns the defaults for two commands. A trial is a single run of a command that takes at least 10 ms, so
/// that the runs of both commands alternate: if the speed of the machine changes, it differs little between
/// two runs that follow each other. Because such trials are short, there are more blocks than for programs.
run_plan usual_commands_plan();

/// Returns different names for the two commands: the commands themselves, shortened.
std::pair<std::string, std::string> command_names(const std::string& base, const std::string& next);

}  // namespace loopbench::bench
