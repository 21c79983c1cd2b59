// What could come next on a command line, for the completion scripts of shells (bench/cli/completion). It is
// asked of the command's own options, so that there is no second list of them.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace loopbench::bench {

/// `words` are those after `loopbench`, of which the last one is being typed and may be empty. A line for
/// each candidate that begins with it: the whole word, a tab and what it means. Empty where a file is to be
/// named. No contender is started.
std::string completions(const CLI::App& app, std::span<const std::string> words);

}  // namespace loopbench::bench
