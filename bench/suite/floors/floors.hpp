// The list of floors. A floor is a contender without a loop: system calls or coroutines, placed by hand for
// one workload, so that a report can show the distance between a loop and the limit on this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench::floors {

struct floor {
    std::string_view name;
    std::string calls;                          // its system calls, or its parts
    std::vector<contender_workload> workloads;  // all of the suite's, some with a reason why not
    std::string (*socket_options)();            // see bench/suite/contenders/process/socket_options.hpp
};

floor blocking_floor();
floor coroutine_floor();
floor epoll_floor();
floor sleep_floor();
floor uring_floor();

/// Describes the sizes of its buffers, in the other contenders' words, since the sizes are equal.
std::string buffers_of(const floor& f);

/// The main function of a floor's contender; see run_contender().
int floor_main(int argc, char** argv, const floor& f);

}  // namespace loopbench::bench::floors
