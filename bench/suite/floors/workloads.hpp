// The workloads of a floor. The list contains every workload of the suite. Workloads that the floor cannot
// run are marked as unsupported, with the reason.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/floors/echo_floor.hpp"
#include "bench/suite/floors/sleepers.hpp"
#include "bench/suite/floors/streams.hpp"
#include "bench/suite/floors/wakeups.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// A workload that a floor can run.
struct floor_workload {
    std::string name;  // the full name
    std::function<void(trial&)> run;
};

/// A family of workloads that a floor cannot run.
struct missing_family {
    std::string_view front;  // the text with which the workloads' full names begin
    std::string_view reason;
};

/// Returns the echo workloads with all transports, message sizes and numbers of connections.
std::vector<floor_workload> echo_workloads(echo_floor& echo);

/// Returns pipe/read and stream/throughput.
std::vector<floor_workload> stream_workloads(stream_floor& stream);

/// Returns post/cross_thread on one core and on two cores. Each trial makes its own waker.
std::vector<floor_workload> wakeup_workloads(make_waker& make);

/// Returns the timer workloads. Each trial makes its own sleeper.
std::vector<floor_workload> timer_workloads(make_sleeper& make);

/// Returns the workloads that make no system calls, but run coroutines and functions from a queue.
std::vector<floor_workload> scheduler_workloads();

/// Returns all workloads of the suite, in the suite's order. The floor can run the workloads in `can`; all
/// other workloads are marked as unsupported. Throws std::logic_error if `can` names a workload that the
/// suite does not have.
std::vector<contender_workload> all_workloads(std::span<const floor_workload> can,
                                              std::span<const missing_family> cannot);

}  // namespace loopbench::bench::floors
