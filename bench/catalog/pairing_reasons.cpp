#include "bench/catalog/pairing_reasons.hpp"

#include <algorithm>
#include <array>

namespace loopbench::bench {

namespace {

struct pairing_reason {
    std::string_view front;  // the beginning of the workload's full name
    std::string_view why;
};

constexpr std::string_view
    computes =
        "alternating on one core slows some programs without system calls down more than others, unless "
        "all are builds of one program",
    waits = "other contenders would change the lateness and the wake-ups of a workload that waits",
    measures_timers = "other contenders would change the lateness of the timers",
    // echo.hpp and swap_neighbours() in bench/harness/trial/interleaving.cpp explain this reason (delayed
    // ACKs).
    acknowledges =
        "slices would be so long that the kernel acknowledges a contender's TCP data during the "
        "slices of other contenders",
    is_long =
        "a slice needs at least six round trips on each connection, so contenders cannot alternate every "
        "few milliseconds";

constexpr std::array reasons{
    pairing_reason{"sleep/", waits},
    pairing_reason{"timer/periodic", waits},
    pairing_reason{"timer/ladder", waits},
    pairing_reason{"timer/churn",
                   "the timers do not fit into the caches, and other contenders would also use the caches"},
    pairing_reason{"timer/expire", "all timers are due at once, so the work cannot be divided into slices"},
    pairing_reason{"timer/under_load", measures_timers},
    pairing_reason{"idle/", waits},
    pairing_reason{"post/cross_thread", "a second thread works at the same time"},
    pairing_reason{"gather/sleep", waits},
    pairing_reason{"echo/rtt/tcp", acknowledges},
    pairing_reason{"echo/rtt/unix", is_long},
    pairing_reason{"serve/open_loop", "the client is a second process"},
    pairing_reason{"mixed/server", measures_timers},
    pairing_reason{"threads/", "its threads need their cores for themselves"},
};

}  // namespace

std::string_view why_sequential(const workload_shape& shape, bool of_one_program) {
    if (shape.pairing_of_trials(of_one_program) != reports::pairing::sequential) return {};
    if (shape.made != reports::pairing::sequential) return computes;
    const auto* const found = std::ranges::find_if(
        reasons, [&](const pairing_reason& each) { return shape.name.starts_with(each.front); });
    return found == reasons.end() ? std::string_view{} : found->why;
}

}  // namespace loopbench::bench
