// One contender running one workload once. The executor is an interface so that the runner's rules can be
// tested with one that takes no time.
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

#include "bench/trial/contender_list.hpp"
#include "bench/trial/laws.hpp"
#include "bench/trial/process/child_process.hpp"
#include "bench/trial/turns.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

struct trial_request {
    const contender& who;
    const std::string& workload;
    double min_time_s = 0.5;
    workload_size size = workload_size::real;
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};
    std::optional<int> cpu = {};
    std::size_t padding_bytes = 0;  // in the environment
    turn_lengths turn = {};         // where it takes turns; of all in a block the same

    // Not of a run's own trials: what the contender is told to do instead of what it would do, and what else
    // its process gets.
    std::optional<std::uint64_t> operations = {};
    bool recording = true;
    bool with_side_file = true;
    std::vector<std::string> front = {};  // words in front of its command: a tracer
    std::map<std::string, std::string> environment = {};
};

struct trial_outcome {
    bool stopped = false;    // by an interrupt: there is no result, and the trial does not count
    bool timed_out = false;  // it was ended at its limit, and failed
    reports::cell_status status = reports::cell_status::ok;
    std::string reason;                                    // for a status other than ok
    std::map<std::string, std::optional<double>> metrics;  // known metrics alone; no value for a NaN
    std::optional<double> operations = {};                 // that it says it did
    timed_claims claims = {};                              // what the laws are checked with (laws.hpp)
    bool calibrated = false;                               // Google Benchmark chose how many
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
    resource_usage usage;
    std::chrono::nanoseconds wall{0};
    reports::way made = reports::way::apart;
    std::optional<double> cpu_time_ns = {};  // per operation, as Google Benchmark has it
    std::optional<int> cpu = {};             // that it was kept on
    std::optional<double> waited = {};  // of what ran together: the share of its time that it left the core
    std::vector<double> turns =
        {};  // ns per operation, by round (turns.hpp); none of a trial that had the core to itself
    std::string disturbed;   // by what; empty when by nothing
    std::string histograms;  // of its side file (read_side_file()); mostly none
};

class trial_executor {
public:
    virtual ~trial_executor() = default;
    virtual trial_outcome run(const trial_request& request) = 0;
    /// All of them at once, in turns or together; `limit` is for all of them, each request's own for its
    /// beginning. Of an executor that knows neither: one after the other.
    virtual std::vector<trial_outcome> run_at_once(std::span<const trial_request> requests, reports::way made,
                                                   std::uint64_t seed, std::chrono::nanoseconds limit);
};

/// Whether trials are asked for what disturbed them.
enum class watching { off, on };

/// Runs trials as processes; see child_process.hpp for `stop_fd` and the thread rule.
class process_executor : public trial_executor {
public:
    explicit process_executor(int stop_fd, watching disturbances = watching::on)
        : stop_fd_{stop_fd}, watching_{disturbances} {}
    trial_outcome run(const trial_request& request) override;
    std::vector<trial_outcome> run_at_once(std::span<const trial_request> requests, reports::way made,
                                           std::uint64_t seed, std::chrono::nanoseconds limit) override;

private:
    int stop_fd_;
    watching watching_;
};

/// Whether a metric says something of a program that had a part of a core: it does not go by the clock on the
/// wall.
bool is_of_cpu_time(std::string_view metric);

/// Why the process as such is no success ("killed by SIGSEGV"); nothing when it exited with 0.
std::optional<std::string> failure_of(const child_outcome& outcome, std::chrono::nanoseconds limit);

/// What the output of a process that ran `workload` amounts to.
trial_outcome judge(const child_outcome& outcome, std::string_view workload, std::chrono::nanoseconds limit);

}  // namespace loopbench::bench
