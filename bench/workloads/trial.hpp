// What a workload is handed: how much to do, where to put what it saw, and to whom to prove that it did it.
//
// The point of the class is what it refuses: a trial that did not time exactly one section, or proved
// nothing, or whose proof failed, has no result at all, so an unproved number cannot be printed by mistake.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/metrics/histogram.hpp"
#include "bench/metrics/usage.hpp"

namespace loopbench::bench {

/// How much a workload of fixed size does; every workload states both sizes.
enum class trial_size { smoke, real };

/// One workload, run once by one runtime. Used on the runtime's thread only.
class trial {
public:
    /// Without `recording`, workloads record no latencies and read no clock for them: what is then saved is
    /// the price of measuring. Lateness is always recorded, since it is part of the proof. `slowdown` is the
    /// share by which the timed section is made longer on purpose, all of it at its end.
    trial(trial_size size, std::uint64_t operations, bool recording = true, double slowdown = 0)
        : size_(size), operations_(operations), recording_(recording), slowdown_(slowdown) {}
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    trial_size size() const noexcept { return size_; }
    bool smoke() const noexcept { return size_ == trial_size::smoke; }

    /// How many operations to do. A workload that can only do multiples of something rounds up and says
    /// did().
    std::uint64_t operations() const noexcept { return operations_; }

    /// Around the timed section, exactly once each. What is outside (connecting, warming up, proving) is not
    /// timed.
    void begin() noexcept;
    void end() noexcept;

    /// The operations that the timed section really did, when that is not operations().
    void did(std::uint64_t operations) noexcept { done_ = operations; }

    bool recording() const noexcept { return recording_; }
    /// Now, for a latency that begins; the clock is not read when none is recorded.
    std::chrono::steady_clock::time_point start_of_latency() const noexcept {
        return recording_ ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point{};
    }

    histogram& latency() noexcept { return latency_; }
    /// Where to record latencies; null when they are not to be recorded.
    histogram* latency_if_recording() noexcept { return recording_ ? &latency_ : nullptr; }
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
    const usage& cost() const noexcept { return cost_; }
    const std::vector<std::pair<std::string, double>>& reported() const noexcept { return reported_; }
    std::uint64_t operations_done() const noexcept { return done_.value_or(operations_); }

private:
    trial_size size_;
    std::uint64_t operations_;
    bool recording_;
    double slowdown_;
    std::optional<std::uint64_t> done_;
    usage_meter meter_;
    usage cost_;
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
