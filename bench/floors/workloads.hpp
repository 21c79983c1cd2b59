// From what a floor can do to a contender's list of workloads: every workload of the suite is in it, and
// those that a floor cannot do say why.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contenders/contender_main.hpp"
#include "bench/floors/echo.hpp"
#include "bench/floors/sleepers.hpp"
#include "bench/floors/streams.hpp"
#include "bench/floors/wakeups.hpp"
#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// A workload that a floor can do.
struct floor_workload {
    std::string name;  // full name
    std::function<void(trial&)> run;
};

/// A family of workloads that a floor cannot do.
struct missing_family {
    std::string_view front;  // of the full name
    std::string_view reason;
};

/// The echo workloads, with all their transports, sizes and numbers of connections.
std::vector<floor_workload> echo_workloads(echo_floor& echo);

/// pipe/read and stream/throughput.
std::vector<floor_workload> stream_workloads(stream_floor& stream);

/// post/cross_thread, with a waker of its own.
std::vector<floor_workload> wakeup_workloads(make_waker& make);

/// The timer workloads, each with a sleeper of its own.
std::vector<floor_workload> timer_workloads(make_sleeper& make);

/// Those that make no system call, on coroutines and functions in a queue.
std::vector<floor_workload> scheduler_workloads();

/// Every workload of the suite in its order: the ones in `can`, and the others as unsupported. Throws
/// std::logic_error when `can` names a workload that the suite does not have.
std::vector<contender_workload> all_workloads(std::span<const floor_workload> can,
                                              std::span<const missing_family> cannot);

}  // namespace loopbench::bench::floors
