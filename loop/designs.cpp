#include "loop/designs.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

#include "loop/io/drivers.hpp"
#include "loop/timers/heap.hpp"
#include "loop/timers/lazy_heap.hpp"
#include "loop/timers/list.hpp"
#include "loop/timers/precise_wait.hpp"
#include "loop/timers/wheel.hpp"
#include "loop/turn.hpp"

namespace loopbench::loop {

namespace {

template <auto MakeDriver, class Timers, class Wait, std::size_t UnitsBetweenWaits>
struct composition {
    static constexpr auto make_driver = MakeDriver;
    using timers = Timers;
    using wait = Wait;
    static constexpr std::size_t units_between_waits = UnitsBetweenWaits;
    static constexpr bool polls = false;
};

constexpr std::size_t whole_budget = work_budget::units_max;

/// Document 001, and the first half of 004: every task is asked in turn whether it can go on. There is no
/// selector, and no timer queue for tasks (this one is for what the network and scheduled calls need).
struct round_robin : composition<&make_retry_driver, heap_timers, spin_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-round-robin";
    static constexpr bool polls = true;
};

/// Document 000.
struct tick : composition<&make_select_driver, heap_timers, tick_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-tick";
};

/// Document 002. The selector is asked on every turn, with a timeout of 0 when there are callbacks.
struct layered : composition<&make_select_driver, list_timers, block_every_turn_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-layered";
};

/// Document 003. As in the document, a queue that never gets empty starves timers and I/O.
struct founding_scheduler : composition<&make_select_driver, heap_timers, block_wait, only_when_idle> {
    static constexpr std::string_view name = "loop-scheduler";
};

/// Document 004: asyncio's turn. asyncio also runs what is due within its clock's resolution, `when < now +
/// resolution`: where that is the unit of time, it is `when <= now`, as it is here. And it never waits longer
/// than a day (MAXIMUM_SELECT_TIMEOUT), for the sake of selectors that refuse more; pselect(2) does not.
struct asyncio : composition<&make_select_driver, lazy_heap_timers, block_every_turn_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-asyncio";
    static_assert(std::is_same_v<time_point::period, nanoseconds::period>,
                  "or the resolution needs its window");
};

struct textbook_poll : composition<&make_poll_driver, heap_timers, block_wait, whole_budget> {
    static constexpr std::string_view name = "loop-poll";
};

struct flagship_epoll : composition<&make_epoll_driver, wheel_timers, block_wait, whole_budget> {
    static constexpr std::string_view name = "loop-epoll";
};

struct flagship_uring : composition<&make_io_uring_driver, wheel_timers, block_wait, whole_budget> {
    static constexpr std::string_view name = "loop-uring";
};

struct flagship_precise : composition<&make_epoll_driver, wheel_timers, precise_wait, whole_budget> {
    static constexpr std::string_view name = "loop-precise";
};

template <Design D>
std::unique_ptr<event_loop> make(clock* other_clock) {
    return std::make_unique<design_loop<D>>(other_clock);
}

template <Design D>
constexpr design entry(std::string_view driver, std::string_view about) {
    return {D::name, driver, about, &make<D>};
}

constexpr std::array all{
    entry<round_robin>("none", "Tasks are polled in turn; a sleep looks at the clock on every turn."),
    entry<tick>("select", "A heap of timers, a select that does not wait, and 100 ms of sleep on each turn."),
    entry<layered>("select", "Callbacks, then timers in a plain list, then select with a computed timeout."),
    entry<founding_scheduler>("select",
                              "Runs its ready queue until it is empty, and only then looks at the "
                              "heap of sleepers and at select."),
    entry<asyncio>("select", "asyncio's turn: a heap with late removal, select, and what was ready then."),
    entry<textbook_poll>("poll", "A heap over poll: the textbook loop."),
    entry<flagship_epoll>("epoll", "A timing wheel over edge-triggered epoll, registered once."),
    entry<flagship_uring>("io_uring", "A timing wheel over io_uring; it never runs on anything else."),
    entry<flagship_precise>("epoll", "As loop-epoll, but awake shortly before each deadline."),
};

}  // namespace

std::span<const design> designs() noexcept {
    return all;
}

const design* find_design(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(all, name, &design::name);
    return found == all.end() ? nullptr : found;
}

std::unique_ptr<event_loop> make_loop(std::string_view name, clock* other_clock) {
    if (const design* const found = find_design(name)) return found->make(other_clock);
    std::string message = "there is no design '" + std::string(name) + "'; there are";
    for (const design& each : all) message += ' ' + std::string(each.name);
    throw std::invalid_argument(message);
}

}  // namespace loopbench::loop
