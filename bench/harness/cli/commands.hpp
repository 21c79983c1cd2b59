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

/// The command line with which this program was called, and a setting that only tests change.
struct invocation {
    std::vector<std::string> words;
    watching disturbances = watching::on;  // tests use `off`, because test machines are busy
};

/// A function that runs the chosen command and returns the exit code.
using action = std::function<int(const invocation& by)>;

/// Parses the arguments, runs the command that they name, and returns its exit code. If an error occurs,
/// prints the error and returns the exit code for that error.
int run_command_line(const std::vector<std::string>& arguments, watching disturbances = watching::on);

/// Returns every name that `loopbench explain` can explain.
std::vector<std::string> explainable_names();

/// Returns the shell completions of the last word in `words`, for the scripts in
/// bench/harness/cli/completion. `words` are the words after `loopbench`. The last word is incomplete and can
/// be empty. Each line of the result contains a candidate that begins with the last word, then a tab and the
/// meaning of the candidate. The result is empty if there are no candidates; the shell then completes file
/// names. Does not start any contender.
std::string completions(const CLI::App& app, std::span<const std::string> words);

/// Returns the man page in mdoc(7), generated from the options of `app`. help2man is not sufficient, because
/// it reads only one --help text and would merge all commands into one paragraph. `date` has mdoc's format,
/// for example "November 22, 2026".
std::string manual_page(const CLI::App& app, std::string_view date);

// Each of these functions adds one subcommand to `app`. If the command line names that subcommand, the parser
// sets `chosen` to the action of the subcommand.
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
