// Each condition stands next to its text.
#include "bench/summary/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "bench/experiment/merge.hpp"
#include "bench/statistics/correction.hpp"
#include "bench/statistics/sign_test.hpp"
#include "bench/statistics/verdict.hpp"
#include "bench/summary/self_check.hpp"
#include "reports/columns.hpp"
#include "reports/metrics.hpp"
#include "reports/report_index.hpp"

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
                   fmt::format("{}: there are {} of {} blocks", fmt::join(parts, ", "), finished,
                               outcome.blocks_planned),
                   "run what is missing (`loopbench run --shard`, or `run --resume`), and merge again"});
}

/// Warns of planned work that was not done.
void warn_of_the_end(warning_list& all, const run_plan& plan, const run_outcome& outcome) {
    if (plan.part)
        all.push_back({std::string{reports::shard_code},
                       fmt::format("this is shard {} of {}: {} of {} blocks", plan.part->number,
                                   plan.part->of, plan.part->count(plan.blocks), plan.blocks),
                       "merge the folders of all shards (`loopbench merge DIR... -o DIR`), and read that "
                       "report"});
    if (outcome.interrupted && !outcome.merged.empty())
        warn_of_missing_shards(all, outcome);
    else if (outcome.interrupted)
        all.push_back(
            {"interrupted",
             fmt::format("the run was interrupted after {} of {} blocks", outcome.blocks_finished,
                         outcome.blocks_planned),
             "finish it with `loopbench run --resume DIR`, its folder, before another run writes there"});
    if (outcome.budget_spent)
        all.push_back({"budget",
                       fmt::format("the time budget was enough for {} of {} blocks", outcome.blocks_finished,
                                   outcome.blocks_planned),
                       "give it a longer --budget, or choose fewer contenders or workloads"});
}

bool too_few_for_any_verdict(const result& item) {
    return item.judged == reports::verdict::inconclusive && item.to_baseline && !item.detectable_pct;
}

/// Returns how many blocks any difference needs to be significant: the largest number over the families that
/// have too few. The level is the one that one more difference in the family would have to meet.
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

/// Warns of questions that too few blocks, hosts or layouts leave open. A shard is not judged.
void warn_of_too_few(warning_list& all, const run_plan& plan, const run_outcome& outcome,
                     const report& found) {
    if (!plan.part &&
        std::ranges::any_of(found.results, [](const auto& item) { return item.median && !item.low; }))
        all.push_back({"few_trials",
                       "a 95 % interval of a median needs six trials; results with fewer have none",
                       "run at least six blocks (--blocks 6)"});
    else if (!plan.part && std::ranges::any_of(found.results, too_few_for_any_verdict)) {
        const auto enough = blocks_for_verdicts(plan, found);
        if (machines_of(outcome).size() > 1)
            all.push_back(
                {"few_hosts", "too few hosts to judge all",
                 fmt::format("have shards on at least {} machines, or compare fewer cells", enough)});
        else
            all.push_back(
                {"few_blocks", "too few blocks to judge all",
                 fmt::format("run at least {0} blocks (--blocks {0}), or compare fewer cells", enough)});
    }
    const auto layouts = found.plan->layouts;
    const auto differs_in_time = [](const result& item) {
        return item.metric == "time" && is_difference(item.judged);
    };
    if (plan.tolerated_pct && !layouts && std::ranges::any_of(found.results, differs_in_time))
        all.push_back({"one_layout",
                       "each build is there once: what differs by some per cent may be where the same code "
                       "came to lie",
                       "link each several times with its functions in another order, and compare the two "
                       "folders (`loopbench compare --help`)"});
    if (layouts && outcome.blocks_planned > *layouts)
        all.push_back({"few_layouts",
                       fmt::format("{} blocks have no more than {} layouts of each build: blocks with the "
                                   "same two count as one in every ratio, verdict and interval",
                                   outcome.blocks_planned, *layouts),
                       "link as many layouts as there are blocks"});
    if (layouts && plan.precision_pct && outcome.blocks_planned >= *layouts)
        all.push_back({"few_layouts_for_precision",
                       fmt::format("a precision of {:g} % was looked for in {} blocks at the most, as many "
                                   "as there are layouts of each build",
                                   *plan.precision_pct, *layouts),
                       "link more layouts where an interval is too wide"});
}

/// Describes the path, from the first result that has it: it belongs to the kernels, not to a contender.
std::string path_to_client(const report& found) {
    const auto median_of = [&](std::string_view metric) {
        const auto item = std::ranges::find_if(
            found.results, [&](const auto& each) { return each.metric == metric && each.median; });
        return item == found.results.end() ? std::optional<double>{} : item->median;
    };
    const auto half = median_of("path_rtt_p50"), most = median_of("path_rtt_p99"),
               rate = median_of("path_rate");
    if (!half || !most || !rate) return "what the path is like is not known";
    return fmt::format(
        "a round trip between the kernels takes {} (99 %: {}), and {:.0f} MB/s come from there",
        reports::human_time(*half), reports::human_time(*most), *rate / 1e6);
}

texts drifted_workloads(const report& found) {
    texts all;
    if (!found.aa) return all;
    for (const auto& item : found.aa->comparisons)
        if (item.drifted) all.push_back(fmt::format("{} ({:+.1f} %)", item.workload, *item.drift_pct));
    return all;
}

/// Returns the ratios that differ between hosts, the most different ones first.
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

/// Describes the workloads on which concurrent contenders left the core for different shares of time, beyond
/// the effects of starting and ending.
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
            all.push_back(fmt::format("on {} {} waited for {:.0f} % of its time and {} for {:.0f} %",
                                      plan.workloads[workload], most.second, 100 * most.first, least.second,
                                      100 * least.first));
    }
    return all;
}

/// Warns of the environment: the machine, differences between machines, and concurrent work.
void warn_of_noise(warning_list& all, const run_plan& plan, const sample_table& samples,
                   const report& found) {
    if (found.plan->generator_on)
        all.push_back({"client_elsewhere",
                       fmt::format("the client of serve/open_loop was on another machine, by `{}`: {}",
                                   *found.plan->generator_on, path_to_client(found)),
                       "latencies have that path in them; compare them with none of another path"});
    if (is_unreliable(found))
        all.push_back({"unreliable",
                       fmt::format("this session is not fit to judge anything: {}", *found.aa->reason),
                       "end what else runs on this machine (`loopbench doctor` says what to look at) and "
                       "run it again"});
    if (const auto drifted = drifted_workloads(found); !drifted.empty())
        all.push_back(
            {"drift",
             fmt::format("the baseline's second half differs from its first: {}", fmt::join(drifted, ", ")),
             "ratios stand, as they are taken within blocks; do not quote absolute times of this "
             "run"});
    if (const auto& disturbed = found.disturbed; disturbed.kept > 0)
        all.push_back({"disturbed",
                       fmt::format("{} trials among the results were disturbed by something else on this "
                                   "machine ({} of {} were, and {} repeats did not help all of them)",
                                   disturbed.kept, disturbed.disturbed, disturbed.trials, disturbed.repeated),
                       "end what else runs on this machine"});
    if (const auto differ = ratios_that_differ(found); !differ.empty()) {
        constexpr std::size_t most = 5;
        const std::span shown{differ.data(), std::min(differ.size(), most)};
        all.push_back(
            {"hosts_differ",
             fmt::format("the ratio is not the same on all hosts: {}{}", fmt::join(shown, "; "),
                         differ.size() > most ? fmt::format("; and {} more", differ.size() - most) : ""),
             "intervals cover that; for what holds on one kind of machine, merge the shards of that kind "
             "alone (--partial)"});
    }
    if (const auto waited = unequally_busy(plan, samples); !waited.empty())
        all.push_back({"waited_together",
                       fmt::format("what ran together did not keep the core equally busy, and CPU time does "
                                   "not show what is waited for: {}",
                                   fmt::join(waited, "; ")),
                       "measure them with --pairing sequential, which judges the time that they take"});
}

void warn_of_baseline(warning_list& all, const run_plan& plan, const report& found) {
    if (!plan.baseline_index()) return all.push_back(baseline_not_measured(plan.baseline));
    texts missing;
    for (const auto& item : found.results)
        if (item.contender == plan.baseline && (item.status == reports::result_status::unsupported ||
                                                item.status == reports::result_status::failed))
            missing.push_back(item.workload);
    if (!missing.empty())
        all.push_back({"baseline_without_numbers",
                       fmt::format("there are no ratios for {}: the baseline {} has no numbers there",
                                   fmt::join(missing, ", "), plan.baseline),
                       "see the baseline's reason in the table, or name another --baseline"});
}

}  // namespace

std::vector<reports::warning> warnings_of(const run_plan& plan, const run_outcome& outcome,
                                          const sample_table& samples, const report& found) {
    warning_list all;
    warn_of_the_end(all, plan, outcome);
    warn_of_too_few(all, plan, outcome, found);
    warn_of_noise(all, plan, samples, found);
    warn_of_baseline(all, plan, found);
    return all;
}

reports::warning baseline_not_measured(const std::string& baseline) {
    return {"no_baseline",
            fmt::format("there are no ratios: the baseline {} is not among the contenders", baseline),
            fmt::format("add --contender {}, or name one of the contenders with --baseline", baseline)};
}

reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why) {
    return {"faster_than_floor",
            fmt::format("{} below the best floor's: {}; {}", reports::title_of_metric(metric),
                        fmt::join(cells, "; "), why.empty() ? "no reason is known" : why),
            why.empty() ? "see whether the floor does more than it must there, or the contender less"
                        : "ignore the floor"};
}

double widest_gap(const reports::host_effect& effect) {
    std::vector<double> all;
    for (const auto& ratio : effect.ratios)
        if (ratio) all.push_back(std::log(*ratio));
    return *std::ranges::max_element(all) - *std::ranges::min_element(all);
}

}  // namespace loopbench::bench
