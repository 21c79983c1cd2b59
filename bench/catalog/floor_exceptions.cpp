#include "bench/catalog/floor_exceptions.hpp"

#include <algorithm>
#include <array>

namespace loopbench::bench {

namespace {

// Each of the two reasons below must fit on one line of the screen.
//
// The reason `spins` is for workloads with timers: a floor sleeps in the kernel and must be woken, while a
// spinning loop is awake at the deadline. (loop-round-robin always spins; loop-precise spins shortly before
// the deadline.) If floor-sleep is the only floor in a run, loops whose timers have no slack (timerfd,
// io_uring) can also wake earlier, because the clock_nanosleep() of floor-sleep has timer slack.
constexpr std::string_view spins = "a spinning loop is already awake when its timer is due; a floor sleeps";
// The reason `looks` is for workloads with posts: a floor sleeps before each post. A loop that still works or
// polls at the time of the next post is awake and needs no wake-up.
constexpr std::string_view looks = "a polling loop is already awake; a floor sleeps and must be woken";

constexpr std::array exceptions{
    floor_exception{"sleep/serial", "late_p50", spins},
    floor_exception{"sleep/concurrent", "late_p50", spins},
    floor_exception{"sleep/many", "late_p50", spins},
    floor_exception{"timer/periodic", "late_p50", spins},
    floor_exception{"timer/ladder", "late_p50", spins},
    floor_exception{"timer/ladder", "time", spins},
    floor_exception{"idle/timer", "late_p50", spins},
    floor_exception{"gather/sleep", "late_p50", spins},
    floor_exception{"post/cross_thread", "time", looks},
};

}  // namespace

std::span<const floor_exception> floor_exceptions() {
    return exceptions;
}

std::string_view why_faster_than_floor(std::string_view workload, std::string_view metric) {
    const auto* const found = std::ranges::find_if(exceptions, [&](const floor_exception& each) {
        return each.metric == metric && workload.starts_with(each.front) &&
               (workload.size() == each.front.size() || workload[each.front.size()] == '/');
    });
    return found == exceptions.end() ? std::string_view{} : found->why;
}

}  // namespace loopbench::bench
