#include "loop/designs.hpp"

#include <algorithm>

#include "loop/io/drivers.hpp"
#include "loop/timers/heap.hpp"
#include "loop/timers/lazy_heap.hpp"
#include "loop/timers/list.hpp"
#include "loop/timers/precise_wait.hpp"
#include "loop/timers/wheel.hpp"
#include "loop/turn.hpp"

namespace loopbench::loop {

namespace {

template <auto MakeDriver, class Timers, class Wait, work_limits Limits, bool TasksPoll = false>
std::unique_ptr<event_loop> make(const design& self, clock* other_clock) {
    auto made = std::make_unique<design_loop<Timers, Wait, Limits>>(self.name, MakeDriver, other_clock);
    made->ready().tasks_poll = TasksPoll;
    return made;
}

constexpr design every_design[] = {
    // As in tutorial 001, the loop asks each task on every turn whether the task can continue (the template
    // argument `true`). Only the network code and scheduled calls use the timer queue; sleeping tasks read
    // the clock instead.
    {"loop-round-robin", "none",
     "Polls one task after the other; a sleeping task reads the clock on every turn.",
     &make<&make_retry_driver, heap_timers, spin_wait, waits_on_every_turn, true>},
    {"loop-tick", "select",
     "Has a heap of timers. Each turn calls select without waiting, and then sleeps 100 ms.",
     &make<&make_select_driver, heap_timers, tick_wait, waits_on_every_turn>},
    {"loop-layered", "select",
     "Runs callbacks, then the due timers of a plain list, then waits in select with a timeout.",
     &make<&make_select_driver, list_timers, block_every_turn_wait, waits_on_every_turn>},
    // As in tutorial 003, a ready queue that is never empty starves timers and I/O.
    {"loop-scheduler", "select",
     "Runs its ready queue until it is empty; only then checks its heap of sleeping tasks, and calls select.",
     &make<&make_select_driver, heap_timers, block_wait, waits_when_idle>},
    // This design has the turn of asyncio (tutorial 004). asyncio runs a timer if `when < now + resolution`;
    // with a resolution of one time unit, this condition equals the condition of this loop, `when <= now`.
    // asyncio limits a wait to one day (MAXIMUM_SELECT_TIMEOUT); this loop does not, because pselect(2)
    // accepts all timeouts.
    {"loop-asyncio", "select",
     "Works like asyncio: has a heap that keeps cancelled timers for a while; each turn calls select, then "
     "runs the ready callbacks.",
     &make<&make_select_driver, lazy_heap_timers, block_every_turn_wait, waits_on_every_turn>},
    {"loop-poll", "poll", "Has a heap of timers and waits in poll, like loops in textbooks.",
     &make<&make_poll_driver, heap_timers, block_wait, waits_after_a_budget>},
    {"loop-epoll", "epoll",
     "Has a timing wheel and edge-triggered epoll, and registers each descriptor only once.",
     &make<&make_epoll_driver, wheel_timers, block_wait, waits_after_a_budget>},
    {"loop-uring", "io_uring", "Has a timing wheel and io_uring, without a fallback to epoll.",
     &make<&make_io_uring_driver, wheel_timers, block_wait, waits_after_a_budget>},
    {"loop-precise", "epoll",
     "The same as loop-epoll, but wakes shortly before each deadline and spins until the deadline.",
     &make<&make_epoll_driver, wheel_timers, precise_wait, waits_after_a_budget>},
};
static_assert(std::is_same_v<time_point::period, nanoseconds::period>,
              "if the time unit becomes coarser, timers must use asyncio's resolution");

}  // namespace

std::span<const design> designs() noexcept {
    return every_design;
}

const design* find_design(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(every_design, name, &design::name);
    return found == std::end(every_design) ? nullptr : found;
}

std::unique_ptr<event_loop> make_loop(std::string_view name, clock* other_clock) {
    if (const design* const found = find_design(name)) return found->make(*found, other_clock);
    std::string message = "'" + std::string(name) + "' is not a design; expected one of:";
    for (const design& each : every_design) message += ' ' + std::string(each.name);
    throw std::invalid_argument(message);
}

}  // namespace loopbench::loop
