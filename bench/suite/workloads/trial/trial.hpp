// A trial as a workload sees it: the number of operations to make, the functions that record observations,
// and the proof that the work was done.
//
// The class refuses invalid results. A trial has no result if it did not time exactly one section, if it
// proved nothing, or if a proof failed. Therefore, no unproved number can be printed by mistake.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/workload_size.hpp"
#include "bench/suite/recording/histogram.hpp"
#include "bench/suite/recording/usage.hpp"
#include "bench/suite/workloads/trial/slices.hpp"

namespace loopbench::bench {

/// One run of one workload by one runtime. Only the runtime's thread may use the trial.
class trial {
public:
    /// Makes a trial of `operations` operations. If `recording` is false, workloads record no latencies and
    /// do not read the clock for them; the saved time is the measurement overhead. Lateness is always
    /// recorded, because the proof needs it. `slowdown` is the share by which the timed section, or each
    /// slice, is lengthened at its end (for `loopbench calibrate`).
    trial(workload_size size, std::uint64_t operations, bool recording = true, double slowdown = 0,
          const std::optional<slice_settings>& slices = {})
        : size_(size), operations_(operations), recording_(recording), slowdown_(slowdown) {
        if (slices) slices_.emplace(*slices, slowdown);
    }
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    workload_size size() const noexcept { return size_; }
    bool small() const noexcept { return size_ == workload_size::small; }

    /// Returns how many operations to make. A workload that can make only multiples of a number rounds up and
    /// calls did().
    std::uint64_t operations() const noexcept { return operations_; }

    /// Begin and end the timed section. Each function must be called exactly once. The work outside the
    /// section (connecting, warming up, proving) is not timed. For interleaved contenders, `steps` states the
    /// units of work that a slice must not divide.
    void begin(const slice_steps& steps = {}) noexcept;
    void end() noexcept;

    /// Returns how many operations to make until the next call, or 0 when the section must end. All
    /// operations of the previous call must have ended before this call. A timed part then contains only
    /// operations that began and ended in it. Interleaved contenders wait here for their slice (slices.hpp);
    /// other contenders receive all operations at once.
    std::uint64_t next() noexcept;
    /// Returns true when next() has returned the last of operations(). Always returns false for interleaved
    /// contenders, because they complete a timed part even if it needs more operations.
    bool all_given() const noexcept { return !slices_ && given_ >= operations_; }

    /// Sets the number of operations that were made in the timed section. A workload must call this function
    /// if it does not use next() and the number differs from operations().
    void did(std::uint64_t operations) noexcept { done_ = operations; }

    /// Measures the CPU time of another process, which does the work. Must be called before begin(). The user
    /// time, the system time and the wake-ups of the other process are then unknown. Throws std::system_error
    /// if the process does not exist.
    void take_cpu_of(pid_t process) {
        slices_ ? slices_->take_cpu_of(process) : meter_.take_cpu_of(process);
        is_of_another_process_ = true;
    }
    bool is_of_another_process() const noexcept { return is_of_another_process_; }

    bool recording() const noexcept { return recording_; }
    using time_point = std::chrono::steady_clock::time_point;
    /// Returns the current time as the start of a latency. Does not read the clock if no latencies are
    /// recorded.
    time_point start_of_latency() const noexcept {
        return recording_ ? std::chrono::steady_clock::now() : time_point{};
    }
    /// Records the latency of an operation that began at `start`, unless the current part of the slice is
    /// untimed. Returns the end of this latency, which can be the start of the next one. After a call of
    /// next(), which can wait, the next latency needs a new start.
    time_point record_latency(time_point start) noexcept {
        const time_point end = start_of_latency();
        if (recording_ && (!slices_ || slices_->is_timing()))
            latency_.record(std::chrono::nanoseconds(end - start).count());
        return end;
    }

    histogram& latency() noexcept { return latency_; }
    const histogram& latency() const noexcept { return latency_; }

    /// Sets how long before its deadline a timer may fire: the runtime's early_limit
    /// (bench/suite/runtime.hpp), which is usually 0.
    void may_be_early_by(std::chrono::nanoseconds limit) noexcept { early_limit_ = limit; }
    std::chrono::nanoseconds early_limit() const noexcept { return early_limit_; }

    /// The recorded lateness of all timers. A timer that fired earlier than early_limit() allows fails the
    /// trial.
    signed_histogram& lateness() noexcept { return lateness_; }
    const signed_histogram& lateness() const noexcept { return lateness_; }

    /// Adds a value of a metric other than time, latency and lateness. `metric` is the name of a metric in
    /// reports/model/metrics.cpp, and `value` has the unit of this metric.
    void report(std::string_view metric, double value) { reported_.emplace_back(metric, value); }

    /// Adds a proof that `actual` equals `expected`. If the numbers differ, fails the trial with this reason.
    void prove(std::string_view what, std::uint64_t expected, std::uint64_t actual);

    /// Adds a proof that the time `actual`, which `what` took, is at least `least`. If it is shorter, fails
    /// the trial with this reason.
    void prove_lasted(std::string_view what, std::chrono::nanoseconds least, std::chrono::nanoseconds actual);

    /// Fails the trial because the work was not done. Only the first reason is kept.
    void fail(std::string reason);

    /// Marks the trial as unsupported, because the contender cannot run this workload. Overrides any failure.
    void unsupported(std::string reason) { unsupported_ = std::move(reason); }

    // The following functions are for the code that started the trial.

    /// Returns the reason why the trial has no result, or nothing if all its work was verified.
    std::optional<std::string> failure() const;
    const std::optional<std::string>& unsupported() const noexcept { return unsupported_; }
    const usage& cost() const noexcept { return slices_ ? slices_->cost() : cost_; }
    const std::vector<std::pair<std::string, double>>& reported() const noexcept { return reported_; }
    std::uint64_t operations_done() const noexcept { return done_.value_or(std::max(operations_, given_)); }
    /// Returns the number of operations that cost() covers. In an interleaved trial, this number is smaller
    /// than the number of operations that were made.
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
    std::uint64_t given_ = 0;  // number of operations that next() has returned in total
    std::uint64_t chunk_ = 0;  // the last value that next() returned
    usage_meter meter_;
    usage cost_;
    std::chrono::nanoseconds delay_{0};  // run_delay() at the beginning of the section
    bool is_of_another_process_ = false;
    int begins_ = 0;
    int ends_ = 0;
    std::uint64_t proofs_ = 0;
    std::optional<std::string> failure_;
    std::optional<std::string> unsupported_;
    std::vector<std::pair<std::string, double>> reported_;
    std::chrono::nanoseconds early_limit_{0};
    histogram latency_;
    signed_histogram lateness_;
};

}  // namespace loopbench::bench
