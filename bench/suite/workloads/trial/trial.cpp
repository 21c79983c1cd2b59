#include "bench/suite/workloads/trial/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace loopbench::bench {

void trial::begin(const slice_steps& steps) noexcept {
    ++begins_;
    step_ = steps.operations;
    if (slices_) {
        slices_->begin(steps);
    } else {
        began_in_ = std::this_thread::get_id();
        if (slowdown_ > 0) delay_ = run_delay();
        meter_.begin();
    }
}

void trial::end() noexcept {
    if (slices_) {
        slices_->end();
    } else {
        // run_delay() is the delay of one thread, so it is unknown if the section ends in another thread.
        const bool is_one_thread = began_in_ == std::this_thread::get_id();
        if (slowdown_ > 0)
            meter_.prolong(slowdown_, is_one_thread ? run_delay() - delay_ : std::chrono::nanoseconds(0));
        cost_ = meter_.end();
    }
    if (begins_ == 1) ++ends_;
}

std::uint64_t trial::next() noexcept {
    const std::uint64_t left = given_ < operations_ ? (operations_ - given_ + step_ - 1) / step_ * step_ : 0;
    chunk_ = slices_ ? slices_->next(chunk_, left) : left;
    given_ += chunk_;
    if (chunk_ == 0) operations_ = given_;
    return chunk_;
}

void trial::prove(std::string_view what, std::uint64_t expected, std::uint64_t actual) {
    ++proofs_;
    if (actual != expected) fail(fmt::format("{}: expected {}, got {}", what, expected, actual));
}

void trial::prove_lasted(std::string_view what, std::chrono::nanoseconds least,
                         std::chrono::nanoseconds actual) {
    ++proofs_;
    if (actual < least)
        fail(fmt::format("{} took {} ns; expected at least {} ns", what, actual.count(), least.count()));
}

void trial::fail(std::string reason) {
    if (!failure_) failure_ = std::move(reason);
}

std::optional<std::string> trial::failure() const {
    // An early timer is reported first, because it can be the cause of the other failures.
    if (lateness_.count() > 0 && lateness_.min_ns() < -early_limit_.count())
        return fmt::format("{} of {} timers fired early, the earliest by {} ns", lateness_.early_count(),
                           lateness_.count(), -lateness_.min_ns());
    if (failure_) return failure_;
    if (begins_ != 1 || ends_ != 1)
        return fmt::format(
            "the workload must time exactly one section, but it began {} sections and ended {}", begins_,
            ends_);
    if (proofs_ == 0) return "the workload checked none of its work";
    if (slices_ && operations_timed() == 0)
        return fmt::format(
            "the trial ended before its first timed part was complete, after {} operations; "
            "set LOOPBENCH_OPERATIONS to a larger number, or unset it",
            operations_done());
    if (operations_done() == 0 || operations_timed() == 0) return "the workload did not do any operation";
    return std::nullopt;
}

}  // namespace loopbench::bench
