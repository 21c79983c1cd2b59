// What a workload is handed: how much to do, where to put what it saw, and to whom to prove that it did it.
//
// The point of the class is what it refuses: a trial that did not time exactly one section, or proved
// nothing, or whose proof failed, has no result at all, so an unproved number cannot be printed by mistake.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/metrics/histogram.hpp"
#include "bench/metrics/usage.hpp"
#include "bench/workloads/trial/turns.hpp"

namespace loopbench::bench {

/// How much a workload of fixed size does; every workload states both sizes.
enum class trial_size { smoke, real };

/// One workload, run once by one runtime. Used on the runtime's thread only.
class trial {
public:
    /// Without `recording`, workloads record no latencies and read no clock for them: what is then saved is
    /// the price of measuring. Lateness is always recorded, since it is part of the proof. `slowdown` is the
    /// share by which the timed section, or each turn of it, is made longer on purpose, all of it at its end.
    trial(trial_size size, std::uint64_t operations, bool recording = true, double slowdown = 0,
          const std::optional<turn_settings>& turns = {})
        : size_(size), operations_(operations), recording_(recording), slowdown_(slowdown) {
        if (turns) turns_.emplace(*turns, slowdown);
    }
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    trial_size size() const noexcept { return size_; }
    bool smoke() const noexcept { return size_ == trial_size::smoke; }

    /// How many operations to do. A workload that can only do multiples of something rounds up and says
    /// did().
    std::uint64_t operations() const noexcept { return operations_; }

    /// Around the timed section, exactly once each. What is outside (connecting, warming up, proving) is not
    /// timed. Where contenders take turns, `steps` says what of the work is not cut by one.
    void begin(const turn_steps& steps = {}) noexcept;
    void end() noexcept;

    /// Returns how many operations to do until the next call, and 0 when the section must end. Nothing may be
    /// in flight when this is called: every operation that was returned before has ended, so that a timed
    /// part has only operations that began and ended inside it. Interleaved contenders wait here for their
    /// slice (turns.hpp); others get all operations at once.
    std::uint64_t next() noexcept;

    /// Sets how many operations the timed section did, for a section without next() that did not do
    /// operations().
    void did(std::uint64_t operations) noexcept { done_ = operations; }

    /// To be called before begin(): the work is done by another process, whose CPU time is what counts. How
    /// that splits, and how often it sleeps, is not known then. Throws std::system_error when there is none.
    void take_cpu_of(pid_t process) {
        turns_ ? turns_->take_cpu_of(process) : meter_.take_cpu_of(process);
        is_of_another_process_ = true;
    }
    bool is_of_another_process() const noexcept { return is_of_another_process_; }

    bool recording() const noexcept { return recording_; }
    using time_point = std::chrono::steady_clock::time_point;
    /// Returns the current time, where a latency begins. Does not read the clock when no latency is recorded.
    time_point start_of_latency() const noexcept {
        return recording_ ? std::chrono::steady_clock::now() : time_point{};
    }
    /// Records the latency of an operation that began at `start`, unless this part of the slice is not timed.
    /// Returns its end, where the next one may begin; not across a call of next(), which may wait.
    time_point record_latency(time_point start) noexcept {
        const time_point end = start_of_latency();
        if (recording_ && (!turns_ || turns_->is_timing()))
            latency_.record(std::chrono::nanoseconds(end - start).count());
        return end;
    }

    histogram& latency() noexcept { return latency_; }
    const histogram& latency() const noexcept { return latency_; }

    /// How long before its deadline a timer may fire: the runtime's early_limit (bench/runtime.hpp), mostly
    /// nothing.
    void may_be_early_by(std::chrono::nanoseconds limit) noexcept { early_limit_ = limit; }
    std::chrono::nanoseconds early_limit() const noexcept { return early_limit_; }

    /// Lateness of timers. That a timer fired earlier than it may fails the trial.
    signed_histogram& lateness() noexcept { return lateness_; }
    const signed_histogram& lateness() const noexcept { return lateness_; }

    /// A value beside time, latency and lateness; `metric` is one of reports/metrics.cpp, in its unit.
    void report(std::string_view metric, double value) { reported_.emplace_back(metric, value); }

    /// Part of the proof: `actual` must be `expected`. The first part that is not true is kept as the reason.
    void prove(std::string_view what, std::uint64_t expected, std::uint64_t actual);

    /// The work was not done, and this is why. Only the first reason is kept.
    void fail(std::string reason);

    /// This contender cannot run this workload, and this is why. Outweighs any failure.
    void unsupported(std::string reason) { unsupported_ = std::move(reason); }

    // What came of it, for whoever started the trial.

    /// Why there is no number; nothing when the work is proved.
    std::optional<std::string> failure() const;
    const std::optional<std::string>& unsupported() const noexcept { return unsupported_; }
    const usage& cost() const noexcept { return turns_ ? turns_->cost() : cost_; }
    const std::vector<std::pair<std::string, double>>& reported() const noexcept { return reported_; }
    std::uint64_t operations_done() const noexcept { return done_.value_or(std::max(operations_, given_)); }
    /// Those that cost() is of: with turns, not all that were done.
    std::uint64_t operations_timed() const noexcept {
        return turns_ ? turns_->operations() : operations_done();
    }

private:
    trial_size size_;
    std::uint64_t operations_;
    bool recording_;
    double slowdown_;
    std::optional<std::uint64_t> done_;
    std::optional<turn_taker> turns_;
    std::uint64_t step_ = 1;
    std::uint64_t given_ = 0;  // operations, by next()
    std::uint64_t chunk_ = 0;  // the last of them
    usage_meter meter_;
    usage cost_;
    std::chrono::nanoseconds delay_{0};  // when the section began
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
