#include "bench/harness/cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace loopbench::bench {

namespace {

constexpr std::size_t columns_max = 100;
constexpr std::size_t description_column = 30;
constexpr const char* no_heading = "Options";

/// Returns the heading under which --help shows the option. Asks CLI11 for the name of the default group,
/// because this name depends on the version of CLI11.
std::string heading_of(const CLI::Option& option) {
    static const std::string default_group = CLI::OptionDefaults{}.get_group();
    return option.get_group() == default_group ? no_heading : option.get_group();
}

std::string wrapped(const std::string& text, std::size_t columns) {
    std::istringstream words{text};
    std::string out;
    std::size_t column = 0;
    for (std::string word; words >> word;) {
        const bool fits = column == 0 || column + 1 + word.size() <= columns;
        if (column > 0) out += fits ? ' ' : '\n';
        column = fits && column > 0 ? column + 1 + word.size() : word.size();
        out += word;
    }
    return out;
}

std::string help_row(const std::string& name, const std::string& description) {
    const std::string indent(description_column, ' ');
    auto out = "  " + name;
    const bool fits = out.size() < description_column;
    out += fits ? indent.substr(out.size()) : "\n" + indent;
    std::istringstream lines{wrapped(description, columns_max - description_column)};
    bool is_first = true;
    for (std::string line; std::getline(lines, line); is_first = false)
        out += (is_first ? "" : indent) + line + "\n";
    return out;
}

/// A formatter that shows options as `--name VALUE`. Unlike CLI11's formatter, it does not list the options
/// that an option excludes, because descriptions and error messages contain this information.
class plain_formatter : public CLI::Formatter {
public:
    plain_formatter() {
        label("Positionals", "Arguments");
        label("SUBCOMMAND", "COMMAND");
    }

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        return as_sentence(app->get_description()) + "\n" + make_usage(app, name) + make_positionals(app) +
               all_groups(*app) + make_subcommands(app, mode) + "\n" + app->get_footer() + "\n";
    }

    std::string all_groups(const CLI::App& app) const {
        std::string out;
        for (const auto& [heading, options] : grouped_options(app))
            out += make_group(heading, false, options);
        return out;
    }

    std::string make_subcommand(const CLI::App* command) const override {
        return help_row(command->get_name(), command->get_description());
    }

    std::string make_option(const CLI::Option* option, bool is_argument) const override {
        if (is_argument) return help_row(option->get_name(true), option->get_description());
        const auto value = option->get_type_size() == 0 ? "" : " " + option->get_type_name();
        return help_row(option->get_name(false, true) + value + (option->get_required() ? " (required)" : ""),
                        option->get_description());
    }

    std::string make_option_usage(const CLI::Option* option) const override {
        const auto name = option->get_name(true);
        return option->get_required() ? name : "[" + name + "]";
    }
};

std::size_t heading_rank(const std::string& name) {
    constexpr std::array order{heading::what,    heading::how_long, heading::trials,
                               heading::judging, heading::output,   no_heading};
    const auto* const found = std::ranges::find(order, std::string_view{name});
    return found == order.end() ? 0 : static_cast<std::size_t>(found - order.begin());
}

}  // namespace

void put_under(CLI::App& command, const char* heading) {
    for (auto* option : command.get_options())
        if (heading_of(*option) == no_heading && option != command.get_help_ptr()) option->group(heading);
}

std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> grouped_options(
    const CLI::App& command) {
    std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> groups;
    for (const auto* option : command.get_options()) {
        if (!option->nonpositional() || option == command.get_help_ptr()) continue;
        const auto name = heading_of(*option);
        auto found = std::ranges::find(groups, name, [](const auto& each) { return each.first; });
        if (found == groups.end()) {
            const auto rank = [](const auto& each) { return heading_rank(each.first); };
            found = groups.insert(std::ranges::upper_bound(groups, heading_rank(name), {}, rank), {name, {}});
        }
        found->second.push_back(option);
    }
    if (groups.empty() || (groups.back().first != heading::output && groups.back().first != no_heading))
        groups.emplace_back(no_heading, std::vector<const CLI::Option*>{});
    if (command.get_help_ptr() != nullptr) groups.back().second.push_back(command.get_help_ptr());
    return groups;
}

std::string examples_and(std::initializer_list<example> examples, std::string_view explanation) {
    std::string out = "Examples:\n";
    for (const auto& [command, about] : examples) out += fmt::format("  {}\n      {}\n", command, about);
    if (explanation.empty())
        out.pop_back();
    else
        out += fmt::format("\n{}", explanation);
    return out;
}

std::string with_capital(std::string text) {
    if (!text.empty())
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

std::string as_sentence(std::string text) {
    if (!text.empty() && !text.ends_with('.')) text += '.';
    return with_capital(std::move(text));
}

std::string first_sentence(std::string_view text) {
    const auto end = text.find(". ");
    if (end == std::string_view::npos && text.ends_with('.')) text.remove_suffix(1);
    return std::string{text.substr(0, end)};
}

std::shared_ptr<CLI::FormatterBase> help_formatter() {
    return std::make_shared<plain_formatter>();
}

}  // namespace loopbench::bench
