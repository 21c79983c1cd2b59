// A floor is a contender without a loop: it makes hand-written system calls, or runs coroutines in a queue.
// The difference between a loop and a floor is the part of the time that the loop itself takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench::floors {

struct floor {
    std::string_view name;
    std::string calls;
    std::vector<contender_workload> workloads;
    std::string (*socket_options)();
};

floor blocking_floor();
floor coroutine_floor();
floor epoll_floor();
floor sleep_floor();
floor uring_floor();

std::string buffers_of(const floor& f);

/// Runs the floor as a contender. Returns the exit code (see run_contender()).
int floor_main(int argc, char** argv, const floor& f);

}  // namespace loopbench::bench::floors
