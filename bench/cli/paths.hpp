// Paths on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace loopbench::bench {

/// Refuses an empty path, and what `-o=x` makes of it: the folder "=x".
inline void takes_path(CLI::Option* option) {
    const auto problem = [](const std::string& text) -> std::string {
        if (text.empty()) return "an empty path names nothing; leave the option out, or name a place";
        if (text.front() == '=')
            return "a short option takes no \"=\"; write -o " + text.substr(1) + ", or ./" + text +
                   " if that is its name";
        return {};
    };
    option->check(CLI::Validator{problem, ""});
}

}  // namespace loopbench::bench
