// loopbench doctor: is this machine fit to measure on?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/cli/commands.hpp"
#include "bench/engine/doctor.hpp"
#include "reports/json.hpp"
#include "reports/posix_io.hpp"

namespace loopbench::bench {

namespace {

std::string as_text(const std::vector<finding>& all) {
    std::string text;
    for (const auto& [about, how, found, remedy] : all)
        text += fmt::format("{:<22} {:<8} {}{}\n", about, name_of(how), found,
                            remedy.empty() ? "" : "; " + remedy);
    return text;
}

std::string as_json(const std::vector<finding>& all) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [about, how, found, remedy] : all)
        list.push_back(
            {{"about", about},
             {"severity", name_of(how)},
             {"found", found},
             {"remedy", remedy.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(remedy)}});
    return reports::dump({{"findings", std::move(list)}}, 1) + "\n";
}

int doctor(bool json) {
    const auto all = diagnose(examine_machine());
    reports::write_standard_output(json ? as_json(all) : as_text(all));
    return std::ranges::count(all, severity::unfit, &finding::how) > 0 ? exit_unfit : exit_ok;
}

}  // namespace

void add_doctor_command(CLI::App& app, action& chosen) {
    const auto json = std::make_shared<bool>(false);
    auto* command =
        app.add_subcommand("doctor", "whether this machine is fit to measure on, and what to do about it");
    command->add_flag("--json", *json, "the same as JSON");
    command->callback([json, &chosen] { chosen = [json](const auto&) { return doctor(*json); }; });
}

}  // namespace loopbench::bench
