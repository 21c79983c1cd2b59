#include "bench/harness/gate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/statistics/proportion.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/trial/usage_error.hpp"

namespace loopbench::bench {

namespace {

using log_ratios = std::vector<double>;
using reports::verdict;

constexpr std::string_view name_front = "slowed-";

contender slowed_down(const contender& who, unsigned pct) {
    auto slowed = who;
    slowed.name = fmt::format("{}{:02}", name_front, pct);
    slowed.environment["LOOPBENCH_SLOWDOWN"] = fmt::format("0.{:02}", pct);
    return slowed;
}

std::optional<unsigned> slowdown_of(std::string_view name) {
    unsigned pct = 0;
    if (!name.starts_with(name_front)) return std::nullopt;
    name.remove_prefix(name_front.size());
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pct);
    if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
    return pct;
}

std::vector<log_ratios> pairs_of(const session_record& from, std::size_t who) {
    std::vector<log_ratios> all;
    const sample_table samples{from.plan, from.outcome};
    const auto baseline = from.plan.baseline_index();
    for (std::size_t workload = 0; baseline && workload < from.plan.workloads.size(); ++workload)
        all.push_back(samples.log_ratios({workload, who, *baseline}, *reports::find_metric("time")));
    return all;
}

/// Groups the pairs of trials into tries. Each try contains `blocks` consecutive pairs of one workload, and
/// two tries never share a pair.
std::vector<log_ratios> consecutive(std::span<const log_ratios> pairs, std::uint64_t blocks,
                                    std::uint64_t most) {
    std::vector<log_ratios> tries;
    for (std::size_t round = 0;; ++round) {
        const auto before = tries.size();
        for (const auto& workload : pairs)
            if ((round + 1) * blocks <= workload.size() && tries.size() < most) {
                const auto first = std::span{workload}.subspan(round * blocks, blocks);
                tries.emplace_back(first.begin(), first.end());
            }
        if (tries.size() == before) return tries;
    }
}

struct tally {
    std::uint64_t slower = 0, faster = 0;
};

tally judged(std::span<const log_ratios> tries, const run_plan& plan) {
    const verdict_rule rule{.threshold_pct = plan.threshold_pct, .how = plan.how};
    tally found;
    for (const auto& one : tries) {
        const auto said = judge_all({&one, 1}, rule).front().verdict;
        found.slower += said == verdict::slower ? 1U : 0U;
        found.faster += said == verdict::faster ? 1U : 0U;
    }
    return found;
}

reports::detection_rate rate_of(const session_record& slowed, std::size_t who, unsigned pct,
                                const calibration_sizes& sizes) {
    reports::detection_rate found;
    found.slowdown_pct = pct;
    auto pairs = pairs_of(slowed, who);
    std::erase_if(pairs, [&](const auto& workload) { return workload.size() < sizes.blocks; });
    const auto measured = consecutive(pairs, sizes.blocks, sizes.tries);
    if (measured.empty()) return found;
    const auto seen = judged(measured, slowed.plan);
    found.measured = measured.size();
    found.measured_slower = seen.slower;
    std::tie(found.low, found.high) = proportion_interval(seen.slower, measured.size(), default_level);
    found.faster = seen.faster;
    return found;
}

std::string name_of_contender(const session_record& from) {
    for (const auto& trial : from.outcome.trials)
        if (const auto name = reports::context_text(trial.outcome.context, "contender")) return *name;
    return from.plan.baseline;
}

void refuse_unlike(const session_record& equal, const session_record& slowed) {
    const auto file_of = [](const session_record& from) {
        const auto& file = from.executables.empty() ? executable_state{} : from.executables.front();
        return std::tuple{file.path, file.bytes, file.modified_ns, file.inode};
    };
    const auto of = [](const session_record& from) {
        return std::tuple{from.where.kernel,   from.where.cpu_model, from.where.cores,
                          from.plan.workloads, from.plan.size,       from.plan.min_time_s,
                          from.plan.cpu,       from.plan.cpus,       from.plan.threshold_pct,
                          from.plan.pairings,  from.plan.seed,       from.plan.slice};
    };
    if (of(equal) != of(slowed) || file_of(equal) != file_of(slowed))
        throw usage_error{
            "the two journals belong to different calibrations: kernel, processors, contender, workloads or "
            "options differ; calibrate again"};
}

double mean_trial_s(const run_outcome& outcome) {
    std::chrono::duration<double> all{0};
    for (const auto& trial : outcome.trials) all += trial.outcome.wall;
    return outcome.trials.empty() ? 0 : all.count() / static_cast<double>(outcome.trials.size());
}

}  // namespace

run_plan calibration_plan(const run_plan& base, const contender& who,
                          std::span<const unsigned> slowdowns_pct) {
    auto plan = base;
    plan.contenders = {slowed_down(who, 0)};
    for (const auto pct : slowdowns_pct) plan.contenders.push_back(slowed_down(who, pct));
    if (!base.described.empty()) plan.described.assign(plan.contenders.size(), base.described.front());
    plan.baseline = plan.contenders.front().name;
    plan.how = correction::holm;  // the same correction as in `compare` and `check`
    add_aa_copy(plan);
    return plan;
}

reports::pairing pairing_of(const run_plan& plan) {
    const auto first = plan.pairing_of({0, 0});
    for (std::size_t i = 1; i < plan.workloads.size(); ++i)
        if (const auto other = plan.pairing_of({i, 0}); other != first)
            throw usage_error{
                "all workloads of a calibration need the same pairing, but {} is {} and {} is {}; calibrate "
                "each workload alone (--workload), or choose one pairing for both (--pairing)",
                plan.workloads.front(), name_of(first), plan.workloads[i], name_of(other)};
    return first;
}

/// Checks that the trials' contexts report the slowdowns. Requires a context only from the first trial of
/// each contender, because a journal does not contain the contexts of later trials.
void check_slowdowns(const session_record& slowed) {
    std::set<std::size_t> seen;
    for (const auto& trial : slowed.outcome.trials) {
        const auto& name = slowed.plan.contenders[trial.where.contender].name;
        const auto pct = slowdown_of(name);
        if (!pct || *pct == 0 || trial.outcome.status != reports::result_status::ok) continue;
        const bool is_first = seen.insert(trial.where.contender).second;
        if (!is_first && trial.outcome.context.empty()) continue;
        if (reports::context_text(trial.outcome.context, "slowdown") != fmt::format("{} %", *pct))
            throw usage_error{
                "{} was not slowed down: its context has no \"slowdown\"; calibrate with a contender that "
                "supports LOOPBENCH_SLOWDOWN, for example one of the suite",
                name};
    }
}

std::optional<run_plan> referee_plan(const run_plan& slowed) {
    constexpr std::uint64_t blocks = 15;
    if (pairing_of(slowed) != reports::pairing::interleaved) return std::nullopt;
    auto plan = slowed;
    plan.blocks = blocks;
    std::ranges::fill(plan.pairings, reports::pairing::sequential);
    return plan;
}

std::vector<reports::pairing_agreement> judge_pairings(const session_record& interleaved,
                                                       const session_record& referee) {
    constexpr double most_time_pct = 15, most_ratio_pct = 5;
    const auto& time = *reports::find_metric("time");
    const sample_table ours{interleaved.plan, interleaved.outcome}, theirs{referee.plan, referee.outcome};
    const auto last = interleaved.plan.contenders.size() - 1 - (interleaved.plan.aa_copy ? 1 : 0);
    std::vector<reports::pairing_agreement> all;
    for (std::size_t workload = 0; workload < interleaved.plan.workloads.size(); ++workload) {
        const compared_cells cells{workload, last, 0};
        const auto here = ours.log_ratios(cells, time), there = theirs.log_ratios(cells, time);
        if (here.empty() || there.empty()) continue;
        const auto median_time = [&](const sample_table& from) {
            return from.estimate_of(workload, from.of({workload, 0}).at(std::string{time.name})).median;
        };
        reports::pairing_agreement found;
        found.workload = interleaved.plan.workloads[workload];
        found.referee = theirs.pairing_of({workload, 0});
        found.time_differs_pct = 100 * (median_time(ours) / median_time(theirs) - 1);
        found.ratio_differs_pct = 100 * std::expm1(median_of(here) - median_of(there));
        found.agrees = std::abs(found.time_differs_pct) <= most_time_pct &&
                       std::abs(found.ratio_differs_pct) <= most_ratio_pct;
        all.push_back(std::move(found));
    }
    return all;
}

reports::calibration judge_calibration(const session_record& equal, const session_record& slowed,
                                       const calibration_sizes& sizes) {
    refuse_unlike(equal, slowed);
    check_slowdowns(slowed);
    reports::calibration found;
    found.date = equal.where.date;
    found.complete = !equal.outcome.interrupted && !slowed.outcome.interrupted;
    found.contender = name_of_contender(equal);
    found.workloads = equal.plan.workloads;
    found.made = pairing_of(equal.plan);
    found.threshold_pct = equal.plan.threshold_pct;
    found.aa.blocks = sizes.aa_blocks;
    if (equal.plan.aa_copy) {
        const auto tries = consecutive(pairs_of(equal, *equal.plan.aa_copy), sizes.aa_blocks, sizes.aa_tries);
        const auto called = judged(tries, equal.plan);
        found.aa.tries = tries.size();
        found.aa.different = called.slower + called.faster;
        if (!tries.empty())
            found.aa.at_most_pct = 100 * proportion_at_most(found.aa.different, tries.size(), default_level);
    }
    found.blocks = sizes.blocks;
    constexpr double trials_a_block = 3;
    found.try_s = trials_a_block * static_cast<double>(sizes.blocks) * mean_trial_s(slowed.outcome);
    if (slowed.plan.aa_copy) found.slowdowns.push_back(rate_of(slowed, *slowed.plan.aa_copy, 0, sizes));
    for (std::size_t who = 0; who < slowed.plan.contenders.size(); ++who)
        if (const auto pct = slowdown_of(slowed.plan.contenders[who].name); pct && *pct > 0)
            found.slowdowns.push_back(rate_of(slowed, who, *pct, sizes));
    return found;
}

}  // namespace loopbench::bench
