#include "bench/harness/cli/commands/check_session.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/count_pass.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

std::vector<contender> chosen_of(const std::vector<contender>& found, const std::vector<std::string>& names,
                                 const std::string& named_by) {
    std::vector<contender> chosen;
    for (const auto& name : names) {
        const auto who = std::ranges::find(found, name, &contender::name);
        if (who == found.end())
            throw usage_error{
                "{} contains the contender {}, which does not exist here; build it, use --contender-dir with "
                "its folder, or choose others with --contender",
                named_by, name};
        chosen.push_back(*who);
    }
    return chosen;
}

}  // namespace

check_session::check_session(const check_options& options, const std::vector<std::string>& names,
                             const std::string& named_by, const invocation& by)
    : options_{options},
      by_{by},
      contenders_{chosen_of(contenders_in(options.session.contender_dirs), names, named_by)},
      plan_{sized_plan(usual_gate_plan(), options.session)} {
    report_inherited_flags();
    const auto started = session_start::clock::now();
    for (auto& who : contenders_)
        list_within_budget(who, workload_size::small, plan_.budget, started, stop_.fd());
    stop_.throw_if_requested();
    listing_took_ = session_start::clock::now() - started;
}

const contender& check_session::find(const std::string& name) const {
    return *std::ranges::find(contenders_, name, &contender::name);
}

bool check_session::has(const cell_name& cell) const {
    const auto& workloads = find(cell.contender).workloads;
    return std::ranges::find(workloads, cell.workload) != workloads.end();
}

std::vector<counted_result> check_session::count(std::span<const cell_name> cells, std::uint64_t number) {
    std::vector<cell_to_count> wanted;
    std::vector<counted_result> without;
    for (const auto& cell : cells) {
        const auto& who = find(cell.contender);
        if (const auto why = exclusion_before(who, cell.workload))
            without.push_back({cell.workload, cell.contender, {}, {why->reason}, !who.problem.empty()});
        else if (counts_vary(cell.workload))
            without.push_back(
                {cell.workload,
                 cell.contender,
                 {},
                 {"the counts of several threads vary, so a baseline file cannot contain them"}});
        else
            wanted.push_back({&who, cell.workload});
    }
    const std::filesystem::path output = options_.session.output;
    const auto folder = number == 0 ? output : output / "again";
    reports::prepare_output_folder(folder);
    auto counted = count_cells(wanted, folder, plan_.trial_limit, stop_.fd());
    stop_.throw_if_requested();
    std::ranges::move(without, std::back_inserter(counted));
    return counted;
}

run_plan check_session::plan_for(const expected_times& times, std::span<const cell_name> cells,
                                 session_start started) const {
    auto plan = plan_;
    plan.size = times.size;
    plan.baseline = times.to;
    std::vector<std::string> names{times.to};
    for (const auto& cell : cells) {
        add_once(plan.workloads, cell.workload);
        add_once(names, cell.contender);
    }
    for (const auto& name : names) plan.contenders.push_back(find(name));
    for (auto& who : plan.contenders) list_within_budget(who, plan.size, plan.budget, started, stop_.fd());
    complete_plan(plan, stop_, started);
    std::map<std::string, reports::pairing> pairings;
    for (const auto& ratio : times.ratios) pairings.emplace(ratio.workload, ratio.made);
    choose_pairings(plan, pairings);
    return plan;
}

reports::report check_session::measure(const expected_times& times, std::span<const cell_name> cells,
                                       std::uint64_t number) {
    const auto started =
        session_start::clock::now() - (number == 0 ? listing_took_ : std::chrono::nanoseconds{0});
    auto plan = plan_for(times, cells, started);
    plan.seed = (plan.seed + number) % (largest_seed + 1);
    const auto folder = std::filesystem::path{options_.session.output} / (number == 0 ? "first" : "second");
    const auto run = bench::measure(std::move(plan), {folder, by_, stop_, started});
    stop_.throw_if_requested();
    if (run.unwritten) throw *run.unwritten;
    auto report = report_of(run.record);
    reports::write_file_atomically(folder / "report.json", reports::write_json(report));
    return report;
}

}  // namespace loopbench::bench
