// Parses the command line, runs the chosen command, and turns errors into exit codes.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <locale>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/keep_report.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/cli/version.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/trial/process/interrupt.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    const auto near = nearest(word, known, 1);
    return near.empty() ? "" : fmt::format(" did you mean {}?", near.front());
}

/// Throws usage_error for a missing or unknown command. CLI11's own error would not suggest the nearest
/// command.
void check_command_name(const CLI::App& app, std::span<const std::string> arguments,
                        const std::string& called = "loopbench") {
    const auto known = subcommand_names(app);
    if (known.empty()) return;
    if (arguments.empty())
        throw usage_error{"the command is missing; use one of {} (`{} --help` describes them)",
                          fmt::join(known, ", "), called};
    const auto& name = arguments.front();
    if (name == "--help" || name == "-h" || name == "--version") return;
    if (name.starts_with('-'))
        throw usage_error{
            "{} does not accept the option {} before the command; begin with one of the commands {}", called,
            name, fmt::join(known, ", ")};
    if (std::ranges::find(known, name) == known.end())
        throw usage_error{"{} is not a command;{} `{} --help` lists all commands", name,
                          suggestion(name, known), called};
    check_command_name(*app.get_subcommand(name), arguments.subspan(1), called + " " + name);
}

const CLI::App& chosen_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : chosen_command(*chosen.front());
}

/// Makes CLI11 accept unknown arguments, so that check_leftovers() can report them.
void prepare_commands(CLI::App& app) {
    for (auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        command->allow_extras();
        command->group("Commands");
        prepare_commands(*command);
    }
}

std::string full_name(const CLI::App& command) {
    const auto* parent = command.get_parent();
    if (parent == nullptr || parent->get_parent() == nullptr) return command.get_name();
    return full_name(*parent) + " " + command.get_name();
}

void check_leftovers(const CLI::App& app, const CLI::App& command) {
    auto left = app.remaining(true);
    std::erase(left, "--");  // CLI11 keeps "--" among the remaining words
    if (left.empty()) return;
    const auto flag = std::ranges::find_if(left, [](const auto& word) { return word.starts_with('-'); });
    if (flag == left.end()) {
        const bool chooses = command.get_option_no_throw("--workload") != nullptr;
        throw usage_error{
            "{} does not accept the argument {}; {}", full_name(command), left.front(),
            chooses ? fmt::format("did you mean --workload {}?", left.front()) : "leave it out"};
    }
    std::vector<std::string> known;
    for (const auto* option : command.get_options())
        for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    const auto word = flag->substr(0, flag->find('='));
    throw usage_error{"{} has no option {};{} `loopbench {} --help` lists all options", full_name(command),
                      word, suggestion(word, known), full_name(command)};
}

const std::initializer_list<example> common_examples{
    {"loopbench run --quick", "measures the most important workloads in at most a minute"},
    {"loopbench compare ./old ./new", "compares two builds of a Google Benchmark program"},
    {"loopbench explain echo/rtt/tcp", "describes a workload, and how it is measured"}};

std::string exit_codes() {
    std::string out = "Exit codes:\n";
    for (const auto& [code, text] : exit_meanings)
        out += fmt::format("  {:<3}  {}\n", static_cast<int>(code), text);
    return out + std::string{which_exit_code};
}

std::optional<std::string> for_programs(const CLI::App& app, std::span<const std::string> words) {
    if (words.size() < 2) return std::nullopt;
    if (words[0] == "complete" && words[1] == "--") return completions(app, words.subspan(2));
    if (words[0] == "manual") return manual_page(app, words[1]);
    return std::nullopt;
}

/// Opens /dev/null in place of each closed standard stream. Otherwise the next opened file would get the
/// descriptor of the closed stream, and printed text would be written into that file. /dev/null is opened for
/// writing as standard input, and for reading as the two outputs, so that using such a stream still fails.
void keep_standard_streams_apart() {
    constexpr std::array<int, 3> wrong_way{O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; ++fd)
        if (::fcntl(fd, F_GETFD) == -1) ::open("/dev/null", wrong_way[static_cast<std::size_t>(fd)]);
}

/// Prints the error to standard error. Hides passwords in URLs, because an error message can contain a URL
/// from the command line.
void tell_error(const std::exception& error, const std::vector<std::string>& arguments) {
    std::string message = error.what();
    for (const auto& argument : arguments)
        if (const auto at = message.find(argument); at != std::string::npos)
            message.replace(at, argument.size(), without_password_in(argument));
    std::istringstream words{message};
    std::string shown;
    for (std::string word; std::getline(words, word, ' ');) shown += " " + without_password_in(word);
    tell("loopbench:{}\n", shown);
}

/// CLI11 2.5 and later remove the thousands separator of the global C++ locale from numbers. The classic
/// locale has one, too: the comma, so that "2,5%" would be 25 %.
void refuse_thousands_separators() {
    struct without_separator : std::numpunct<char> {
        char do_thousands_sep() const override { return '\0'; }  // cannot be in an argument
    };
    std::locale::global(std::locale{std::locale::classic(), new without_separator});
}

int command_line(const std::vector<std::string>& arguments, watching disturbances) {
    refuse_thousands_separators();
    CLI::App app{"measures the cost of event loops, and compares the loops in paired, interleaved trials",
                 "loopbench"};
    app.formatter(help_formatter());
    app.set_help_flag("-h,--help", "show this help");
    app.set_version_flag("--version", version_text(), "show the version, and how loopbench was built");
    app.require_subcommand(1);
    app.allow_extras();
    action chosen;
    add_list_command(app, chosen);
    add_run_command(app, chosen);
    add_compare_command(app, chosen);
    add_check_command(app, chosen);
    add_bisect_command(app, chosen);
    add_calibrate_command(app, chosen);
    add_doctor_command(app, chosen);
    add_merge_command(app, chosen);
    add_report_command(app, chosen);
    add_history_command(app, chosen);
    add_explain_command(app, chosen);
    prepare_commands(app);
    // The footer is set after all commands were added, because a command inherits the footer that exists when
    // it is added.
    app.footer(examples_and(common_examples, exit_codes()));
    if (const auto text = for_programs(app, arguments)) {
        reports::write_standard_output(*text);
        return exit_ok;
    }
    check_command_name(app, arguments);
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::Success& wanted) {
        std::ostringstream text;
        app.exit(wanted, text, text);
        reports::write_standard_output(text.str());
        return exit_ok;
    } catch (const CLI::ParseError& error) {
        throw usage_error{"{}; `loopbench {} --help` describes the options", error.what(), arguments.front()};
    }
    check_leftovers(app, chosen_command(app));
    invocation by{{"loopbench"}, disturbances};
    by.words.insert(by.words.end(), arguments.begin(), arguments.end());
    return chosen(by);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, watching disturbances) {
    keep_standard_streams_apart();
    // If SIGXFSZ is ignored, a write beyond the file size limit (ulimit -f) fails with an error message
    // instead of ending the process.
    ::signal(SIGXFSZ, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    // loopbench inherits an ignored SIGCHLD from the program that started it. The kernel would then reap
    // loopbench's children, and their exit status would be lost. Therefore the default action is restored.
    ::signal(SIGCHLD, SIG_DFL);
    adopt_orphans();
    try {
        return command_line(arguments, disturbances);
    } catch (const usage_error& error) {
        tell_error(error, arguments);
        return exit_usage;
    } catch (const reports::format_error& error) {
        tell_error(error, arguments);
        return exit_usage;
    } catch (const interrupted&) {
        return exit_interrupted;
    } catch (const std::filesystem::filesystem_error& error) {
        tell("loopbench: cannot use {}: {}; use another path\n", error.path1().native(),
             error.code().message());
        return exit_tool_failed;
    } catch (const std::bad_alloc&) {
        tell_raw(
            "loopbench: there is not enough memory; end other programs, or raise the limit (ulimit -v)\n");
        return exit_tool_failed;
    } catch (const std::exception& error) {
        tell_error(error, arguments);
        return exit_tool_failed;
    }
}

}  // namespace loopbench::bench
