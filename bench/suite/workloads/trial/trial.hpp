// The trial as a workload sees it. A trial has a result only if it has timed exactly one section and has
// checked the workload's work successfully (prove()). The number of a workload that did not do its work
// therefore cannot be printed by mistake.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/catalog/workload_size.hpp"
#include "bench/suite/recording/histogram.hpp"
#include "bench/suite/recording/usage.hpp"
#include "bench/suite/workloads/trial/slices.hpp"
#include "reports/model/used_cores.hpp"

namespace loopbench::bench {

/// One run of one workload by one runtime. Only one thread at a time can use the trial.
class trial {
public:
    /// Makes a trial. If `recording` is false, workloads record no latencies and do not read the clock for
    /// them; the saved time is the measurement overhead. Lateness is always recorded, because the check of
    /// the workload's work needs it. `slowdown` is the share by which the timed section, or each slice, is
    /// lengthened at its end (for `loopbench calibrate`).
    trial(workload_size size, std::uint64_t operations, bool recording = true, double slowdown = 0,
          const std::optional<slice_settings>& slices = {})
        : size_(size), operations_(operations), recording_(recording), slowdown_(slowdown) {
        if (slices) slices_.emplace(*slices, slowdown);
    }
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    workload_size size() const noexcept { return size_; }
    bool small() const noexcept { return size_ == workload_size::small; }

    /// Returns the number of operations to perform. A workload that can perform only multiples of 8, for
    /// example, rounds the number up, and reports the actual number with did().
    std::uint64_t operations() const noexcept { return operations_; }

    /// Begins the timed section, which end() ends. Each of these two functions must be called exactly once.
    /// `steps` states the units of work that a slice of an interleaved trial must not divide.
    void begin(const slice_steps& steps = {}) noexcept;
    void end() noexcept;

    /// Returns the number of operations to make until the next call, or 0 when the section must end. All
    /// operations of the previous call must have ended. Interleaved contenders wait here for their slice
    /// (slices.hpp); other contenders receive all operations at once.
    std::uint64_t next() noexcept;
    /// Returns true if next() has returned the last of operations(). Always returns false for interleaved
    /// contenders, because they complete a timed part even if it needs more operations.
    bool all_given() const noexcept { return !slices_ && given_ >= operations_; }

    /// Sets the number of operations that were made. A workload must call this function if it does not use
    /// next() and makes more or fewer operations than operations().
    void did(std::uint64_t operations) noexcept { done_ = operations; }

    /// Measures the CPU time of another process, which does the work. The user time, system time and wake-ups
    /// of that process are unknown. This function must be called before begin(). Throws std::system_error if
    /// the process does not exist.
    void take_cpu_of(pid_t process) {
        slices_ ? slices_->take_cpu_of(process) : meter_.take_cpu_of(process);
        is_of_another_process_ = true;
    }
    bool is_of_another_process() const noexcept { return is_of_another_process_; }

    bool recording() const noexcept { return recording_; }
    using time_point = std::chrono::steady_clock::time_point;
    /// Returns the current time, or an unspecified time if no latencies are recorded.
    time_point start_of_latency() const noexcept {
        return recording_ ? std::chrono::steady_clock::now() : time_point{};
    }
    /// Records a latency, unless the current part of the slice is untimed. Returns the end of the latency.
    /// The end can be the start of the next latency, unless next() was called meanwhile, because next() can
    /// wait.
    time_point record_latency(time_point start) noexcept {
        const time_point end = start_of_latency();
        if (recording_ && (!slices_ || slices_->is_timing()))
            latency_.record(std::chrono::nanoseconds(end - start).count());
        return end;
    }

    histogram& latency() noexcept { return latency_; }
    const histogram& latency() const noexcept { return latency_; }

    /// Sets the runtime's early_limit (bench/suite/runtime.hpp), which is usually 0.
    void may_be_early_by(std::chrono::nanoseconds limit) noexcept { early_limit_ = limit; }
    std::chrono::nanoseconds early_limit() const noexcept { return early_limit_; }

    /// Returns the lateness of all timers. The trial fails if a timer fired earlier than early_limit()
    /// allows.
    signed_histogram& lateness() noexcept { return lateness_; }
    const signed_histogram& lateness() const noexcept { return lateness_; }

    /// States the cores to which the contender's threads are pinned.
    void runs_on(std::vector<int> cores) { cores_.threads = std::move(cores); }
    /// States the core of the load generator.
    void generator_runs_on(int core) { cores_.generator = {core}; }
    const reports::used_cores& cores() const noexcept { return cores_; }

    /// Adds a value to the results. `metric` is a name in reports/model/metrics.cpp, which also defines the
    /// unit.
    void report(std::string_view metric, double value) { reported_.emplace_back(metric, value); }

    void prove(std::string_view what, std::uint64_t expected, std::uint64_t actual);

    /// Fails the trial if `actual`, the time that `what` took, is shorter than `least`.
    void prove_lasted(std::string_view what, std::chrono::nanoseconds least, std::chrono::nanoseconds actual);

    /// Fails the trial. If it has already failed, the first reason is kept.
    void fail(std::string reason);

    /// Marks the trial as unsupported, even if it has failed.
    void unsupported(std::string reason) { unsupported_ = std::move(reason); }

    std::optional<std::string> failure() const;
    const std::optional<std::string>& unsupported() const noexcept { return unsupported_; }
    const usage& cost() const noexcept { return slices_ ? slices_->cost() : cost_; }
    const std::vector<std::pair<std::string, double>>& reported() const noexcept { return reported_; }
    std::uint64_t operations_done() const noexcept { return done_.value_or(std::max(operations_, given_)); }
    /// Returns the number of operations that cost() covers, which is smaller than operations_done() in an
    /// interleaved trial.
    std::uint64_t operations_timed() const noexcept {
        return slices_ ? slices_->operations() : operations_done();
    }

private:
    workload_size size_;
    std::uint64_t operations_;
    bool recording_;
    double slowdown_;
    std::optional<std::uint64_t> done_;
    std::optional<slicer> slices_;
    std::uint64_t step_ = 1;
    std::uint64_t given_ = 0;
    std::uint64_t chunk_ = 0;
    usage_meter meter_;
    usage cost_;
    std::thread::id began_in_;
    std::chrono::nanoseconds delay_{0};
    bool is_of_another_process_ = false;
    int begins_ = 0;
    int ends_ = 0;
    std::uint64_t proofs_ = 0;
    std::optional<std::string> failure_;
    std::optional<std::string> unsupported_;
    std::vector<std::pair<std::string, double>> reported_;
    reports::used_cores cores_;
    std::chrono::nanoseconds early_limit_{0};
    histogram latency_;
    signed_histogram lateness_;
};

}  // namespace loopbench::bench
