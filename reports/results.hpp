// What a run found, as plain structs. They are the schema: report.json, every writer and every reader of a
// report is derived from them, and nothing in this folder knows how the numbers came about.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/words.hpp"

namespace loopbench::reports {

inline constexpr std::string_view report_schema = "loopbench/1";

/// A contender against the baseline; above 1 is better than the baseline, whatever the metric's direction.
struct ratio {
    std::string to;  // the baseline's name
    double median = 0;
    std::optional<double> low, high;  // absent when there are too few trials for an interval
    /// By block, of times in turns: the median over the block's rounds. Absent elsewhere, where the ratio of
    /// a block is the quotient of the two samples.
    std::optional<std::vector<std::optional<double>>> samples{};
};

/// A contender's value less the baseline's, in the metric's unit, where a ratio is not defined since a value
/// is not above zero. Of their distances from zero, so that early is no better than late.
struct difference {
    std::string to;                   // the baseline's name
    double median = 0;                // of the differences within blocks
    std::optional<double> low, high;  // absent when there are too few trials for an interval
};

/// How many times a value is that of the best floor: 1.08 is 8 % above it. Of the floor itself it is 1.
struct floor_multiple {
    std::string floor;                // the floor's name
    double median = 0;                // of the quotients within blocks
    std::optional<double> low, high;  // absent when there are too few trials for an interval
};

/// The best contender on io_uring against the best on epoll; above 1 is better on io_uring.
struct driver_ratio {
    std::string to;  // who is the best on epoll
    double median = 0;
    std::optional<double> low, high;  // absent when there are too few trials for an interval
    verdict judged = verdict::inconclusive;
};

/// A ratio on each of several hosts.
struct host_effect {
    std::vector<std::optional<double>> ratios;  // the median of each, in the order of the report's hosts
    /// By how much one host differs from another, as a standard deviation; absent where it could not be told
    /// from noise.
    std::optional<double> deviation_pct;
    bool differ = false;  // by more than the threshold, and than chance
};

/// One metric of one cell (workload x contender). A cell without numbers has one result, for `time`, that
/// carries the status and the reason.
struct result {
    std::string workload;
    std::string contender;
    std::string metric;
    std::string unit;
    direction better = direction::smaller;
    bool deterministic = false;
    way made = way::apart;                       // how its trials were made
    std::vector<std::optional<double>> samples;  // one per trial, by block; of --checks one per pair
    std::optional<double> median, low, high;
    double level = 0.95;
    std::optional<ratio> to_baseline;
    std::optional<difference> from_baseline;  // only where there is no ratio
    /// Absent without a floor, and for what has no limit in the kernel.
    std::optional<floor_multiple> times_floor;
    /// Of time and CPU, only of whom is the fastest on io_uring, where somebody is on epoll.
    std::optional<driver_ratio> to_epoll;
    std::optional<verdict> judged;
    std::optional<double> detectable_pct;
    /// Of a comparison of several layouts of each build: by how much one layout of the same code differs from
    /// another, as a standard deviation. Absent where it could not be told from noise.
    std::optional<double> layout_pct;
    std::optional<host_effect> by_host;  // of a ratio, where its blocks are of several hosts
    cell_status status = cell_status::ok;
    std::optional<std::string> reason;  // always there when a number is not
};

struct contender {
    std::string name;
    std::optional<std::string> library, version, compiler, flags, socket_options;
    /// All that the contender said of itself.
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
};

/// What there is to know of a workload without its numbers.
struct workload {
    std::string name;
    /// The metrics that it is about: overviews, and what is said of a run in sentences, are on those.
    std::vector<std::string> headline_metrics;
};

/// How often a slowdown of a known size was called `slower`; of 0 % for the A/A with as many blocks.
struct detection_rate {
    double slowdown_pct = 0;
    std::uint64_t measured = 0, measured_slower = 0;  // tries, each of blocks of its own
    std::optional<double> low, high;                  // 95 % bounds of that share; absent without tries
    std::uint64_t faster = 0;                         // called the opposite
};

/// How often a contender was called different from itself.
struct alarm_rate {
    std::uint64_t blocks = 0, tries = 0, different = 0;
    double at_most_pct = 100;  // 95 % bound of the rate of false alarms
};

/// What `loopbench calibrate` found: how often verdicts are right where the truth is known.
struct calibration {
    std::string date;  // UTC, ISO 8601
    bool complete = true;
    std::string contender;
    std::vector<std::string> workloads;
    way made = way::apart;  // how their trials were made
    double threshold_pct = 0;
    alarm_rate aa;
    std::uint64_t blocks = 0;  // of each try below
    double try_s = 0;          // what a try takes that has its own A/A: three trials a block
    std::vector<detection_rate> slowdowns;
};

/// The machine and the moment. No host name: reports are made to be shared.
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
    /// The least time of a system call (getppid), in batches; absent in older reports.
    std::optional<double> cheapest_call_ns{};
    std::array<double, 3> load_average{};   // 1, 5 and 15 minutes, when the run began
    std::optional<calibration> calibrated;  // absent when there is none of this machine
    /// What tells it from machines that look the same: drawn by its kernel at random when it was started. Of
    /// shards alone.
    std::optional<std::string> machine = {};
};

/// One of several machines that blocks are of.
struct host {
    std::string kernel, cpu_model;
    std::int64_t cores = 0;
    std::vector<std::uint64_t> shards;  // that it did
    std::uint64_t blocks = 0;           // of these; one may be of two hosts, workload by workload
};

/// What was to be done, as far as two reports have to be alike in it.
struct planned {
    std::string size;       // of the workloads: "smoke" or "real"
    double min_time_s = 0;  // of a trial whose workload has no fixed size
    double trial_limit_s = 0;
    std::uint64_t blocks = 0;                // with a precision, as many as that was found to need
    std::optional<std::int64_t> cpu{};       // that the trials were pinned to
    std::optional<std::uint64_t> layouts{};  // of each build that are compared; absent where there is one
    std::optional<std::int64_t> turn_untimed_ns{}, turn_timed_ns{};  // absent where no workload is in turns
    // Of serve/open_loop with its client on another machine: our address, and the command that started it.
    std::optional<std::string> serve_on{}, generator_on{};
};

struct warning {
    std::string code;  // stable, for programs
    std::string message;
    std::string remedy;
};

/// How verdicts were reached.
struct judging {
    std::string correction;    // for the number of comparisons
    double threshold_pct = 0;  // smaller differences are no differences
    /// Of `time`, in a run where workloads are about it. Every other metric is a family of its own; in a run
    /// so is a metric where workloads are about something else.
    std::uint64_t comparisons = 0;
};

/// One workload of the baseline against itself under another name, and its first blocks against its last.
struct self_comparison {
    std::string workload;
    ratio to_itself;
    verdict judged = verdict::inconclusive;
    std::optional<double> detectable_pct;
    std::optional<double> drift_pct;  // how much slower the run's second half was; absent with few blocks
    bool drifted = false;             // by more than chance
};

/// The A/A: what this session calls a difference where there is none.
struct self_check {
    std::string contender, twin;  // the same executable under two names of the same length
    fitness found = fitness::unknown;
    std::optional<std::string> reason;  // always there unless it is fit
    std::optional<double> spread_pct;   // of the single pairs, all workloads together
    std::vector<self_comparison> comparisons;
};

/// What else went on in the machine during trials.
struct disturbances {
    std::uint64_t trials = 0;     // all that ended, repeated ones too
    std::uint64_t disturbed = 0;  // of those
    std::uint64_t repeated = 0;   // workloads of a block run again because of that, or of an interrupt
    std::uint64_t kept = 0;  // disturbed trials in the results, because the limit for repeats was reached
};

struct report {
    std::string schema{report_schema};
    bool complete = true;
    std::uint64_t seed = 0;
    std::string baseline;
    std::vector<std::string> command;
    std::optional<planned> plan;             // absent in reports of before this was written
    environment where;                       // of several hosts, the first one's
    std::optional<std::vector<host>> hosts;  // absent where there is one
    std::vector<contender> contenders;
    std::vector<workload> workloads;  // empty in reports of before this was written: see report_index.hpp
    std::vector<result> results;
    judging judged_by;
    std::optional<self_check> aa;  // absent when the baseline was not measured
    disturbances disturbed;
    std::vector<warning> warnings;
};

/// The report's result for this metric of the cell; null when there is none.
const result* find_result(const report& in, std::string_view workload, std::string_view contender,
                          std::string_view metric = "time");

/// Whether both are of one cell; of anything that names its workload and its contender.
template <class one, class other>
bool same_cell(const one& left, const other& right) {
    return left.workload == right.workload && left.contender == right.contender;
}

/// The first of `all` that is of the same cell as `like`, or their end.
template <class items, class one>
auto find_cell(items& all, const one& like) {
    return std::ranges::find_if(all, [&](const auto& each) { return same_cell(each, like); });
}

/// Whether the contender says in its context that it is a floor: bare calls or coroutines, below which no
/// loop is to be expected.
bool is_floor(const contender& who);

/// The context's text under `key`; nothing when it is absent, empty or not a text.
std::optional<std::string> context_text(const nlohmann::ordered_json& context, std::string_view key);

/// The contender as its context describes it.
contender describe(std::string name, nlohmann::ordered_json context);

}  // namespace loopbench::reports
