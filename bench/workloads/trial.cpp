// The bookkeeping of trial.hpp, out of the templates.
#include "bench/workloads/trial.hpp"

#include <fmt/format.h>

#include <utility>

namespace loopbench::bench {

void trial::begin() noexcept {
    ++begins_;
    meter_.begin();
}

void trial::end() noexcept {
    if (slowdown_ > 0) meter_.prolong(slowdown_);
    cost_ = meter_.end();
    if (begins_ == 1) ++ends_;
}

void trial::prove(std::string_view what, std::uint64_t expected, std::uint64_t actual) {
    ++proofs_;
    if (actual != expected) fail(fmt::format("{}: expected {}, got {}", what, expected, actual));
}

void trial::fail(std::string reason) {
    if (!failure_) failure_ = std::move(reason);
}

std::optional<std::string> trial::failure() const {
    // First, because it is the cause of what else was not as expected.
    if (lateness_.count() > 0 && lateness_.min_ns() < -early_limit_.count())
        return fmt::format("{} of {} timers fired early, the earliest by {} ns", lateness_.early_count(),
                           lateness_.count(), -lateness_.min_ns());
    if (failure_) return failure_;
    if (begins_ != 1 || ends_ != 1)
        return fmt::format("the workload must time one section: began {} and ended {}", begins_, ends_);
    if (proofs_ == 0) return "the workload proved nothing";
    if (operations_done() == 0) return "the workload did no operation";
    return std::nullopt;
}

}  // namespace loopbench::bench
