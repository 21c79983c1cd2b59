#include "bench/suite/contenders/loop_contender.hpp"

#include <string>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"
#include "loop/coro/event.hpp"
#include "loop/designs.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::bench {

namespace {

std::vector<missing_need> missing_in(std::string_view design) {
    if (design == "loop-tick")
        return {{need::many_turns, "the workload needs many turns, and this loop sleeps 100 ms in each"}};
    if (design == "loop-scheduler")
        return {{need::timers_while_busy,
                 "this loop checks its timers only when nothing is ready, as in its tutorial, and in this "
                 "workload something is always ready"}};
    return {};
}

}  // namespace

int loop_contender_main(int argc, char** argv, std::string_view name) {
    const loop::design* const design = loop::find_design(name);
    const std::string driver(design == nullptr ? "none" : design->driver);
    return contender_main<loop::event_loop>(argc, argv,
                                            {.name = std::string(name),
                                             .library = "loopbench",
                                             .library_version = LOOPBENCH_VERSION,
                                             .driver = driver,
                                             .missing = missing_in(name)},
                                            [name] { return loop::make_loop(name); });
}

}  // namespace loopbench::bench
