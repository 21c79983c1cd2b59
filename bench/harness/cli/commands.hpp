// The list of commands. A new command needs a file in commands/, a line here and a line in command_line.cpp.
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

/// The invocation of the command.
struct invocation {
    std::vector<std::string> words;
    watching disturbances = watching::on;  // off: for tests, which run on busy machines
};

/// Runs the chosen command; returns the exit code.
using action = std::function<int(const invocation& by)>;

/// Parses the arguments, runs the command that they name, and turns errors into exit codes.
int run_command_line(const std::vector<std::string>& arguments, watching disturbances = watching::on);

/// Returns every name that `loopbench explain` knows.
std::vector<std::string> explainable_names();

/// Returns the candidates for the next word of a command line, for the shells' completion scripts
/// (bench/harness/cli/completion). They come from the command's own options, so that there is no second list.
/// `words` are the words after `loopbench`; the last one is being typed and may be empty. Each line is one
/// candidate that begins with it: the whole word, a tab and its meaning. The result is empty where a file
/// name is expected. Starts no contender.
std::string completions(const CLI::App& app, std::span<const std::string> words);

/// Returns the man page in mdoc(7), generated from the command's own options. help2man would not do: it reads
/// the --help of one command, and would merge the eight commands into one paragraph. `date` has mdoc's form:
/// "November 22, 2026".
std::string manual_page(const CLI::App& app, std::string_view date);

// Each function adds its subcommand; if the command line names it, parsing sets `chosen`.
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
