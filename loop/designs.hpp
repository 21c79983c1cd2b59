// The compositions that have a name: one line says what each is made of.
#pragma once

#include <cstddef>
#include <string_view>

#include "loop/clock.hpp"
#include "loop/drivers/epoll.hpp"
#include "loop/runtime.hpp"
#include "loop/timers/heap.hpp"
#include "loop/waits/block.hpp"

namespace loopbench::loop {

template <class Driver, class Timers, class Wait, std::size_t CallbacksBetweenPolls>
struct composition {
    using driver = Driver;
    using timers = Timers;
    using wait = Wait;
    using clock = monotonic_clock;
    static constexpr std::size_t callbacks_between_polls = CallbacksBetweenPolls;
};

/// The flagship on epoll.
struct epoll_design : composition<epoll_driver, heap_timers, block_wait, 64> {
    static constexpr std::string_view name = "loop-epoll";
};

using epoll_runtime = runtime<epoll_design>;

}  // namespace loopbench::loop
