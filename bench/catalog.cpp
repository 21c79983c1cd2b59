#include "bench/catalog.hpp"

#include <array>

namespace loopbench::bench {

namespace {

constexpr std::array catalog{
    workload_info{"sleep/serial", "one operation sleeps 500 ms, then 700 ms (smoke: 5 + 7)"},
    workload_info{"sleep/concurrent",
                  "one operation gathers a sleep of 500 ms and one of 700 ms (smoke: 5, 7)"},
    workload_info{"timer/periodic", "a 1 kHz tick on absolute deadlines; the lateness of every tick"},
    workload_info{"idle/timer", "one far timer and nothing to do: CPU and wakeups of an idle loop"},
    workload_info{"post/chain", "one operation is a posted function that posts the next one"},
    workload_info{"yield", "one operation is one co_await of yield() by a single coroutine"},
    workload_info{"spawn", "one operation spawns an empty coroutine; 10,000 at a time, then all run"},
    workload_info{"gather/yield", "one operation is one child of a gather; each child yields once"},
    workload_info{"gather/sleep", "one operation gathers 1000 children that sleep to the same deadline"},
    workload_info{"echo/rtt/tcp", "one operation is one round trip; clients and server share the loop"},
};

}  // namespace

std::span<const workload_info> workload_catalog() {
    return catalog;
}

}  // namespace loopbench::bench
