// The executor of trials is an interface, so that tests can check the runner's rules without starting
// processes.
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
    std::size_t padding_bytes = 0;  // length of the variable LOOPBENCH_PADDING
    slice_lengths slice = {};       // only for interleaved trials; the same for the whole block
    bool records_loops = true;      // asio_compat records the loops of the program's io_contexts

    // Only the counting and checking passes set the following members.
    std::optional<std::uint64_t> operations = {};
    bool recording = true;
    bool with_histogram_file = true;
    std::vector<std::string> front = {};  // the command of a tracer, placed before the contender's command
    std::map<std::string, std::string> environment = {};
    std::vector<std::string> flags = {};  // further flags for Google Benchmark
    std::size_t error_bytes = 0;          // the number of bytes of standard error to keep in `errors`
};

struct trial_outcome {
    bool stopped = false;  // the trial then does not count
    bool timed_out = false;
    reports::result_status status = reports::result_status::ok;
    std::string reason;
    std::map<std::string, std::optional<double>> metrics;  // known metrics only; NaN becomes "no value"
    std::optional<double> operations = {};
    timed_claims claims = {};
    bool calibrated = false;  // true if Google Benchmark chose `operations`
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
    resource_usage usage;
    std::chrono::nanoseconds wall{0};
    reports::pairing made = reports::pairing::sequential;
    std::optional<double> cpu_time_ns = {};  // per operation, as Google Benchmark reports it
    std::optional<int> cpu = {};
    std::optional<reports::used_cores> cores = {};  // as the suite's contenders state them
    std::optional<double> waited = {};  // if concurrent: share of time blocked (not waiting for a core)
    std::vector<double> slices =
        {};  // ns per operation in each round; empty if the trial had the core to itself
    std::string disturbed;
    std::string histograms;   // see read_histogram_file(); usually empty
    std::string errors = {};  // the end of standard error, if the request asks for it
    // The loops of the io_contexts that its processes recorded (asio_use.hpp); absent if they recorded none.
    std::optional<std::vector<std::string>> asio_loops = {};
    std::optional<std::string> asio_failure = {};
};

class trial_executor {
public:
    virtual ~trial_executor() = default;
    virtual trial_outcome run(const trial_request& request) = 0;
    /// Runs the requests and returns their outcomes. `limit` is the time limit of all requests together. For
    /// interleaved trials, the limit of each request applies only to the start and to the end of its process.
    /// The default implementation runs one request after the other.
    virtual std::vector<trial_outcome> run_at_once(std::span<const trial_request> requests,
                                                   reports::pairing made, std::uint64_t seed,
                                                   std::chrono::nanoseconds limit);
};

enum class watching { off, on };

/// An executor that starts a process for each trial. Use it only in the main thread; child_process.hpp gives
/// the reason and explains `stop_fd`.
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

bool is_of_cpu_time(std::string_view metric);

/// Returns the minimum time of a trial, in seconds: `asked_s`, but at least 20 ms if the trial is concurrent.
double effective_min_time_s(double asked_s, reports::pairing made);

std::optional<std::string> failure_of(const child_outcome& outcome, std::chrono::nanoseconds limit);

trial_outcome judge(const child_outcome& outcome, std::string_view workload, std::chrono::nanoseconds limit,
                    const listed_benchmark* listed = nullptr);

}  // namespace loopbench::bench
