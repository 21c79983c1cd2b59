// A new command needs a file in commands/, a declaration in this file and a call in command_line.cpp.
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

struct invocation {
    std::vector<std::string> words;
    watching disturbances = watching::on;  // tests use `off`, because test machines are busy
};

using action = std::function<int(const invocation& by)>;

int run_command_line(const std::vector<std::string>& arguments, watching disturbances = watching::on);

std::vector<std::string> explainable_names();

/// Returns the completions of the last word for the scripts in bench/harness/cli/completion. `words` are the
/// words of the command line after `loopbench`. Each line of the text contains a candidate, a tab and the
/// candidate's meaning. If the text is empty, the shell completes file names.
std::string completions(const CLI::App& app, std::span<const std::string> words);

/// Returns the man page in mdoc(7). help2man is not sufficient, because it reads only one --help text and
/// would merge all commands into one paragraph. `date` has the form "November 22, 2026".
std::string manual_page(const CLI::App& app, std::string_view date);

// Each of these functions adds one subcommand to `app`. If the command line names this subcommand, the parser
// sets `chosen` to the subcommand's action.
void add_list_command(CLI::App& app, action& chosen);
void add_run_command(CLI::App& app, action& chosen);
void add_bisect_command(CLI::App& app, action& chosen);
void add_calibrate_command(CLI::App& app, action& chosen);
void add_compare_command(CLI::App& app, action& chosen);
void add_check_command(CLI::App& app, action& chosen);
void add_doctor_command(CLI::App& app, action& chosen);
void add_merge_command(CLI::App& app, action& chosen);
void add_report_command(CLI::App& app, action& chosen);
void add_history_command(CLI::App& app, action& chosen);
void add_explain_command(CLI::App& app, action& chosen);

}  // namespace loopbench::bench
