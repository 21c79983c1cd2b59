// Generates the man page from the options, as mdoc macros.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/machine/environment.hpp"

namespace loopbench::bench {

namespace {

/// Characters that roff would change, and their escapes. For example, roff turns a minus into a hyphen. A
/// shell does not accept this hyphen in a command that a user pastes. The escape of '|' permits a line break
/// after the '|'.
constexpr std::array<std::pair<char, std::string_view>, 7> roff_escapes{{{'\\', "\\e"},
                                                                         {'-', "\\-"},
                                                                         {'`', "\\(ga"},
                                                                         {'\'', "\\(aq"},
                                                                         {'^', "\\(ha"},
                                                                         {'~', "\\(ti"},
                                                                         {'|', "|\\:"}}};

std::string roff(std::string_view text) {
    std::string out = text.starts_with('.') ? "\\&" : "";
    for (const char c : text) {
        const auto* const known =
            std::ranges::find(roff_escapes, c, &std::pair<char, std::string_view>::first);
        if (known == roff_escapes.end())
            out += c;
        else
            out += known->second;
    }
    return out;
}

/// Returns the text with each sentence on its own line, as roff requires.
std::string lines_of(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto end = std::min(text.find(". "), text.size() - 1);
        out += roff(text.substr(0, end + 1)) + "\n";
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return out;
}

std::string paragraphs(const std::string& text) {
    std::istringstream lines{text};
    std::string out;
    bool begins = true, is_literal = false;
    for (std::string line; std::getline(lines, line);) {
        const bool is_indented = line.starts_with("  ");
        if (is_literal && !is_indented) out += ".Ed\n";
        if (is_indented && !is_literal) out += ".Bd -literal\n";
        is_literal = is_indented;
        if (!line.empty() && begins && !is_literal) out += ".Pp\n";
        out += is_literal ? roff(line) + "\n" : lines_of(line);
        begins = line.empty();
    }
    return out + (is_literal ? ".Ed\n" : "");
}

std::string term(const CLI::Option& option) {
    if (option.get_positional()) return "Ar " + roff(option.get_name(true));
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) names.push_back("Fl " + name);
    for (const auto& name : option.get_lnames()) names.push_back("Fl " + roff("-" + name));
    const auto all = fmt::format("{}", fmt::join(names, " , "));
    return takes_a_value(option) ? fmt::format("{} Ar {}", all, roff(option.get_type_name())) : all;
}

std::string option_list(const std::vector<const CLI::Option*>& options) {
    if (options.empty()) return {};
    std::string out = ".Bl -tag -width Ds\n";
    for (const auto* option : options)
        out +=
            fmt::format(".It {}\n{}", term(*option),
                        lines_of(option->get_description() +
                                 (option->get_required() && option->nonpositional() ? " (required)" : "")));
    return out + ".El\n";
}

std::string of_command(const CLI::App& command, const std::string& before = {}) {
    const auto arguments =
        command.get_options([](const CLI::Option* option) { return option->get_positional(); });
    const auto name = before + command.get_name();
    auto out = fmt::format(".Ss {0}\n.Nm Cm {0}\n.Op Ar options\n", name);
    for (const auto* argument : arguments)
        out += fmt::format(".{} {}\n", argument->get_required() ? "Ar" : "Op Ar", argument->get_name(true));
    out += fmt::format(".Pp\n{}\n", roff(as_sentence(command.get_description())));
    out += option_list(arguments);
    for (const auto& [heading, options] : grouped_options(command))
        out += fmt::format(".Pp\n{}:\n{}", roff(heading), option_list(options));
    out += paragraphs(command.get_footer());
    for (const auto* each : command.get_subcommands({})) out += of_command(*each, name + " ");
    return out;
}

std::string exit_status() {
    std::string out = ".Sh EXIT STATUS\n.Bl -tag -width Ds\n";
    for (const auto& [code, text] : exit_meanings)
        out += fmt::format(".It {}\n{}\n", static_cast<int>(code), roff(text));
    return out + ".El\n" + paragraphs(std::string{which_exit_code});
}

struct described {
    std::string_view name, text;
};

constexpr std::array variables{
    described{"LOOPBENCH_ASIO", "The loop of a program that uses loopbench's io_context: epoll or io_uring."},
    described{"LOOPBENCH_GENERATOR",
              "The client program of serve/open_loop. Without this variable, the installed program is used."},
    described{"LOOPBENCH_HISTORY", "The default history: a file, or postgresql://USER@HOST/DATABASE."},
    described{"NO_COLOR", "If this variable is not empty, the screen has no colours."},
    described{"PATH", "The folders with perf and strace, which count system calls."},
    described{"TERM", "If this variable is dumb, the screen has no colours."},
    described{"TMPDIR", "The folder for the temporary folders of trials (/tmp)."},
    described{"XDG_DATA_HOME, HOME", "The folder of the default history: see FILES."},
    described{"XDG_STATE_HOME, HOME", "The folder of the calibrations: see FILES."},
};

constexpr std::array files{
    described{"loopbench-report/, loopbench-compare/",
              "The output folders of run and of compare, unless --output names another one."},
    described{"loopbench-bisect/",
              "The output folder of bisect, with the working trees of the commits that it built."},
    described{"bisect.json", "In the output folder of bisect: the result, all steps and all builds."},
    described{"report.html", "In an output folder: the report as a page that works offline."},
    described{"report.json", "In an output folder: the report for programs and for the other commands."},
    described{"report.csv", "In an output folder: the report as a table."},
    described{"journal.jsonl", "In an output folder: every trial. run --resume and merge read this file."},
    described{"histograms.jsonl",
              "In an output folder: the histograms of latency and lateness of each trial."},
    described{"counts.json", "In an output folder, after run --counts: the system calls by name."},
    described{"$XDG_DATA_HOME/loopbench/history.db",
              "The default history. Without XDG_DATA_HOME, the folder is ~/.local/share."},
    described{
        "$XDG_STATE_HOME/loopbench/calibration*.json",
        "The results of calibrate on this machine. Without XDG_STATE_HOME, the folder is ~/.local/state."},
    described{
        "../libexec/loopbench/contenders/",
        "The contenders of an installed loopbench, relative to the folder of its executable. A loopbench "
        "that is not installed uses the folder contenders/ beside its executable."},
};

constexpr std::array examples{
    example{"loopbench doctor", "Checks whether this machine is fit for measurements."},
    example{"loopbench run --quick", "Measures the most important workloads in at most a minute."},
    example{"loopbench run --contender 'loop-*' --contender asio-epoll --workload echo",
            "Measures all echo workloads on the loops of this project and on the baseline."},
    example{"loopbench bisect v1.2 HEAD --program build/bench -- make bench",
            "Finds the commit after v1.2 that made the benchmark program slower."},
    example{
        "loopbench compare ./old ./new",
        "Compares two builds of a Google Benchmark program. Exit code 3 means that the new one is slower."},
    example{"loopbench compare --client echo ./old ./new -- {port}",
            "Compares two builds of an echo server."},
    example{"loopbench check --against baseline.json",
            "Measures again, and checks the results against a baseline file."},
    example{"loopbench report loopbench-report/report.json --format markdown",
            "Prints a report in another format."},
    example{"loopbench explain churn", "Explains a workload, metric, contender, parameter or term."},
};

template <class described_list>
std::string described_section(std::string_view title, std::string_view macro, const described_list& all) {
    auto out = fmt::format(".Sh {}\n.Bl -tag -width Ds\n", title);
    for (const auto& [name, text] : all)
        out += fmt::format(".It {} {}\n{}", macro, roff(name), lines_of(text));
    return out + ".El\n";
}

std::string example_section() {
    std::string out = ".Sh EXAMPLES\n";
    for (const auto& [command, about] : examples)
        out += fmt::format("{}.Pp\n.Dl {}\n.Pp\n", lines_of(about), roff(command));
    out.erase(out.size() - std::string_view{".Pp\n"}.size());
    return out;
}

}  // namespace

std::string manual_page(const CLI::App& app, std::string_view date) {
    auto out = fmt::format(
        ".Dd {}\n.Dt LOOPBENCH 1\n.Os loopbench {}\n.Sh NAME\n.Nm loopbench\n.Nd {}\n.Sh SYNOPSIS\n.Nm\n.Ar "
        "command\n.Op Ar options\n.Sh DESCRIPTION\n",
        date, loopbench_version(), roff(app.get_description()));
    out += option_list(app.get_options());
    for (const auto* command : app.get_subcommands({})) out += of_command(*command);
    out += described_section("ENVIRONMENT", "Ev", variables);
    out += described_section("FILES", "Pa", files);
    return out + exit_status() + example_section() +
           ".Sh LICENSE\n.Nm\nis distributed under the Boost Software License 1.0.\n";
}

}  // namespace loopbench::bench
