// Results of a run, as plain structs. They are the schema: report.json and every reader and writer of reports
// follow from them. Nothing in this folder knows how the numbers were measured.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/base/file_formats.hpp"
#include "reports/model/words.hpp"

namespace loopbench::reports {

/// Ratio of a contender to the baseline; above 1 is better than the baseline, whatever the metric's
/// direction.
struct ratio {
    std::string to;  // the baseline's name
    double median = 0;
    std::optional<double> low, high;  // absent if there are too few trials for an interval
    /// The ratio of each block, only for times of interleaved trials: the median over the block's rounds. For
    /// all others, the ratio of a block is the quotient of its two samples.
    std::optional<std::vector<std::optional<double>>> samples{};
};

/// A contender's value minus the baseline's, in the metric's unit, for values that are not above zero, where
/// a ratio is undefined. Compares distances from zero, so that early is no better than late.
struct difference {
    std::string to;                   // the baseline's name
    double median = 0;                // of the differences within blocks
    std::optional<double> low, high;  // absent if there are too few trials for an interval
};

/// A value as a multiple of the best floor's value: 1.08 is 8 % above it. For the floor itself it is 1.
struct floor_multiple {
    std::string floor;                // the floor's name
    double median = 0;                // of the quotients within blocks
    std::optional<double> low, high;  // absent if there are too few trials for an interval
};

/// The best contender on io_uring compared with the best on epoll; above 1 means that io_uring is better.
struct driver_ratio {
    std::string to;  // the best contender on epoll
    double median = 0;
    std::optional<double> low, high;  // absent if there are too few trials for an interval
    verdict judged = verdict::inconclusive;
};

/// A ratio, for each of several hosts.
struct host_effect {
    std::vector<std::optional<double>> ratios;  // the median on each, in the order of the report's hosts
    /// Standard deviation between hosts, in per cent; absent if it cannot be distinguished from noise.
    std::optional<double> deviation_pct;
    bool differ = false;  // by more than the threshold, and more than by chance
};

/// One metric of one workload and contender. Without numbers, there is one result, for `time`, with the
/// status and the reason.
struct result {
    std::string workload;
    std::string contender;
    std::string metric;
    std::string unit;
    direction better = direction::smaller;
    bool deterministic = false;
    pairing made = pairing::sequential;          // the pairing of its trials
    std::vector<std::optional<double>> samples;  // one per trial, by block; for --checks one per pair
    std::optional<double> median, low, high;
    double level = 0.95;
    std::optional<ratio> to_baseline;
    std::optional<difference> from_baseline;  // only where there is no ratio
    /// Absent if there is no floor, and for metrics without a limit in the kernel.
    std::optional<floor_multiple> times_floor;
    /// Only for time and CPU of the fastest contender on io_uring, if there is a contender on epoll.
    std::optional<driver_ratio> to_epoll;
    std::optional<verdict> judged;
    std::optional<double> detectable_pct;
    /// Standard deviation between layouts of the same code, in per cent, for a comparison of several layouts
    /// of each build. Absent if it cannot be distinguished from noise.
    std::optional<double> layout_pct;
    std::optional<host_effect> by_host;  // for ratios with blocks from several hosts
    result_status status = result_status::ok;
    std::optional<std::string> reason;  // always present if a number is missing
};

struct contender {
    std::string name;
    std::optional<std::string> library, version, compiler, flags, socket_options;
    /// The contender's whole description of itself.
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
};

/// A workload's description, without its numbers.
struct workload {
    std::string name;
    /// Its primary metrics: overviews and summary sentences are about these.
    std::vector<std::string> primary_metrics;
};

/// Rate at which a slowdown of a known size was called `slower`; 0 % means the A/A comparison with the same
/// number of blocks.
struct detection_rate {
    double slowdown_pct = 0;
    std::uint64_t measured = 0, measured_slower = 0;  // tries, each with its own blocks
    std::optional<double> low, high;                  // 95 % bounds of that share; absent without tries
    std::uint64_t faster = 0;                         // called the opposite
};

/// Rate at which a contender was called different from itself.
struct alarm_rate {
    std::uint64_t blocks = 0, tries = 0, different = 0;
    double at_most_pct = 100;  // 95 % upper bound of the false-alarm rate
};

/// The agreement of a workload's interleaved trials with those of another pairing, its referee.
struct pairing_agreement {
    std::string workload;
    pairing referee = pairing::sequential;
    double time_differs_pct = 0;
    double ratio_differs_pct = 0;  // of the contender slowed down to the contender as it is
    bool agrees = true;
};

/// Results of `loopbench calibrate`: how often verdicts are right when the truth is known.
struct calibration {
    std::string date;  // UTC, ISO 8601
    bool complete = true;
    std::string contender;
    std::vector<std::string> workloads;
    pairing made = pairing::sequential;  // the pairing of their trials
    double threshold_pct = 0;
    alarm_rate aa;
    std::uint64_t blocks = 0;  // in each try below
    double try_s = 0;          // duration of a try with its own A/A: three trials per block
    std::vector<detection_rate> slowdowns;
    std::optional<std::vector<pairing_agreement>> pairings{};  // absent if no trial was interleaved
};

/// The machine and the time of the run. No host name: reports are shared.
struct environment {
    std::string date;  // UTC, ISO 8601
    std::string loopbench_version;
    std::string kernel;
    std::string cpu_model;
    std::int64_t cores = 0;
    std::int64_t memory_bytes = 0;
    std::optional<std::string> governor;
    std::optional<std::string> clocksource;
    std::int64_t timer_slack_ns = 0;
    /// The least time of a system call (getppid), over batches; absent if another program
    /// measured.
    std::optional<double> cheapest_call_ns{};
    std::array<double, 3> load_average{};   // 1, 5 and 15 minutes, at the start of the run
    std::optional<calibration> calibrated;  // absent if this machine has none
    /// Tells this machine from others that look the same: a random number that its kernel draws at boot. Only
    /// in reports of shards.
    std::optional<std::string> machine = {};
};

/// One of several machines that ran blocks.
struct host {
    std::string kernel, cpu_model;
    std::int64_t cores = 0;
    std::vector<std::uint64_t> shards;  // that it ran
    std::uint64_t blocks = 0;           // of these shards; two hosts may share a block, workload by workload
};

/// The plan, as far as it must be equal in two comparable reports.
struct planned {
    std::string size;       // of the workloads: "small" or "full"
    double min_time_s = 0;  // of a trial whose workload has no fixed size
    double trial_limit_s = 0;
    std::uint64_t blocks = 0;                // with a precision: the number that was needed
    std::optional<std::int64_t> cpu{};       // the trials were pinned to it
    std::optional<std::uint64_t> layouts{};  // per build, if several are compared; otherwise absent
    std::optional<std::int64_t> slice_untimed_ns{}, slice_timed_ns{};  // absent if no workload is interleaved
    // For serve/open_loop with its client on another machine: our address, and the command that starts the
    // client.
    std::optional<std::string> serve_on{}, generator_on{};
};

struct warning {
    std::string code;  // stable, for programs
    std::string message;
    std::string remedy;
};

/// Rules for the verdicts.
struct judging {
    std::string correction;    // for the number of comparisons
    double threshold_pct = 0;  // smaller differences are ignored
    /// Comparisons of `time` on workloads with time as a primary metric. The correction treats every other
    /// metric as a family of its own; in a run, also a metric on workloads where it is not primary.
    std::uint64_t comparisons = 0;
};

/// The baseline compared with its A/A copy on one workload, and its first blocks compared with its last.
struct self_comparison {
    std::string workload;
    ratio to_itself;
    verdict judged = verdict::inconclusive;
    std::optional<double> detectable_pct;
    std::optional<double> drift_pct;  // how much slower the run's second half was; absent with few blocks
    bool drifted = false;             // by more than chance
};

/// The A/A comparison: differences that this session finds between equal programs.
struct self_check {
    std::string contender, aa_copy;  // the same executable under two names of equal length
    reliability found = reliability::unknown;
    std::optional<std::string> reason;  // always present unless it is fit
    std::optional<double> spread_pct;   // of the single pairs, over all workloads
    std::vector<self_comparison> comparisons;
};

/// Disturbances by other activity on the machine during trials.
struct disturbances {
    std::uint64_t trials = 0;     // all that ended, including repeated ones
    std::uint64_t disturbed = 0;  // of those
    std::uint64_t repeated = 0;   // workloads of a block run again after a disturbance or an interrupt
    std::uint64_t kept = 0;  // disturbed trials in the results, because the limit for repeats was reached
};

struct report {
    std::string schema{report_format.schema};
    bool complete = true;
    std::uint64_t seed = 0;
    std::string baseline;
    std::vector<std::string> command;
    std::optional<planned> plan;             // absent if another program measured
    environment where;                       // with several hosts, the first one's
    std::optional<std::vector<host>> hosts;  // absent if there is only one
    std::vector<contender> contenders;
    std::vector<workload> workloads;  // empty if another program measured: see report_index.hpp
    std::vector<result> results;
    judging judged_by;
    std::optional<self_check> aa;  // absent if the baseline was not measured
    disturbances disturbed;
    std::vector<warning> warnings;
};

/// Returns the report's result for this workload, contender and metric; null if not found.
const result* find_result(const report& in, std::string_view workload, std::string_view contender,
                          std::string_view metric = "time");

/// Returns whether both have the same workload and contender; for any types that name these.
template <class one, class other>
bool same_cell(const one& left, const other& right) {
    return left.workload == right.workload && left.contender == right.contender;
}

/// Returns the first of `all` with the same workload and contender as `like`, or their end.
template <class items, class one>
auto find_cell(items& all, const one& like) {
    return std::ranges::find_if(all, [&](const auto& each) { return same_cell(each, like); });
}

/// Returns whether the contender's context says that it is a floor: bare calls or coroutines, and thus the
/// limit for all loops.
bool is_floor(const contender& who);

/// Returns the context's text under `key`; nothing if it is absent, empty or not a text.
std::optional<std::string> context_text(const nlohmann::ordered_json& context, std::string_view key);

/// Returns the contender as its context describes it.
contender describe(std::string name, nlohmann::ordered_json context);

}  // namespace loopbench::reports
