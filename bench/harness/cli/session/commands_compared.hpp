// Two commands that `loopbench compare -- 'COMMAND' 'COMMAND'` compares. The contender is loopbench-command
// (bench/suite/client), which runs a command and measures it.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "bench/harness/trial/contender_list.hpp"

namespace loopbench::bench {

/// Returns true if the only words after `--` are BASE and NEW. `words` are those of the command line.
bool are_commands(std::span<const std::string> words, const std::string& base, const std::string& next);

/// Makes the contender run the command. Throws usage_error if the command is empty or not valid UTF-8. Both
/// commands run in a shell if one of them contains a character that a shell interprets.
void become_command(contender& who, const std::string& command, const std::string& other);

/// Returns different names for the two commands: the commands themselves, shortened.
std::pair<std::string, std::string> command_names(const std::string& base, const std::string& next);

}  // namespace loopbench::bench
