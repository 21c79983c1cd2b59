// Declares the commands. A new command needs a file in commands/, a line in this file and a line in
// command_line.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/cli/exit_code.hpp"
#include "bench/harness/trial/run_trial.hpp"

namespace CLI {
class App;
}

namespace loopbench::bench {

/// The way in which the program was called.
struct invocation {
    std::vector<std::string> words;
    watching disturbances = watching::on;  // tests use `off`, because they run on busy machines
};

/// A function that runs the chosen command and returns the exit code.
using action = std::function<int(const invocation& by)>;

/// Parses the arguments, runs the command that they name, and returns the exit code. Prints errors and
/// converts them to exit codes.
int run_command_line(const std::vector<std::string>& arguments, watching disturbances = watching::on);

/// Returns every name that `loopbench explain` knows.
std::vector<std::string> explainable_names();

/// Returns the candidates for the last of `words`, for the completion scripts of shells
/// (bench/harness/cli/completion). `words` are the words after `loopbench`; the last one is incomplete and
/// can be empty. The candidates come from the command's own options, so there is no second list to maintain.
/// Each line is one candidate that begins with the last word: the whole word, a tab and its meaning. The
/// result is empty if a file name is expected. Does not start any contender.
std::string completions(const CLI::App& app, std::span<const std::string> words);

/// Returns the man page in mdoc(7), generated from the command's own options. help2man is not sufficient: it
/// reads only one --help text, and would merge all commands into one paragraph. `date` has mdoc's format, for
/// example "November 22, 2026".
std::string manual_page(const CLI::App& app, std::string_view date);

// Each function adds its subcommand to `app`. If the command line names the subcommand, parsing sets
// `chosen`.
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
