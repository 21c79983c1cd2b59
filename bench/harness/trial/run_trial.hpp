// One run of one workload by one contender. The executor is an interface, so that tests can check the
// runner's rules with an executor that takes no time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"
#include "bench/harness/trial/interleaving.hpp"
#include "bench/harness/trial/laws.hpp"
#include "bench/harness/trial/process/child_process.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct trial_request {
    const contender& who;
    const std::string& workload;
    double min_time_s = 0.5;
    workload_size size = workload_size::full;
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};
    std::optional<int> cpu = {};
    std::size_t padding_bytes = 0;  // in the environment
    slice_lengths slice = {};       // if interleaved; the same for all in a block

    // Not for a run's normal trials: overrides of the contender's behaviour, and additions to its process.
    std::optional<std::uint64_t> operations = {};
    bool recording = true;
    bool with_histogram_file = true;
    std::vector<std::string> front = {};  // words before its command: a tracer
    std::map<std::string, std::string> environment = {};
};

struct trial_outcome {
    bool stopped = false;    // by an interrupt: there is no result, and the trial does not count
    bool timed_out = false;  // it was ended at its limit, and failed
    reports::result_status status = reports::result_status::ok;
    std::string reason;                                    // for a status other than ok
    std::map<std::string, std::optional<double>> metrics;  // known metrics only; no value for a NaN
    std::optional<double> operations = {};                 // the number that it reports
    timed_claims claims = {};                              // what the laws check (laws.hpp)
    bool calibrated = false;                               // Google Benchmark chose the number
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
    resource_usage usage;
    std::chrono::nanoseconds wall{0};
    reports::pairing made = reports::pairing::sequential;
    std::optional<double> cpu_time_ns = {};  // per operation, as Google Benchmark reports it
    std::optional<int> cpu = {};             // the CPU that it was kept on
    std::optional<double> waited = {};       // if concurrent: the share of its time in which it left the core
    std::vector<double> slices =
        {};  // ns per operation, by round (slices.hpp); empty if the trial had the core to itself
    std::string disturbed;   // by what; empty if undisturbed
    std::string histograms;  // from its histogram file (read_histogram_file()); usually empty
};

class trial_executor {
public:
    virtual ~trial_executor() = default;
    virtual trial_outcome run(const trial_request& request) = 0;
    /// Runs all of them at once, interleaved or concurrently. `limit` is for all together; each request's own
    /// limit is for its start. An executor without either pairing runs one after the other.
    virtual std::vector<trial_outcome> run_at_once(std::span<const trial_request> requests,
                                                   reports::pairing made, std::uint64_t seed,
                                                   std::chrono::nanoseconds limit);
};

/// Chooses whether trials are checked for disturbances.
enum class watching { off, on };

/// Runs trials as processes; see child_process.hpp for `stop_fd` and the thread rule.
class process_executor : public trial_executor {
public:
    explicit process_executor(int stop_fd, watching disturbances = watching::on)
        : stop_fd_{stop_fd}, watching_{disturbances} {}
    trial_outcome run(const trial_request& request) override;
    std::vector<trial_outcome> run_at_once(std::span<const trial_request> requests, reports::pairing made,
                                           std::uint64_t seed, std::chrono::nanoseconds limit) override;

private:
    int stop_fd_;
    watching watching_;
};

/// Returns true if a metric is meaningful for a program that shared a core: it does not use wall-clock time.
bool is_of_cpu_time(std::string_view metric);

/// Returns why the process failed ("killed by SIGSEGV"); nothing if it exited with 0.
std::optional<std::string> failure_of(const child_outcome& outcome, std::chrono::nanoseconds limit);

/// Judges the output of a process that ran `workload`.
trial_outcome judge(const child_outcome& outcome, std::string_view workload, std::chrono::nanoseconds limit);

}  // namespace loopbench::bench
