// The list of floors. A floor is a contender without a loop: it makes hand-written system calls, or runs
// coroutines in a queue, for each workload. A report can then show the distance between a loop and the limit
// on this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench::floors {

struct floor {
    std::string_view name;
    std::string calls;                          // the names of its system calls, or of its parts
    std::vector<contender_workload> workloads;  // the suite's workloads; unsupported ones have a reason
    std::string (*socket_options)();            // see bench/suite/contenders/process/socket_options.hpp
};

floor blocking_floor();
floor coroutine_floor();
floor epoll_floor();
floor sleep_floor();
floor uring_floor();

/// Describes the sizes of the floor's buffers, or states that the floor makes no connections. The sizes and
/// the text are equal to those of the other contenders.
std::string buffers_of(const floor& f);

/// Runs a floor as a contender; to be called from main(). See run_contender().
int floor_main(int argc, char** argv, const floor& f);

}  // namespace loopbench::bench::floors
