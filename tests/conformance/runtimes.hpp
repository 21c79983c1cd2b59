// Which runtimes are held to the words of bench/runtime.hpp, and what the tests share.
//
// Every test is written once and runs on all of them. Asio is the oracle: what fails there is an error in the
// test or in the words. No test looks at how long something took.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "asio_ref/runtime.hpp"
#include "bench/runtime.hpp"
#include "loop/designs.hpp"
#include "tests/freed_counter.hpp"

namespace loopbench::conformance {

using bench::task_of;

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

struct runtime_names {
    template <bench::Runtime R>
    static std::string GetName(int) {
        std::string name(R::name);
        std::ranges::replace(name, '-', '_');  // a minus sign in a test filter means "but not"
        return name;
    }
};

/// A runtime that this kernel refuses is skipped, with the reason.
template <bench::Runtime R>
class conformance_test : public testing::Test {
protected:
    void SetUp() override {
        if (R::name != loop::uring_design::name) return;
        if (const std::string refusal = loop::io_uring_refusal(); !refusal.empty()) GTEST_SKIP() << refusal;
    }
};

/// A gather of all tasks in a vector.
template <bench::Runtime R>
task_of<R> gather_all(R& runtime, std::vector<task_of<R>>& tasks) {
    co_await runtime.gather(std::span<task_of<R>>(tasks));
}

}  // namespace loopbench::conformance
