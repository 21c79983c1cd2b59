// loopbench doctor: reports whether this machine is suitable for measurements.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/machine/doctor.hpp"
#include "bench/harness/trial/build_comparison.hpp"
#include "bench/harness/trial/describe.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

std::string as_text(const std::vector<finding>& all) {
    std::string text;
    for (const auto& [about, how, found, remedy] : all)
        text += reports::printable(fmt::format("{:<22} {:<8} {}{}", about, name_of(how), found,
                                               remedy.empty() ? "" : "; " + remedy)) +
                "\n";
    return text + "\n" + reports::printable(fitness_of(all).sentence) + "\n";
}

std::string as_json(const std::vector<finding>& all) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [about, how, found, remedy] : all)
        list.push_back(
            {{"about", about},
             {"severity", name_of(how)},
             {"found", found},
             {"remedy", remedy.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(remedy)}});
    const auto [how, sentence] = fitness_of(all);
    return reports::dump(
               {{"findings", std::move(list)}, {"fitness", name_of_fitness(how)}, {"summary", sentence}}, 1) +
           "\n";
}

struct doctor_options {
    bool json = false;
    std::vector<std::string> contender_dirs;
};

std::vector<reports::contender> describe_contenders(const doctor_options& options) {
    constexpr int never = -1;
    auto found = any_contenders_in(options.contender_dirs);
    for (auto& who : found) list_workloads(who, workload_size::small, probe_limit, never);
    return describe_all(found, {}, workload_size::small, probe_limit, never);
}

std::uint64_t open_files_needed() {
    return std::ranges::max(workload_table(), {}, &workload_shape::open_files).open_files;
}

int doctor(const doctor_options& options) {
    // The machine is examined first, because describe_contenders() starts contenders, which add load.
    auto all = diagnose(examine_machine(), open_files_needed());
    all.push_back(diagnose_builds(describe_contenders(options)));
    reports::write_standard_output(options.json ? as_json(all) : as_text(all));
    return fitness_of(all).how == severity::unreliable ? exit_unreliable : exit_ok;
}

}  // namespace

void add_doctor_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<doctor_options>();
    auto* command = app.add_subcommand(
        "doctor", "checks whether this machine can measure reliably, and says how to improve it");
    command->add_flag("--json", options->json, "print JSON")->group(heading::output);
    add_contender_dirs(*command, options->contender_dirs);
    put_under(*command, "What to check");
    command->footer(
        examples_and({{"loopbench doctor",
                       "prints one line per property of the machine, and whether it is fit for measurements"},
                      {"loopbench doctor --json", "prints the same properties as JSON"}},
                     "Exit code 5 means that at least one property makes measurements unreliable."));
    command->callback([options, &chosen] { chosen = [options](const auto&) { return doctor(*options); }; });
}

}  // namespace loopbench::bench
