// The visible list of floors. A floor is a contender without a loop: bare system calls, or bare coroutines,
// placed by hand for one workload, so that a report can say how far a loop is from what is possible here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/contenders/contender_main.hpp"

namespace loopbench::bench::floors {

struct floor {
    std::string_view name;
    std::string calls;                          // what it is made of
    std::vector<contender_workload> workloads;  // every one of the suite; those that it cannot do say why
    std::string (*socket_options)();  // of its connections; see bench/contenders/process/socket_options.hpp
};

floor blocking_floor();
floor coroutine_floor();
floor epoll_floor();
floor sleep_floor();
floor uring_floor();

/// How large its buffers are, in the words of the other contenders, since they are as large.
std::string buffers_of(const floor& f);

/// The main function of a floor's contender; see run_contender().
int floor_main(int argc, char** argv, const floor& f);

}  // namespace loopbench::bench::floors
