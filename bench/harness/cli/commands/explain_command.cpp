// loopbench explain: explains workloads, metrics, contenders and parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/floor_exceptions.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

std::string_view how_trials_are_run(const workload_shape& shape) {
    if (shape.pairing_of_trials(false) != shape.pairing_of_trials(true))
        return "sequential, one contender after the other on one core; a comparison of two builds of one "
               "program interleaves them";
    if (shape.made == reports::pairing::interleaved)
        return "interleaved, all contenders on one core in alternating slices of two milliseconds, or of one "
               "batch or a few rounds of all connections if that takes longer";
    return shape.cores > 1 ? "sequential, one contender after the other on all cores"
                           : "sequential, one contender after the other on one core";
}

/// Describes the pairing of a workload. If the pairing depends on the parameters, lists the parameters for
/// each pairing.
std::string how_trials_are_run(std::string_view name) {
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> pairings;
    for (const workload_shape& shape : workload_table()) {
        if (find_workload(shape.name)->name != name) continue;
        const auto pairing = how_trials_are_run(shape);
        auto found = std::ranges::find(pairings, pairing, [](const auto& each) { return each.first; });
        if (found == pairings.end()) found = pairings.insert(found, {pairing, {}});
        found->second.push_back(shape.name.substr(std::min(name.size() + 1, shape.name.size())));
    }
    if (pairings.size() == 1) return std::string{pairings.front().first};
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

/// Explains the workload with this name, with or without parameters. If there is no such workload, explains
/// all workloads whose names begin with this name.
std::string of_workloads(const std::string& name) {
    if (const auto* const one = find_workload(name)) return of_workload(*one);
    std::string text;
    for (const auto& info : workload_catalog())
        if (matches(name, info.name)) text += (text.empty() ? "" : "\n") + of_workload(info);
    return text;
}

/// Explains a parameter, such as "conns" or "conns:1000", and lists the workloads that have this parameter.
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

int explain(const std::string& name) {
    std::string text = of_workloads(name);
    if (const auto* const metric = reports::find_metric(name)) text = of_metric(*metric);
    if (const auto* const who = explanation_of(name))
        text = fmt::format("{} (contender)\n  {}\n", name, who->text);
    if (text.empty()) text = of_parameter(name);
    if (text.empty()) throw_unknown("workload, metric, contender or parameter", name, explainable_names());
    reports::write_standard_output(text);
    return exit_ok;
}

}  // namespace

std::vector<std::string> explainable_names() {
    std::vector<std::string> names;
    for (const auto& info : workload_catalog()) names.emplace_back(info.name);
    for (const auto& metric : reports::known_metrics()) names.emplace_back(metric.name);
    for (const auto& who : contender_explanations()) names.emplace_back(who.name);
    for (const auto& each : parameter_explanations()) names.emplace_back(each.name);
    return names;
}

void add_explain_command(CLI::App& app, action& chosen) {
    const auto name = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "explain", "explains a workload, metric, contender or parameter, and how it is measured");
    command
        ->add_option(
            "NAME", *name,
            "a name from `loopbench list`, the beginning of a workload's name, or a parameter, such as "
            "conns or conns:1000")
        ->required();
    command->footer(examples_and(
        {{"loopbench explain echo/rtt/tcp", "explains a workload"},
         {"loopbench explain late_p99", "explains a metric"},
         {"loopbench explain conns", "explains a parameter, and lists the workloads that have it"}},
        "docs/metrics.md explains all metrics, and docs/glossary.md the terms."));
    command->callback([name, &chosen] { chosen = [name](const auto&) { return explain(*name); }; });
}

}  // namespace loopbench::bench
