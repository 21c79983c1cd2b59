// The results of a run, as plain structs. They define report.json.
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
#include "reports/model/causes.hpp"
#include "reports/model/used_cores.hpp"
#include "reports/model/words.hpp"

namespace loopbench::reports {

/// The ratio of a contender to the baseline. A ratio above 1 means that the contender is better, even if
/// smaller values of the metric are better.
struct ratio {
    std::string to;  // the baseline's name
    double median = 0;
    std::optional<double> low, high;  // absent if there are too few trials for an interval
    /// The ratio of each block, which is the median of the ratios of its rounds. Only times of interleaved
    /// trials have these ratios.
    std::optional<std::vector<std::optional<double>>> samples{};
};

/// A contender's distance from zero minus the baseline's distance, in the metric's unit. It replaces the
/// ratio if a value is zero or negative. A timer that fires early is therefore no better than one that fires
/// equally late.
struct difference {
    std::string to;
    double median = 0;
    std::optional<double> low, high;
};

/// A value as a multiple of the best floor's value: 1.08 means 8 % above it.
struct floor_multiple {
    std::string floor;
    double median = 0;
    std::optional<double> low, high;
};

/// The ratio of the best contender on io_uring to the best contender on epoll. A ratio above 1 means that
/// io_uring is better.
struct driver_ratio {
    std::string to;
    double median = 0;
    std::optional<double> low, high;
    verdict judged = verdict::inconclusive;
};

struct host_effect {
    /// The median ratio of each host, in the order of report::hosts.
    std::vector<std::optional<double>> ratios;
    /// The standard deviation of the ratios between hosts, in per cent. Absent if it cannot be distinguished
    /// from noise.
    std::optional<double> deviation_pct;
    bool differ = false;  // true if the hosts' ratios differ significantly, by more than the threshold
};

/// The numbers for one metric of one workload and contender. If a contender has no numbers on a workload, its
/// only result for this workload has the metric `time`, the status and the reason.
struct result {
    std::string workload;
    std::string contender;
    std::string metric;
    std::string unit;
    direction better = direction::smaller;
    bool deterministic = false;
    pairing made = pairing::sequential;
    std::vector<std::optional<double>> samples;  // one per trial, in block order (with --checks: per pair)
    std::optional<double> median, low, high;
    double level = 0.95;
    std::optional<ratio> to_baseline;
    std::optional<difference> from_baseline;  // only set if there is no ratio
    /// The value as a multiple of the best floor's value. Absent if no floor was measured, and for metrics
    /// other than time, latency and lateness.
    std::optional<floor_multiple> times_floor;
    /// The ratio to the fastest contender on epoll. Only the time and the CPU of the fastest contender on
    /// io_uring have this ratio.
    std::optional<driver_ratio> to_epoll;
    std::optional<verdict> judged;
    std::optional<double> detectable_pct;
    /// The standard deviation between layouts of the same code, in per cent. Absent if each build has only
    /// one layout.
    std::optional<double> layout_pct;
    std::optional<host_effect> by_host;  // set if the ratio's blocks come from several hosts
    /// The number of samples per trial. Set only if it is too small for a percentile; the result's value is
    /// then the maximum of the samples.
    std::optional<std::uint64_t> max_of = {};
    result_status status = result_status::ok;
    std::optional<std::string> reason;  // always present if a number is missing
};

/// The use of this project's io_context (asio_compat) by a contender's processes.
struct asio_use {
    bool dropin = false;  // the program was compiled with loopbench/asio/dropin.hpp
    std::vector<std::string>
        loops;  // of the io_contexts that were created: "epoll", "io_uring", both or none
    std::optional<std::string> failure;  // the first exception of a loop that could not be created
};

struct contender {
    std::string name;
    std::optional<std::string> library, version, compiler, flags, socket_options;
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
    /// Absent if the program was not compiled with the drop-in header, and created no io_context of ours.
    std::optional<asio_use> asio = {};
};

struct workload {
    std::string name;
    /// The metrics that the screen and the gates judge, the most important one first.
    std::vector<std::string> primary_metrics;
    /// The cores that the trials of the workload used, without repetitions. Absent if no trial stated them.
    std::optional<std::vector<used_cores>> cores = {};
};

/// The rate at which a slowdown of a known size was called `slower`. The entry with a slowdown of 0 % is the
/// A/A comparison with the same number of blocks.
struct detection_rate {
    double slowdown_pct = 0;
    std::uint64_t measured = 0, measured_slower = 0;  // all tries, and those that were called `slower`
    std::optional<double> low, high;  // 95 % limits of the share of slower tries; absent without tries
    std::uint64_t faster = 0;
};

/// The rate of false alarms: how often a contender was called different from itself.
struct alarm_rate {
    std::uint64_t blocks = 0, tries = 0, different = 0;
    double at_most_pct = 100;  // 95 % upper limit of the false-alarm rate
};

/// A comparison of a workload's interleaved trials with its trials in another pairing (the referee).
struct pairing_agreement {
    std::string workload;
    pairing referee = pairing::sequential;
    double time_differs_pct = 0;
    double ratio_differs_pct = 0;  // the difference of the slowed contender's ratio between the pairings
    bool agrees = true;
};

struct calibration {
    std::string date;  // UTC, ISO 8601
    bool complete = true;
    std::string contender;
    std::vector<std::string> workloads;
    pairing made = pairing::sequential;
    double threshold_pct = 0;
    alarm_rate aa;
    std::uint64_t blocks = 0;  // blocks in each try of each slowdown
    double try_s = 0;          // the duration of a try with its A/A comparison: three trials per block
    std::vector<detection_rate> slowdowns;
    std::optional<std::vector<pairing_agreement>> pairings{};  // absent if no trial was interleaved
};

/// The machine and the time of the run. The host name is left out, because users share reports.
struct environment {
    std::string date;
    std::string loopbench_version;
    std::string kernel;
    std::string cpu_model;
    std::int64_t cores = 0;
    std::int64_t memory_bytes = 0;
    std::optional<std::string> governor;
    std::optional<std::string> clocksource;
    std::int64_t timer_slack_ns = 0;
    /// The shortest measured time of getppid(). Absent if another program made the report.
    std::optional<double> cheapest_call_ns{};
    std::array<double, 3> load_average{};  // 1, 5 and 15 minutes, at the start of the run
    std::optional<calibration> calibrated;
    /// A random number that the kernel draws at boot; it distinguishes two machines of the same kind. Set
    /// only in reports of shards.
    std::optional<std::string> machine = {};
};

struct host {
    std::string kernel, cpu_model;
    std::int64_t cores = 0;
    std::vector<std::uint64_t> shards;
    std::uint64_t blocks = 0;  // in these shards; a block's workloads can run on different hosts
};

/// The part of a run's plan that must be equal in two compared reports.
struct planned {
    std::string size;       // "small" or "full"
    double min_time_s = 0;  // the shortest time of a trial whose workload has no fixed size
    double trial_limit_s = 0;
    std::uint64_t blocks = 0;  // with --precision, the number of blocks that was needed
    std::optional<std::int64_t> cpu{};
    std::optional<std::uint64_t> layouts{};  // layouts per build; absent if each build has one layout
    std::optional<std::int64_t> slice_untimed_ns{}, slice_timed_ns{};  // absent if no workload is interleaved
    // The address of the server's machine, and the command that starts the client. Both are set only if the
    // client of serve/open_loop ran on another machine.
    std::optional<std::string> serve_on{}, generator_on{};
};

struct warning {
    std::string code;  // the same in all versions, so that programs can recognise the warning
    std::string message;
    std::string remedy;
};

/// A benchmark that only one of two compared builds has.
struct unmatched_benchmark {
    std::string workload, contender;
};

struct judging {
    std::string correction;
    double threshold_pct = 0;  // smaller differences are ignored
    /// The number of comparisons of `time` that the correction covers: those on workloads whose primary
    /// metrics include time. The comparisons of each other metric are corrected separately.
    std::uint64_t comparisons = 0;
};

struct gate_summary {
    double tolerated_pct = 0;  // a pass means that larger slowdowns are ruled out
    std::string outcome;       // pass, failed, regression, unreliable or inconclusive
    std::string verdict;
};

/// Two comparisons on one workload: the baseline with its A/A copy, and the second half of the run with the
/// first half.
struct self_comparison {
    std::string workload;
    ratio to_itself;
    verdict judged = verdict::inconclusive;
    std::optional<double> detectable_pct;
    /// The slowdown of the second half of the run, in per cent; absent if the blocks are too few.
    std::optional<double> drift_pct;
    bool drifted = false;  // true if chance cannot explain the drift
};

/// The comparison of the baseline with its A/A copy.
struct self_check {
    std::string contender, aa_copy;  // one executable under two names of equal length
    reliability found = reliability::unknown;
    std::optional<std::string> reason;  // always present unless the session is reliable
    std::optional<double> spread_pct;   // how much the ratios of single pairs vary, over all workloads
    std::vector<self_comparison> comparisons;
};

struct disturbances {
    std::uint64_t trials = 0;  // all finished trials, including repeated ones
    std::uint64_t disturbed = 0;
    std::uint64_t repeated = 0;  // workloads that ran again in a block after a disturbance or an interrupt
    /// Disturbed trials that were not repeated, because the limit for repeats was reached.
    std::uint64_t kept = 0;
    /// The workloads of which more than half of the trials were disturbed. They have no verdicts, unless the
    /// session is unreliable, because all its verdicts are ignored. Absent if there are no such workloads.
    std::optional<std::vector<std::string>> workloads = {};
};

struct report {
    std::string schema{report_format.schema};
    bool complete = true;
    std::uint64_t seed = 0;
    std::string baseline;
    std::vector<std::string> command;
    std::optional<planned> plan;             // absent if another program measured the results
    environment where;                       // with several hosts, the environment of the first host
    std::optional<std::vector<host>> hosts;  // absent if there is only one host
    std::vector<contender> contenders;
    /// Empty if another program made the report; report_index::headline() then derives the primary metrics.
    std::vector<workload> workloads;
    std::vector<result> results;
    std::optional<std::vector<unmatched_benchmark>> unmatched;  // absent if both have the same
    judging judged_by;
    std::optional<gate_summary> gate;  // absent unless `compare` made the report
    /// One cause for each slower benchmark, the greatest slowdown first. Absent if `compare` did not look for
    /// causes.
    std::optional<std::vector<slowdown_cause>> causes;
    std::optional<self_check> aa;  // absent if the baseline was not measured
    disturbances disturbed;
    std::vector<warning> warnings;
};

const result* find_result(const report& in, std::string_view workload, std::string_view contender,
                          std::string_view metric = "time");

/// Returns true if too many trials of the workload were disturbed for a verdict.
bool is_disturbed(const report& in, std::string_view workload);

template <class one, class other>
bool same_cell(const one& left, const other& right) {
    return left.workload == right.workload && left.contender == right.contender;
}

template <class items, class one>
auto find_cell(items& all, const one& like) {
    return std::ranges::find_if(all, [&](const auto& each) { return same_cell(each, like); });
}

/// Returns true if the contender's context says that it is a floor: bare system calls or bare coroutines.
bool is_floor(const contender& who);

/// Returns the text under `key`, or nothing if the value is missing, empty or not a text.
std::optional<std::string> context_text(const nlohmann::ordered_json& context, std::string_view key);

contender describe(std::string name, nlohmann::ordered_json context);

}  // namespace loopbench::reports
