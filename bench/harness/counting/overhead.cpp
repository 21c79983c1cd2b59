#include "bench/harness/counting/overhead.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/statistics/median.hpp"
#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

namespace {

// The shortest planned duration of a run. In a shorter run, 10 ms of other programs' work would change the
// time by more than 5 %.
constexpr double smallest_run_ns = 200e6;
// The numbers of triples after which run_triples() decides whether the result is clear enough to stop. There
// are only four such decisions, because each of them can be wrong by chance.
constexpr std::array<std::size_t, 4> looks{fewest_triples, 12, 24, most_triples};
constexpr double fewest_operations = 100, most_operations = 1e9;

/// Returns the largest N for the workload, a third of its maximum number of operations. A doubled trial does
/// 2N timed operations, and an interleaved trial needs up to N further operations for the untimed parts of
/// its slices.
double most_operations_of(std::string_view workload) {
    const auto* const shape = find_shape(workload);
    return shape != nullptr ? std::min(static_cast<double>(shape->most_operations / 3), most_operations)
                            : most_operations;
}

class no_overhead : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

std::optional<double> median_in(const reports::report& report, const counted_result& of,
                                std::string_view metric) {
    const auto* found = reports::find_result(report, of.workload, of.contender, metric);
    return found != nullptr ? found->median : std::nullopt;
}

class failed_trial : public no_overhead {
public:
    using no_overhead::no_overhead;
};

struct timed {
    double time_ns;  // per operation
    double operations;
    bool has_latencies;
    double total_ns() const { return time_ns * operations; }
};

struct work_of_trial {
    reports::pairing made;
    std::uint64_t operations;
    double time_s;  // total time of the timed parts; only for an interleaved trial
};

/// Runs a trial with `times` times as much work or, if the trial is interleaved, with slices whose timed
/// parts are `times` times as long. If a contender counts operations that its slices do not contain, longer
/// slices change its time per operation and thus reveal the error. Returns nothing after an interrupt.
std::optional<timed> run(trial_request request, const work_of_trial& work, unsigned times, bool recording,
                         trial_executor& executor) {
    request.recording = recording;
    if (work.made == reports::pairing::interleaved) {
        request.min_time_s = times * work.time_s;
        request.slice.timed *= times;
    } else {
        request.operations = times * work.operations;
    }
    const auto outcome = work.made == reports::pairing::interleaved
                             ? executor.run_at_once({&request, 1}, work.made, 0, request.limit).front()
                             : executor.run(request);
    if (outcome.stopped) return std::nullopt;
    if (outcome.status == reports::result_status::failed) throw failed_trial{outcome.reason};
    if (outcome.status != reports::result_status::ok) throw no_overhead{outcome.reason};
    const auto time = outcome.metrics.find("time");
    if (time == outcome.metrics.end() || !time->second) throw no_overhead{"the contender printed no time"};
    if (!outcome.operations || !(*outcome.operations > 0))
        throw no_overhead{
            "the contender does not report its number of operations (the counter `operations`)"};
    // In an interleaved trial, `outcome.operations` also counts untimed operations. Therefore `times`
    // represents the amount of timed work.
    const double done = work.made == reports::pairing::interleaved ? times : *outcome.operations;
    return timed{*time->second, done, outcome.metrics.contains("latency_p50")};
}

struct triple {
    timed once, twice;
    std::optional<timed> unrecorded;  // only in the first triples, and only if there are latencies

    /// Returns t(2N)/t(N), corrected if the doubled trial did not do exactly twice as many operations:
    /// workloads that work in batches can do slightly more.
    double doubling() const {
        const double grown = twice.operations / once.operations;
        if (!(grown >= 1.5))
            throw no_overhead{
                "the contender ignores the number of operations that LOOPBENCH_OPERATIONS requests: it did "
                "{:g} operations, and {:g} when twice as many were requested",
                once.operations, twice.operations};
        return twice.total_ns() / once.total_ns() * 2 / grown;
    }
    double recording() const { return once.time_ns / unrecorded->time_ns; }
};

std::vector<double> doublings(const std::vector<triple>& all) {
    std::vector<double> values;
    for (const auto& each : all) values.push_back(each.doubling());
    return values;
}

std::vector<double> recordings(const std::vector<triple>& all) {
    std::vector<double> values;
    for (const auto& each : all)
        if (each.unrecorded) values.push_back(each.recording());
    return values;
}

bool is_clear(const std::vector<triple>& all) {
    const auto doubling = median_with_interval(doublings(all));
    return is_within_bounds(doubling) || doubling.high < doubling_least || doubling.low > doubling_most;
}

struct wanted {
    bool doubling, recording;
};

std::vector<triple> run_triples(const trial_request& request, const work_of_trial& work, wanted what,
                                trial_executor& executor) {
    std::vector<triple> all;
    for (const auto look : looks) {
        while (all.size() < look) {
            const auto once = run(request, work, 1, true, executor);
            if (!once) return {};
            const auto twice = run(request, work, 2, true, executor);
            if (!twice) return {};
            std::optional<timed> unrecorded;
            if (what.recording && look == fewest_triples) {
                unrecorded = run(request, work, 1, false, executor);
                if (!unrecorded) return {};
            }
            all.push_back({*once, *twice, unrecorded});
        }
        if (!what.doubling || is_clear(all)) break;
    }
    return all;
}

void add(counted_result& cell, const std::string& metric, std::vector<double> samples) {
    cell.metrics[metric] = median_of(samples);
    cell.samples[metric] = std::move(samples);
}

std::size_t index_of(std::span<const std::string> all, std::string_view one) {
    return static_cast<std::size_t>(std::ranges::find(all, one) - all.begin());
}

reports::pairing pairing_of(const run_plan& plan, const contender& who, std::string_view workload) {
    const auto found = std::ranges::find(plan.contenders, who.name, &contender::name);
    const auto made = plan.pairing_of(
        {index_of(plan.workloads, workload), static_cast<std::size_t>(found - plan.contenders.begin())});
    return made == reports::pairing::interleaved ? made : reports::pairing::sequential;
}

}  // namespace

counted_result overhead_of(const contender& who, const std::string& workload, const reports::report& report,
                           const run_plan& plan, trial_executor& executor) {
    counted_result cell{workload, who.name, {}, {}};
    const auto time_ns = median_in(report, cell, "time");
    const bool has_rate = median_in(report, cell, "throughput").has_value();
    const bool has_latency = median_in(report, cell, "latency_p50").has_value();
    if (!time_ns || (!has_rate && !has_latency)) return cell;
    const auto operations = static_cast<std::uint64_t>(
        std::clamp(std::ceil(smallest_run_ns / *time_ns), fewest_operations, most_operations_of(workload)));
    try {
        const trial_request request{.who = who,
                                    .workload = workload,
                                    .min_time_s = plan.min_time_s,
                                    .size = plan.size,
                                    .limit = plan.trial_limit,
                                    .cpu = plan.cpu_for(0, index_of(plan.workloads, workload)),
                                    .slice = plan.slice};
        const work_of_trial work{pairing_of(plan, who, workload), operations,
                                 static_cast<double>(operations) * *time_ns / 1e9};
        const auto all = run_triples(request, work, {has_rate, has_latency}, executor);
        if (all.empty()) return cell;
        if (has_rate) add(cell, "doubling", doublings(all));
        if (has_latency && !all.front().unrecorded->has_latencies)
            add(cell, "recording", recordings(all));
        else if (has_latency)
            cell.missing.emplace_back(
                "the cost of recording latencies is unknown, because the contender records them even with "
                "LOOPBENCH_RECORD=off");
    } catch (const failed_trial& why) {
        cell.failed = true;
        cell.missing.emplace_back(why.what());
    } catch (const no_overhead& why) {
        cell.missing.emplace_back(why.what());
    }
    return cell;
}

}  // namespace loopbench::bench
