#include "bench/catalog/floor_exceptions.hpp"

#include <algorithm>
#include <array>

namespace loopbench::bench {

namespace {

// The reasons why a loop can be faster than a floor. Each of them must fit on one line of the screen. If
// floor-sleep is the only floor of a run, `spins` is also printed for loops that sleep without timer slack
// (timerfd, io_uring). They can be faster because floor-sleep calls clock_nanosleep(), which has timer slack.
constexpr std::string_view spins = "a spinning loop is already awake when its timer is due; a floor sleeps";
constexpr std::string_view owns = "a loop of its own needs no lock; the threads of a floor share a queue";
constexpr std::string_view looks = "a polling loop is already awake; a floor sleeps and must be woken";
constexpr std::string_view deals =
    "a loop can deal connections evenly; the floor relies on the kernel's hash";

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
    floor_exception{"threads/post/stay", "time", owns},
    floor_exception{"threads/post/move", "time", owns},
    floor_exception{"threads/strand/even", "time", owns},
    floor_exception{"threads/strand/busy", "time", owns},
    floor_exception{"threads/spawn", "time", owns},
    floor_exception{"threads/ping", "time", looks},
    floor_exception{"threads/echo", "time", deals},
    floor_exception{"threads/accept", "time", deals},
    floor_exception{"threads/mixed", "time", deals},
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
