// The visible list of commands. Adding one is a file in commands/, a line here and a line in
// command_line.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cli/exit_code.hpp"
#include "bench/trial/trial.hpp"

namespace CLI {
class App;
}

namespace loopbench::bench {

/// How the command was called.
struct invocation {
    std::vector<std::string> words;
    watching disturbances = watching::on;  // off: for tests, whose machine is never quiet
};

/// What the chosen command does; gives the exit code.
using action = std::function<int(const invocation& by)>;

/// The whole command: parses the arguments, runs what they name, and turns errors into exit codes.
int run_command_line(const std::vector<std::string>& arguments, watching disturbances = watching::on);

/// Every name of which `loopbench explain` knows something.
std::vector<std::string> explainable_names();

/// What could come next on a command line, for the completion scripts of shells (bench/cli/completion). It is
/// asked of the command's own options, so that there is no second list of them. `words` are those after
/// `loopbench`, of which the last one is being typed and may be empty. A line for each candidate that begins
/// with it: the whole word, a tab and what it means. Empty where a file is to be named. No contender is
/// started.
std::string completions(const CLI::App& app, std::span<const std::string> words);

/// The man page in mdoc(7), made of the command's own options: help2man reads one command's --help, and would
/// take those of eight for one paragraph. `date` is what mdoc wants: "November 22, 2026".
std::string manual_page(const CLI::App& app, std::string_view date);

// Each adds its subcommand; when that is on the command line, parsing sets `chosen`.
void add_list_command(CLI::App& app, action& chosen);
void add_run_command(CLI::App& app, action& chosen);
void add_calibrate_command(CLI::App& app, action& chosen);
void add_compare_command(CLI::App& app, action& chosen);
void add_check_command(CLI::App& app, action& chosen);
void add_doctor_command(CLI::App& app, action& chosen);
void add_merge_command(CLI::App& app, action& chosen);
void add_report_command(CLI::App& app, action& chosen);
void add_history_command(CLI::App& app, action& chosen);
void add_explain_command(CLI::App& app, action& chosen);

}  // namespace loopbench::bench
