#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "tests/workloads/breakable_runtime.hpp"

namespace loopbench::bench {

/// Returns the reason why a trial of the workload fails, or "" if the trial succeeds or the workload is
/// unsupported on this machine.
template <Runtime R>
std::string reason_of_failure(task_of<R> (*workload)(R&, trial&), std::uint64_t operations,
                              std::unique_ptr<R> runtime) {
    trial t(workload_size::small, operations);
    runtime->run(workload(*runtime, t));
    runtime.reset();
    if (t.unsupported()) return "";
    return t.failure().value_or("");
}

template <std::derived_from<breakable_runtime> Fault>
std::string reason_of_failure(task_of<breakable_runtime> (*workload)(breakable_runtime&, trial&),
                              std::uint64_t operations) {
    return reason_of_failure<breakable_runtime>(workload, operations, std::make_unique<Fault>());
}

}  // namespace loopbench::bench
