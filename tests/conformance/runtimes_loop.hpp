// The designs of the loop, and the reference as their oracle.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "asio_ref/runtime.hpp"
#include "loop/designs.hpp"

namespace loopbench::conformance {

// loop-tick with the same parts, but a tick of 1 ms: at 100 ms a turn these tests would take minutes.
struct fast_tick_design : loop::composition<loop::select_driver, loop::heap_timers, loop::basic_tick_wait<1>,
                                            loop::on_every_turn> {
    static constexpr std::string_view name = "loop-tick-1ms";  // not the design that has the name
};

// The visible list: a line each.
using runtimes = testing::Types<      //
    asio_ref::runtime,                //
    loop::round_robin_runtime,        //
    loop::runtime<fast_tick_design>,  //
    loop::layered_runtime,            //
    loop::scheduler_runtime,          //
    loop::asyncio_runtime,            //
    loop::poll_runtime,               //
    loop::epoll_runtime,              //
    loop::uring_runtime,              //
    loop::precise_runtime>;

}  // namespace loopbench::conformance
