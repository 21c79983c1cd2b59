// loopbench list: shows contenders, workloads and metrics.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/parameter_groups.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/trial/describe.hpp"
#include "bench/harness/trial/process/interrupt.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

struct list_options {
    std::vector<std::string> contender_dirs;
    bool as_json = false;
};

struct listed_contender {
    contender who;
    reports::contender described;
};

std::optional<std::string> summary_of(const std::string& workload) {
    const auto* known = find_workload(workload);
    return known != nullptr ? std::optional{std::string{known->summary}} : std::nullopt;
}

json primary_metric_of(const std::string& workload) {
    const auto* known = find_workload(workload);
    if (known == nullptr) return nullptr;
    auto all = json::array();
    for (const auto metric : known->primary_metrics) all.push_back(metric);
    return all;
}

json pairing_of(const std::string& workload, bool of_one_program) {
    const auto* shape = find_shape(workload);
    return shape != nullptr ? json(name_of(shape->pairing_of_trials(of_one_program))) : json(nullptr);
}

json or_null(const std::optional<std::string>& text) {
    return text ? json(*text) : json(nullptr);
}

std::string as_json(const std::vector<listed_contender>& contenders,
                    const std::vector<std::string>& workloads) {
    json whole{{"contenders", json::array()}, {"workloads", json::array()}, {"metrics", json::array()}};
    for (const auto& [who, about] : contenders)
        whole["contenders"].push_back({{"name", who.name},
                                       {"library", or_null(about.library)},
                                       {"version", or_null(about.version)},
                                       {"context", about.context},
                                       {"workloads", who.workloads},
                                       {"problem", who.problem.empty() ? json(nullptr) : json(who.problem)}});
    for (const auto& workload : workloads)
        whole["workloads"].push_back({{"name", workload},
                                      {"summary", or_null(summary_of(workload))},
                                      {"primary_metrics", primary_metric_of(workload)},
                                      {"pairing", pairing_of(workload, false)},
                                      {"pairing_of_builds", pairing_of(workload, true)}});
    for (const auto& metric : reports::known_metrics())
        whole["metrics"].push_back({{"name", metric.name},
                                    {"unit", metric.unit},
                                    {"direction", reports::name_of(metric.better)},
                                    {"deterministic", metric.deterministic},
                                    {"summary", metric.summary}});
    return reports::dump(whole, 1) + "\n";
}

std::string about_contender(const listed_contender& listed) {
    const auto& [who, about] = listed;
    if (!who.problem.empty()) return who.problem;
    auto text = fmt::format("{} {}", about.library.value_or("-"), about.version.value_or("-"));
    if (const auto driver = reports::context_text(about.context, "driver")) text += ", " + *driver;
    if (const auto* const known = explanation_of(who.name)) text += ": " + first_sentence(known->text);
    return text;
}

struct listed_row {
    std::string name, text;
    bool is_headline = false;
};

std::string section(std::string_view heading, const std::vector<listed_row>& rows) {
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, reports::printable(row.name).size());
    auto out = fmt::format("{}\n", heading);
    for (const auto& row : rows)
        out += fmt::format("{} {:<{}}  {}\n", row.is_headline ? "*" : " ", reports::printable(row.name),
                           width, reports::printable(row.text));
    return out;
}

std::string as_text(const std::vector<listed_contender>& contenders,
                    const std::vector<std::string>& workloads) {
    std::vector<listed_row> rows;
    for (const auto& each : contenders)
        rows.push_back({each.who.name, about_contender(each), is_headline_contender(each.who.name)});
    auto out = section("contenders (*: measured by `run --quick`)", rows);
    rows.clear();
    for (const auto& group : grouped_by_parameters(workloads))
        rows.push_back({group.pattern, summary_of(group.names.front()).value_or("-"),
                        std::ranges::any_of(group.names, is_headline_workload)});
    out +=
        "\n" +
        section("workloads (*: a run without --workload measures at least one workload of the line)", rows);
    rows.clear();
    for (const auto& metric : reports::known_metrics())
        rows.push_back(
            {std::string{metric.name},
             fmt::format("{} ({}; {} is better{})", metric.summary, metric.unit,
                         reports::name_of(metric.better), metric.deterministic ? "; deterministic" : "")});
    return out + "\n" + section("metrics", rows);
}

int list(const list_options& options) {
    const interrupt stop;
    auto all = contenders_in(options.contender_dirs);
    for (auto& who : all) list_workloads(who, workload_size::full, probe_limit, stop.fd());
    std::vector<listed_contender> contenders;
    auto described = describe_all(all, {}, workload_size::full, probe_limit, stop.fd());
    for (std::size_t i = 0; i < all.size(); ++i) contenders.push_back({all[i], std::move(described[i])});
    if (stop.requested()) return exit_interrupted;
    const auto workloads = workloads_of(all);
    reports::write_standard_output(options.as_json ? as_json(contenders, workloads)
                                                   : as_text(contenders, workloads));
    return exit_ok;
}

}  // namespace

void add_list_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<list_options>();
    auto* command = app.add_subcommand("list", "lists contenders, workloads and metrics");
    command->add_flag("--json", options->as_json, "print JSON")->group(heading::output);
    add_contender_dirs(*command, options->contender_dirs);
    put_under(*command, "What to list");
    command->footer(examples_and(
        {{"loopbench list",
          "prints all names, with a line about each; {1,100} stands for the values of a parameter"},
         {"loopbench list --json", "prints the same names as JSON, with more details"}},
        "`loopbench explain NAME` describes one of them."));
    command->callback([options, &chosen] { chosen = [options](const auto&) { return list(*options); }; });
}

}  // namespace loopbench::bench
