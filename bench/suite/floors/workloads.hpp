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

struct floor_workload {
    std::string name;
    std::function<void(trial&)> run;
};

struct missing_family {
    std::string_view front;  // the text with which the workloads' full names begin
    std::string_view reason;
};

std::vector<floor_workload> echo_workloads(echo_floor& echo);

std::vector<floor_workload> stream_workloads(stream_floor& stream);

std::vector<floor_workload> wakeup_workloads(make_waker& make);

std::vector<floor_workload> timer_workloads(make_sleeper& make);

std::vector<floor_workload> scheduler_workloads();

/// Returns all workloads of the suite for one thread, in the suite's order. A workload that `can` does not
/// contain is unsupported. Throws std::logic_error if `can` contains a workload that the suite does not have.
std::vector<contender_workload> all_workloads(std::span<const floor_workload> can,
                                              std::span<const missing_family> cannot);

}  // namespace loopbench::bench::floors
