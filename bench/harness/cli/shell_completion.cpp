// Finds the candidates for shell completion: options, their values, and known names.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

using words_typed = std::span<const std::string>;

struct candidate {
    std::string word;
    std::string meaning;
};
using candidate_list = std::vector<candidate>;

candidate_list options_of(const CLI::App& app) {
    candidate_list all;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) all.push_back({"--" + name, option->get_description()});
    return all;
}

candidate_list commands_of(const CLI::App& app) {
    candidate_list all;
    for (const auto* command : app.get_subcommands({}))
        all.push_back({command->get_name(), command->get_description()});
    return all;
}

std::vector<std::string> contender_folders_in(words_typed words) {
    constexpr std::string_view option = "--contender-dir", with_value = "--contender-dir=";
    std::vector<std::string> folders;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto folder = words[i].starts_with(with_value)  ? words[i].substr(with_value.size())
                            : i > 0 && words[i - 1] == option ? words[i]
                                                              : std::string{};
        if (std::filesystem::is_directory(folder)) folders.push_back(folder);
    }
    return folders;
}

candidate_list values_of(const CLI::Option& option, words_typed words) {
    const auto name = option.get_name(), type = option.get_type_name();
    candidate_list all;
    const auto add = [&](std::string_view word, std::string_view meaning = {}) {
        all.push_back({std::string{word}, std::string{meaning}});
    };
    if (type.find('|') != std::string::npos)
        for (const auto& word : CLI::detail::split(type, '|')) add(word);
    else if (name == "--workload")
        for (const workload_shape& shape : workload_table())
            add(shape.name, find_workload(shape.name)->summary);
    else if (name == "--contender" || name == "--baseline")
        for (const auto& who : any_contenders_in(contender_folders_in(words))) {
            const auto* const known = explanation_of(who.name);
            add(who.name, known != nullptr ? known->text : "");
        }
    else if (name == "--metric")
        for (const auto& metric : reports::known_metrics()) add(metric.name, metric.summary);
    else if (name == "NAME")
        for (const auto& each : explainable_names()) add(each);
    return all;
}

const CLI::Option* option_that_takes_a_value(const CLI::App& command, const std::string& word) {
    if (!word.starts_with('-')) return nullptr;
    const auto* const option = command.get_option_no_throw(word);
    return option != nullptr && takes_a_value(*option) ? option : nullptr;
}

candidate_list values_after_equals(const CLI::App& command, words_typed words) {
    const auto front = words.back().substr(0, words.back().find('=') + 1);
    const auto* const option = option_that_takes_a_value(command, front.substr(0, front.size() - 1));
    auto all = option != nullptr ? values_of(*option, words) : candidate_list{};
    for (auto& each : all) each.word.insert(0, front);
    return all;
}

candidate_list arguments_of(const CLI::App& command, words_typed words) {
    const auto positionals = command.get_options([](const auto* option) { return option->get_positional(); });
    return positionals.empty() ? options_of(command) : values_of(*positionals.front(), words);
}

candidate_list in_command(const CLI::App& command, words_typed words) {
    const auto& typed = words.back();
    const bool is_option = typed.starts_with('-');
    if (is_option && typed.find('=') != std::string::npos) return values_after_equals(command, words);
    if (words.size() > 1)
        if (const auto* const option = option_that_takes_a_value(command, words[words.size() - 2]))
            return values_of(*option, words);
    return is_option ? options_of(command) : arguments_of(command, words);
}

candidate_list what_follows(const CLI::App& app, words_typed words) {
    if (words.size() == 1) return words.front().starts_with('-') ? options_of(app) : commands_of(app);
    const auto command =
        app.get_subcommands([&](const CLI::App* each) { return each->get_name() == words.front(); });
    if (command.empty()) return {};
    const bool has_commands = !command.front()->get_subcommands({}).empty();
    return has_commands ? what_follows(*command.front(), words.subspan(1))
                        : in_command(*command.front(), words.subspan(1));
}

}  // namespace

std::string completions(const CLI::App& app, words_typed words) {
    if (words.empty()) return {};
    std::string out;
    for (const auto& [word, meaning] : what_follows(app, words))
        if (word.starts_with(words.back())) out += fmt::format("{}\t{}\n", word, meaning);
    return out;
}

}  // namespace loopbench::bench
