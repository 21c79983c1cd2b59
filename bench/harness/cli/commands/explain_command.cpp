// loopbench explain: explains workloads, metrics, contenders, parameters and terms.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/floor_exceptions.hpp"
#include "bench/catalog/pairing_reasons.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/glossary.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

std::string how_trials_are_run(const workload_shape& shape) {
    if (shape.pairing_of_trials(false) != shape.pairing_of_trials(true))
        return fmt::format(
            "sequential, one contender after the other on one core, because {}; a comparison of two builds "
            "of one program interleaves them",
            why_sequential(shape, false));
    if (shape.made == reports::pairing::interleaved)
        return "interleaved, all contenders on one core in alternating slices of two milliseconds, or of one "
               "batch or a few round trips on each connection if that takes longer";
    return fmt::format("sequential, one contender after the other on {}, because {}",
                       shape.cores > 1 ? "all cores" : "one core", why_sequential(shape, false));
}

std::string how_trials_are_run(std::string_view name) {
    std::vector<std::pair<std::string, std::vector<std::string_view>>> pairings;
    for (const workload_shape& shape : workload_table()) {
        if (find_workload(shape.name)->name != name) continue;
        const auto pairing = how_trials_are_run(shape);
        auto found = std::ranges::find(pairings, pairing, [](const auto& each) { return each.first; });
        if (found == pairings.end()) found = pairings.insert(found, {pairing, {}});
        found->second.push_back(shape.name.substr(std::min(name.size() + 1, shape.name.size())));
    }
    if (pairings.size() == 1) return pairings.front().first;
    std::vector<std::string> parts;
    for (const auto& [pairing, parameters] : pairings)
        parts.push_back(fmt::format("with {}: {}", fmt::join(parameters, ", "), pairing));
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string of_workload(const workload_info& info) {
    auto text = fmt::format(
        "{} (workload)\n  What it does:       {}.\n  Timed part:         {}\n  Dominated by:       {}\n",
        info.name, info.summary, info.timed, info.dominated);
    text += fmt::format("  Primary metrics:    {}.\n", fmt::join(info.primary_metrics, ", "));
    text += fmt::format("  How it is measured: {}.\n", how_trials_are_run(info.name));
    for (const auto& [front, metric, why] : floor_exceptions())
        if (front == info.name)
            text += fmt::format("  Floors:             {} can be below the value of the fastest floor: {}.\n",
                                metric, why);
    return text;
}

std::string of_metric(const reports::metric_info& metric) {
    return fmt::format(
        "{} (metric, {}; {} is better{})\n  Title:              {}.\n  Meaning:            {}.\n  How it is "
        "measured: {}\n",
        metric.name, metric.unit, reports::name_of(metric.better),
        metric.deterministic ? "; deterministic" : "", metric.title, metric.summary, metric.how);
}

std::string of_workloads(const std::string& name) {
    if (const auto* const one = find_workload(name)) return of_workload(*one);
    std::string text;
    for (const auto& info : workload_catalog())
        if (matches(name, info.name)) text += (text.empty() ? "" : "\n") + of_workload(info);
    return text;
}

std::string of_parameter(std::string_view name) {
    const auto key = name.substr(0, name.find(':'));
    const auto all = parameter_explanations();
    const auto known = std::ranges::find(all, key, &explanation::name);
    if (known == all.end()) return "";
    const auto wanted = fmt::format("/{}{}", name, key == name ? ":" : "");
    std::string out = fmt::format("{} (parameter)\n  {}\n", name, known->text);
    bool some = false;
    for (const workload_shape& shape : workload_table())
        if (const auto at = shape.name.find(wanted);
            at != std::string_view::npos && (key == name || at + wanted.size() == shape.name.size() ||
                                             shape.name[at + wanted.size()] == '/')) {
            out += fmt::format("  {}\n", shape.name);
            some = true;
        }
    return some ? out
                : out + fmt::format(
                            "  No workload has this value; `loopbench explain {}` lists all values.\n", key);
}

std::string of_term(const glossary_term& term) {
    auto text = fmt::format("{} (term)\n  {}.\n", term.name, with_capital(term.meaning));
    if (!term.spellings.empty())
        text += fmt::format("  In options, files and values: {}\n", fmt::join(term.spellings, ", "));
    return text;
}

struct known_name {
    std::string name;
    std::string_view kind;
    std::string description;
};

std::vector<known_name> known_names() {
    std::vector<known_name> all;
    for (const auto& info : workload_catalog())
        all.push_back({std::string{info.name}, "workload", std::string{info.summary}});
    for (const auto& metric : reports::known_metrics())
        all.push_back({std::string{metric.name}, "metric", std::string{metric.summary}});
    for (const auto& who : contender_explanations())
        all.push_back({std::string{who.name}, "contender", first_sentence(who.text)});
    for (const auto& each : parameter_explanations())
        all.push_back({std::string{each.name}, "parameter", std::string{each.text}});
    for (const auto& term : glossary()) all.push_back({term.name, "term", term.meaning});
    return all;
}

std::string everything_called(const std::string& name) {
    std::vector<std::string> texts{of_workloads(name)};
    if (const auto* const metric = reports::find_metric(name)) texts.push_back(of_metric(*metric));
    if (const auto* const who = explanation_of(name))
        texts.push_back(fmt::format("{} (contender)\n  {}\n", name, who->text));
    texts.push_back(of_parameter(name));
    for (const auto& term : glossary())
        if (term.is_called(name)) texts.push_back(of_term(term));
    std::erase(texts, "");
    return fmt::format("{}", fmt::join(texts, "\n"));
}

template <class predicate>
std::vector<known_name> names_that(predicate holds) {
    auto all = known_names();
    std::erase_if(all, [&](const known_name& each) { return !holds(each); });
    return all;
}

bool has_word(std::string_view text, const std::string& word) {
    const auto continues = [&](std::size_t at) {
        return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        if ((at == 0 || !continues(at - 1)) && !continues(at + word.size())) return true;
    return false;
}

std::vector<known_name> names_with(const std::string& word) {
    const auto small = in_small_letters(word);
    auto found = names_that(
        [&](const known_name& each) { return in_small_letters(each.name).find(small) != std::string::npos; });
    if (!found.empty()) return found;
    return names_that([&](const known_name& each) {
        return each.kind == "term" && has_word(in_small_letters(each.description), small);
    });
}

std::string listed(const std::string& word, const std::vector<known_name>& names) {
    std::size_t width = 0;
    for (const auto& each : names) width = std::max(width, each.name.size());
    auto text = fmt::format("{} names match \"{}\"; `loopbench explain NAME` explains one of them\n",
                            names.size(), word);
    for (const auto& [name, kind, description] : names)
        text += fmt::format("  {:<{}}  {:<9}  {}\n", name, width, kind, description);
    return text;
}

std::string text_on(const std::string& name) {
    if (auto text = everything_called(name); !text.empty()) return text;
    if (name.size() > 1 && name.ends_with('s'))
        if (auto text = everything_called(name.substr(0, name.size() - 1)); !text.empty()) return text;
    const auto found = names_with(name);
    if (found.empty()) return "";
    return found.size() == 1 ? everything_called(found.front().name) : listed(name, found);
}

int explain(const std::string& name) {
    const auto text = text_on(name);
    if (text.empty())
        throw_unknown("workload, metric, contender, parameter or term", name, explainable_names());
    reports::write_standard_output(text);
    return exit_ok;
}

}  // namespace

std::vector<std::string> explainable_names() {
    std::vector<std::string> names;
    for (auto& each : known_names()) names.push_back(std::move(each.name));
    return names;
}

void add_explain_command(CLI::App& app, action& chosen) {
    const auto words = std::make_shared<std::vector<std::string>>();
    auto* command = app.add_subcommand(
        "explain", "explains a workload, metric, contender, parameter or term, and how it is measured");
    command
        ->add_option(
            "NAME", *words,
            "a name from `loopbench list`, a part of such a name, a parameter, such as conns or conns:1000, "
            "or a term, such as block or A/A")
        ->required();
    command->footer(examples_and(
        {{"loopbench explain echo/rtt/tcp", "explains a workload"},
         {"loopbench explain churn", "lists the names that contain churn, or explains the only one"},
         {"loopbench explain conns", "explains a parameter, and lists the workloads that have it"},
         {"loopbench explain baseline file", "explains a term of docs/glossary.md"}},
        "docs/metrics.md explains all metrics, and docs/glossary.md the terms."));
    command->callback([words, &chosen] {
        chosen = [words](const auto&) { return explain(fmt::format("{}", fmt::join(*words, " "))); };
    });
}

}  // namespace loopbench::bench
