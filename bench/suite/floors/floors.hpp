// The list of floors. A floor is a contender without a loop. For each workload, it makes hand-written system
// calls, or runs coroutines in a queue. The difference between a loop and a floor is the part of the time
// that the loop itself takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench::floors {

struct floor {
    std::string_view name;
    std::string calls;                          // the names of the floor's system calls or parts
    std::vector<contender_workload> workloads;  // the suite's workloads; unsupported ones have a reason
    std::string (*socket_options)();            // see bench/suite/contenders/process/socket_options.hpp
};

floor blocking_floor();
floor coroutine_floor();
floor epoll_floor();
floor sleep_floor();
floor uring_floor();

/// Returns a text that states the sizes of the floor's buffers, or that the floor makes no connections. The
/// sizes and the wording are the same as those of the other contenders.
std::string buffers_of(const floor& f);

/// Implements main() of a floor. Returns the exit code (see run_contender()).
int floor_main(int argc, char** argv, const floor& f);

}  // namespace loopbench::bench::floors
