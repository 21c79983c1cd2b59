#pragma once

#include <memory>
#include <string>

#include "bench/suite/contenders/threads_main.hpp"
#include "bench/suite/floors/queue_runtimes.hpp"

namespace loopbench::bench::floors {

/// Runs the queue as a contender. Returns the exit code.
template <ThreadedRuntime R>
int queue_floor_main(int argc, char** argv, std::string name, std::string driver) {
    const std::string none = "none: this floor makes no connections";
    return threads_main<R>(argc, argv,
                           {.name = std::move(name),
                            .library = "loopbench",
                            .library_version = LOOPBENCH_VERSION,
                            .driver = std::move(driver),
                            .role = "floor",
                            .buffers = none,
                            .socket_options = [none] { return none; }},
                           [](const thread_plan& plan) { return std::make_unique<R>(plan); });
}

}  // namespace loopbench::bench::floors
