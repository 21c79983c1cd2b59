#include "bench/harness/summary/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "bench/harness/experiment/merge.hpp"
#include "bench/harness/statistics/correction.hpp"
#include "bench/harness/statistics/sign_test.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/asio_loops.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using reports::report;
using reports::result;
using warning_list = std::vector<reports::warning>;
using texts = std::vector<std::string>;

void warn_of_missing_shards(warning_list& all, const run_outcome& outcome) {
    const auto of = outcome.merged.front().part.of;
    texts parts;
    if (const auto missing = missing_from(outcome.merged); !missing.empty())
        parts.push_back(fmt::format("{} missing", shards_text(missing, of)));
    std::vector<std::uint64_t> cut;
    std::uint64_t finished = 0;
    for (const auto& one : outcome.merged) {
        finished += one.blocks_finished;
        if (!one.finished) cut.push_back(one.part.number);
    }
    if (!cut.empty()) parts.push_back(fmt::format("{} unfinished", shards_text(cut, of)));
    all.push_back({std::string{reports::missing_shards_code},
                   fmt::format("{}, so the report contains only {} of {} blocks", fmt::join(parts, ", "),
                               finished, outcome.blocks_planned),
                   "run the missing blocks (`loopbench run --shard`, or `run --resume`), and merge again"});
}

void warn_of_the_end(warning_list& all, const run_plan& plan, const run_outcome& outcome) {
    if (plan.part)
        all.push_back(
            {std::string{reports::shard_code},
             fmt::format("the report covers only shard {} of {}, with {} of {} blocks", plan.part->number,
                         plan.part->of, plan.part->count(plan.blocks), plan.blocks),
             "merge the folders of all shards (`loopbench merge DIR... -o DIR`), and read the merged "
             "report"});
    if (outcome.interrupted && !outcome.merged.empty())
        warn_of_missing_shards(all, outcome);
    else if (outcome.interrupted)
        all.push_back(
            {"interrupted",
             fmt::format("the run was interrupted after {} of {} blocks", outcome.blocks_finished,
                         outcome.blocks_planned),
             "finish the run with `loopbench run --resume DIR`, where DIR is the folder of the run, "
             "before another run writes there"});
    if (outcome.budget_spent)
        all.push_back({"budget",
                       fmt::format("only {} of {} blocks fit into the time budget", outcome.blocks_finished,
                                   outcome.blocks_planned),
                       "use a longer --budget, or choose fewer contenders or workloads"});
}

bool too_few_for_any_verdict(const result& item) {
    return item.judged == reports::verdict::inconclusive && item.to_baseline && !item.detectable_pct;
}

/// Returns the number of blocks that the verdicts need: the maximum over the families with too few blocks.
/// With this number, one more comparison of each family can be significant (level_for_one_more).
std::uint64_t blocks_for_verdicts(const run_plan& plan, const report& found) {
    const reports::report_index index{found};
    std::map<std::pair<std::string_view, bool>, std::vector<const result*>> families;
    for (const auto& item : found.results)
        if (item.judged) families[{item.metric, index.is_about(item)}].push_back(&item);
    std::size_t most = 0;
    for (const auto& [family, members] : families) {
        if (std::ranges::none_of(members, [](const auto* item) { return too_few_for_any_verdict(*item); }))
            continue;
        const auto differ = static_cast<std::size_t>(
            std::ranges::count_if(members, [](const auto* item) { return is_difference(item->judged); }));
        most = std::max(
            most, fewest_pairs(level_for_one_more(differ, members.size(), verdict_rule{}.alpha(), plan.how)));
    }
    return most;
}

/// Returns the remedy if the ratios need `enough` values.
std::string more_values(const run_plan& plan, const run_outcome& outcome, std::uint64_t enough) {
    const auto layouts = plan.layout_pairs();
    const bool is_planned = plan.blocks >= enough && (layouts == 0 || layouts >= enough);
    return outcome.budget_spent && is_planned
               ? fmt::format("use a --budget that is enough for {} blocks", enough)
               : more_pairs(plan, enough);
}

/// Warns if there are too few blocks, hosts or layouts for the intervals, the verdicts or the requested
/// precision. A shard gets no warning of too few blocks or hosts, because its results are not judged.
void warn_of_too_few(warning_list& all, const run_plan& plan, const run_outcome& outcome,
                     const report& found) {
    const auto enough = std::max(blocks_for_verdicts(plan, found), fewest_pairs(verdict_rule{}.alpha()));
    const auto layouts = found.plan->layouts;
    if (!plan.part &&
        std::ranges::any_of(found.results, [](const auto& item) { return item.median && !item.low; }))
        all.push_back({"few_trials",
                       "some results have no interval: a 95 % interval of a median needs six trials",
                       more_values(plan, outcome, enough)});
    else if (!plan.part && std::ranges::any_of(found.results, too_few_for_any_verdict)) {
        if (machines_of(outcome).size() > 1)
            all.push_back(
                {"few_hosts", "some verdicts need more hosts",
                 fmt::format("run shards on at least {} machines, or compare fewer results", enough)});
        else
            all.push_back({"few_blocks",
                           fmt::format("some verdicts need more {}",
                                       layouts && *layouts < enough ? "layouts" : "blocks"),
                           more_values(plan, outcome, enough) + ", or compare fewer results"});
    }
    const auto differs_in_time = [](const result& item) {
        return item.metric == "time" && is_difference(item.judged);
    };
    const bool of_commands = plan.workloads == std::vector<std::string>{"command"};
    if (plan.tolerated_pct && !layouts && !of_commands && std::ranges::any_of(found.results, differs_in_time))
        all.push_back(
            {"one_layout",
             "each build has one layout, and code placement alone can change times, in tight loops by much",
             "link each build several times with its functions in different orders, and compare the "
             "two folders (`loopbench compare --help`)"});
    if (layouts && outcome.blocks_planned > *layouts)
        all.push_back(
            {"few_layouts",
             fmt::format("{} blocks share {} layouts of each build, so all blocks with the same pair of "
                         "layouts count as one block in every ratio, verdict and interval",
                         outcome.blocks_planned, *layouts),
             fmt::format("link at least {} layouts of each build (`loopbench compare --help`){}",
                         outcome.blocks_planned,
                         *layouts < enough ? "" : fmt::format(", or use --blocks {}", *layouts))});
    if (layouts && plan.precision_pct && outcome.blocks_planned >= *layouts)
        all.push_back(
            {"few_layouts_for_precision",
             fmt::format("a precision of {:g} % was requested, but the run has at most {} blocks, "
                         "because it uses each layout of a build in only one block",
                         *plan.precision_pct, *layouts),
             "if an interval is too wide, link more layouts of each build (`loopbench compare --help`)"});
}

std::string path_to_client(const report& found) {
    const auto median_of = [&](std::string_view metric) {
        const auto item = std::ranges::find_if(
            found.results, [&](const auto& each) { return each.metric == metric && each.median; });
        return item == found.results.end() ? std::optional<double>{} : item->median;
    };
    const auto half = median_of("path_rtt_p50"), most = median_of("path_rtt_p99"),
               rate = median_of("path_rate");
    if (!half || !most || !rate) return "the speed of the network path is unknown";
    return fmt::format("a network round trip takes {} (p99: {}), and the network path carries {:.0f} MB/s",
                       reports::human_time(*half), reports::human_time(*most), *rate / 1e6);
}

texts drifted_workloads(const report& found) {
    texts all;
    if (!found.aa) return all;
    for (const auto& item : found.aa->comparisons)
        if (item.drifted) all.push_back(fmt::format("{} ({:+.1f} %)", item.workload, *item.drift_pct));
    return all;
}

texts ratios_that_differ(const report& found) {
    std::vector<std::pair<double, std::string>> all;
    for (const auto& item : found.results) {
        if (!item.by_host || !item.by_host->differ) continue;
        texts parts;
        const auto& ratios = item.by_host->ratios;
        for (std::size_t host = 0; host < ratios.size(); ++host)
            if (ratios[host]) parts.push_back(fmt::format("{:.3f} on host {}", *ratios[host], host + 1));
        constexpr std::size_t few = 4;
        if (parts.size() > few) parts = {fmt::format("{} hosts", parts.size())};
        all.emplace_back(widest_gap(*item.by_host),
                         fmt::format("{} of {} on {} ({})", reports::title_of_metric(item.metric),
                                     item.contender, item.workload, fmt::join(parts, ", ")));
    }
    std::ranges::sort(all, std::greater{});
    texts sorted;
    for (auto& [gap, text] : all) sorted.push_back(std::move(text));
    return sorted;
}

/// Returns a text for each workload on which the contenders waited for the core for different shares of their
/// time. Ignores differences of up to 5 percentage points, which are due to the start and the end of the
/// processes.
texts unequally_busy(const run_plan& plan, const sample_table& samples) {
    constexpr double explained = 0.05;
    texts all;
    for (std::size_t workload = 0; workload < plan.workloads.size(); ++workload) {
        std::vector<std::pair<double, std::string>> shares;
        for (std::size_t contender = 0; contender < plan.contenders.size(); ++contender)
            if (const auto share = samples.waited({workload, contender}); share && contender != plan.aa_copy)
                shares.emplace_back(*share, plan.contenders[contender].name);
        if (shares.size() < 2) continue;
        const auto [least, most] = std::ranges::minmax(shares);
        if (most.first - least.first > explained)
            all.push_back(fmt::format("on {}, {} waited for {:.0f} % of its time and {} for {:.0f} %",
                                      plan.workloads[workload], most.second, 100 * most.first, least.second,
                                      100 * least.first));
    }
    return all;
}

void warn_of_one_core(warning_list& all, const run_plan& plan) {
    if (plan.cpus.size() == 1)
        all.push_back({"one_core",
                       "loopbench could use only one core, so it shared the core with the programs that it "
                       "measured, and workloads whose client needs a core of its own are unsupported",
                       "use a machine or container with at least two cores, or start loopbench without "
                       "taskset"});
}

constexpr std::size_t workloads_named = 3;

/// Returns the workloads whose threads shared cores, because LOOPBENCH_OVERSUBSCRIBE allowed it.
texts with_shared_cores(const report& found) {
    texts all;
    for (const auto& item : found.results)
        if (item.metric == "threads_per_core" && item.median &&
            std::ranges::find(all, item.workload) == all.end())
            all.push_back(item.workload);
    return all;
}

void warn_of_noise(warning_list& all, const run_plan& plan, const sample_table& samples,
                   const report& found) {
    if (found.plan->generator_on)
        all.push_back({"client_elsewhere",
                       fmt::format("the client of serve/open_loop ran on another machine (`{}`); {}",
                                   *found.plan->generator_on, path_to_client(found)),
                       "the latencies include the delay of this path; compare them only with latencies over "
                       "the same path"});
    if (is_unreliable(found))
        all.push_back({"unreliable",
                       fmt::format("the session is unreliable and its verdicts must be ignored, because {}",
                                   *found.aa->reason),
                       "end other programs on this machine (see `loopbench doctor`), and repeat the run"});
    if (const auto drifted = drifted_workloads(found); !drifted.empty())
        all.push_back(
            {"drift",
             fmt::format("the baseline's results in the second half of the run differ from those in the "
                         "first half: {}",
                         fmt::join(drifted, ", ")),
             "ratios are still valid, because they are computed within blocks; do not quote absolute "
             "times of this run"});
    if (const auto& disturbed = found.disturbed; disturbed.kept > 0) {
        const auto without_verdict =
            disturbed.workloads && !is_unreliable(found)
                ? fmt::format(
                      "; there is no verdict on {}, because more than half of its trials were disturbed",
                      fmt::join(*disturbed.workloads, ", "))
                : "";
        all.push_back(
            {"disturbed",
             fmt::format("other programs on this machine disturbed {} trials that are in the results ({} "
                         "of {} trials were disturbed, and {} were repeated){}",
                         disturbed.kept, disturbed.disturbed, disturbed.trials, disturbed.repeated,
                         without_verdict),
             "end other programs on this machine"});
    }
    if (const auto shared = with_shared_cores(found); !shared.empty())
        all.push_back({"oversubscribed",
                       fmt::format("the times mean nothing where threads shared cores: {}{}",
                                   fmt::join(shared | std::views::take(workloads_named), ", "),
                                   shared.size() > workloads_named
                                       ? fmt::format(" and {} more", shared.size() - workloads_named)
                                       : ""),
                       "unset LOOPBENCH_OVERSUBSCRIBE, or use a machine with more cores"});
    if (const auto differ = ratios_that_differ(found); !differ.empty()) {
        constexpr std::size_t most = 5;
        const std::span shown{differ.data(), std::min(differ.size(), most)};
        all.push_back(
            {"hosts_differ",
             fmt::format("ratios differ between hosts: {}{}", fmt::join(shown, "; "),
                         differ.size() > most ? fmt::format("; and {} more", differ.size() - most) : ""),
             "intervals include these differences; for ratios of one kind of machine, merge only the "
             "shards of that kind (--partial)"});
    }
    if (const auto waited = unequally_busy(plan, samples); !waited.empty())
        all.push_back(
            {"waited_together",
             fmt::format("some concurrent contenders waited longer than others, and CPU time does not "
                         "include waiting, so their CPU times do not show the whole difference: {}",
                         fmt::join(waited, "; ")),
             "measure these contenders with --pairing sequential, which compares their elapsed time"});
}

void warn_of_baseline(warning_list& all, const run_plan& plan, const report& found) {
    if (!plan.baseline_index()) return all.push_back(baseline_not_measured(plan.baseline));
    // Without any number on a workload, no ratio is missing there.
    const auto has_a_number = [&](std::string_view workload) {
        return std::ranges::any_of(found.results, [&](const reports::result& item) {
            return item.workload == workload && item.median;
        });
    };
    texts missing;
    for (const auto& item : found.results)
        if (item.contender == plan.baseline &&
            (item.status == reports::result_status::unsupported ||
             item.status == reports::result_status::failed) &&
            has_a_number(item.workload))
            missing.push_back(item.workload);
    if (!missing.empty())
        all.push_back({"baseline_without_numbers",
                       fmt::format("there are no ratios for {}, because the baseline {} has no values there",
                                   fmt::join(missing, ", "), plan.baseline),
                       plan.tolerated_pct  // set only if two programs are compared, without --baseline
                           ? "see the reason in the table, and repair the program or select other "
                             "benchmarks (--workload)"
                           : "see the reason in the table, or choose another --baseline"});
}

}  // namespace

namespace {

void warn_of_unmatched(warning_list& all, const run_plan& plan) {
    if (!plan.unmatched) return;
    for (const auto& who : plan.contenders) {
        std::vector<std::string> names;
        for (const auto& each : *plan.unmatched)
            if (each.contender == who.name) names.push_back(each.workload);
        if (names.empty()) continue;
        all.push_back(unmatched_benchmarks(
            who.name, std::move(names), who.name == plan.baseline ? which_build::base : which_build::next));
    }
}

}  // namespace

std::vector<reports::warning> warnings_of(const run_plan& plan, const run_outcome& outcome,
                                          const sample_table& samples, const report& found) {
    warning_list all;
    warn_of_the_end(all, plan, outcome);
    warn_of_too_few(all, plan, outcome, found);
    warn_of_noise(all, plan, samples, found);
    warn_of_one_core(all, plan);
    warn_of_baseline(all, plan, found);
    warn_of_unmatched(all, plan);
    return all;
}

std::vector<reports::warning> swap_warnings(const report& found) {
    warning_list all;
    for (const auto& who : found.contenders) {
        const auto is_its_number = [&](const result& item) {
            return item.contender == who.name && item.status == reports::result_status::ok && item.median;
        };
        if (who.asio && who.asio->dropin && who.asio->loops.empty() &&
            std::ranges::any_of(found.results, is_its_number))
            all.push_back(
                {std::string{reports::swap_without_effect_code},
                 fmt::format("{} was compiled with loopbench/asio/dropin.hpp, but recorded no io_context of "
                             "loopbench in its trials, so its numbers do not measure a loop of loopbench",
                             who.name),
                 "if a library creates the io_context, compile the library with the header, too; if the "
                 "program uses the standalone Asio, include <boost/asio.hpp> instead of <asio.hpp>; if it "
                 "measures a thread_pool or nothing of Asio, or changes its user, root folder or environment "
                 "before it creates the io_context, ignore this warning"});
    }
    return all;
}

std::string more_pairs(const run_plan& plan, std::uint64_t needed) {
    const auto layouts = plan.layout_pairs();
    const auto blocks = fmt::format("use --blocks {} or more", needed);
    if (layouts == 0 || layouts >= needed) return blocks;
    return fmt::format("link at least {} layouts of each build{}", needed,
                       plan.blocks < needed ? ", and " + blocks : "");
}

reports::warning unmatched_benchmarks(std::string_view owner, std::vector<std::string> names,
                                      which_build which) {
    constexpr std::size_t most = 5;
    const auto more = names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
    names.resize(std::min(names.size(), most));
    return {"unmatched_benchmarks",
            fmt::format("these benchmarks are only in {}: {}{}", owner, fmt::join(names, ", "), more),
            fmt::format("check whether they were {} or renamed on purpose",
                        which == which_build::base ? "removed" : "added")};
}

reports::warning baseline_not_measured(const std::string& baseline) {
    return {"no_baseline",
            fmt::format("there are no ratios, because the baseline {} is not among the contenders", baseline),
            fmt::format("add --contender {}, or choose one of the contenders with --baseline", baseline)};
}

reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why) {
    return {"faster_than_floor",
            fmt::format("{} is below the floor: {}; {}", reports::title_of_metric(metric),
                        fmt::join(cells, "; "), why.empty() ? "no reason is known" : why),
            why.empty() ? "check whether the floor does too much work, or the contender too little"
                        : "ignore the floor for these results"};
}

double widest_gap(const reports::host_effect& effect) {
    std::vector<double> all;
    for (const auto& ratio : effect.ratios)
        if (ratio) all.push_back(std::log(*ratio));
    return *std::ranges::max_element(all) - *std::ranges::min_element(all);
}

}  // namespace loopbench::bench
