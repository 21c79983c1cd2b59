// Generates the man page from the options, as mdoc macros.
#include <fmt/format.h>

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

/// Characters that roff would change, and their escapes. For example, roff turns a minus into a hyphen, which
/// a shell does not accept in pasted text. The escape of '|' permits a line break after the '|'.
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

/// Converts lines of text to mdoc macros. An empty line ends a paragraph; indented lines keep their line
/// breaks.
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

/// Returns the names of an option as mdoc macros, such as "Fl o , Fl \-output Ar DIR".
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

/// Returns the sections of the man page for a command and its subcommands. `before` contains the names of the
/// command's parents.
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

}  // namespace

std::string manual_page(const CLI::App& app, std::string_view date) {
    auto out = fmt::format(
        ".Dd {}\n.Dt LOOPBENCH 1\n.Os loopbench {}\n.Sh NAME\n.Nm loopbench\n.Nd {}\n.Sh SYNOPSIS\n.Nm\n.Ar "
        "command\n.Op Ar options\n.Sh DESCRIPTION\n",
        date, loopbench_version(), roff(app.get_description()));
    out += option_list(app.get_options());
    for (const auto* command : app.get_subcommands({})) out += of_command(*command);
    return out + exit_status() + ".Sh LICENSE\n.Nm\nis distributed under the Boost Software License 1.0.\n";
}

}  // namespace loopbench::bench
