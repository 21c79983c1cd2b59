// The designs: the loops that have a name, and what each is made of. `document` is the founding document
// whose loop it is.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

#include "loop/clock.hpp"
#include "loop/drivers/epoll.hpp"
#include "loop/drivers/io_uring.hpp"
#include "loop/drivers/poll.hpp"
#include "loop/drivers/select.hpp"
#include "loop/round_robin.hpp"
#include "loop/runtime.hpp"
#include "loop/timers/heap.hpp"
#include "loop/timers/lazy_heap.hpp"
#include "loop/timers/list.hpp"
#include "loop/timers/wheel.hpp"
#include "loop/waits/block.hpp"
#include "loop/waits/precise.hpp"
#include "loop/waits/tick.hpp"

namespace loopbench::loop {

// How many callbacks may run before the kernel and the clock are looked at again.
inline constexpr std::size_t on_every_turn = 0;
inline constexpr std::size_t only_when_idle = std::numeric_limits<std::size_t>::max();

template <class Driver, class Timers, class Wait, std::size_t CallbacksBetweenPolls>
struct composition {
    using driver = Driver;
    using timers = Timers;
    using wait = Wait;
    using clock = monotonic_clock;
    static constexpr std::size_t callbacks_between_polls = CallbacksBetweenPolls;
};

/// Document 000: a heap of timers, a select that does not wait, and 100 ms of sleep on every turn.
struct tick_design : composition<select_driver, heap_timers, tick_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-tick";
};

/// Document 002: callbacks, then timers in a plain list, then a selector whose timeout is computed from both.
/// The selector is asked on every turn, with a timeout of 0 when there are callbacks.
struct layered_design : composition<select_driver, list_timers, block_every_turn_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-layered";
};

/// Document 003: runs the ready queue until it is empty, and only then looks at the heap and at select. As in
/// the document, a queue that never gets empty starves timers and I/O.
struct scheduler_design : composition<select_driver, heap_timers, block_wait, only_when_idle> {
    static constexpr std::string_view name = "loop-scheduler";
};

/// Document 004: asyncio's turn. Cancelled timers stay in the heap until they are too many; select on every
/// turn; only what was ready when the turn began is run. asyncio also runs what is due within its clock's
/// resolution, `when < now + resolution`: where that is the unit of time, it is `when <= now`, as it is here.
/// And it never waits longer than a day (MAXIMUM_SELECT_TIMEOUT), for the sake of selectors that refuse more;
/// pselect(2) does not.
struct asyncio_design : composition<select_driver, lazy_heap_timers, block_every_turn_wait, on_every_turn> {
    static constexpr std::string_view name = "loop-asyncio";
    static_assert(std::is_same_v<time_point::period, nanoseconds::period>,
                  "or the resolution needs its window");
};

/// The textbook loop on poll.
struct poll_design : composition<poll_driver, heap_timers, block_wait, 64> {
    static constexpr std::string_view name = "loop-poll";
};

/// The flagship on epoll.
struct epoll_design : composition<epoll_driver, wheel_timers, block_wait, 64> {
    static constexpr std::string_view name = "loop-epoll";
};

/// The flagship on io_uring.
struct uring_design : composition<io_uring_driver, wheel_timers, block_wait, 64> {
    static constexpr std::string_view name = "loop-uring";
};

/// The flagship on epoll with deadlines that are met to the microsecond, for some CPU.
struct precise_design : composition<epoll_driver, wheel_timers, precise_wait, 64> {
    static constexpr std::string_view name = "loop-precise";
};

using tick_runtime = runtime<tick_design>;
using layered_runtime = runtime<layered_design>;
using scheduler_runtime = runtime<scheduler_design>;
using asyncio_runtime = runtime<asyncio_design>;
using poll_runtime = runtime<poll_design>;
using epoll_runtime = runtime<epoll_design>;
using uring_runtime = runtime<uring_design>;
using precise_runtime = runtime<precise_design>;

/// Calls use.operator()<Runtime>() for every design, in the order of the ladder from the naive to the fast.
template <class Use>
void for_each_design(Use use) {
    use.template operator()<round_robin_runtime>();
    use.template operator()<tick_runtime>();
    use.template operator()<layered_runtime>();
    use.template operator()<scheduler_runtime>();
    use.template operator()<asyncio_runtime>();
    use.template operator()<poll_runtime>();
    use.template operator()<epoll_runtime>();
    use.template operator()<uring_runtime>();
    use.template operator()<precise_runtime>();
}

}  // namespace loopbench::loop
