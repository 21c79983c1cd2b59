#pragma once

#include <functional>
#include <string_view>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// Returns a function that does the work of a workload threads/... with bare epoll calls, and checks the work
/// as the workload does. Returns an empty function if this floor does not have the workload. `front` is
/// workload_shape::front.
std::function<void(const thread_plan&, trial&)> threads_workload(std::string_view front);

/// Returns the reason why this floor does not have a workload.
std::string_view why_no_threads_workload(std::string_view front);

}  // namespace loopbench::bench::floors
