// Tutorial 004: a background task that runs every 100 ms, while main sleeps twice for 500 ms.
//
// In the tutorial's output, with five lines on each side of main's, the background task comes first whenever
// both are due. The tutorial's code would not keep this order, because each of its sleeps starts a little
// after the previous one ended. So this program counts times from the start, starts the background task
// first, and makes main let it run first: a loop with a plain list of timers (loop-layered) would run the
// older timer first, which is main's.
#include <fmt/core.h>

#include <chrono>

#include "loop/coro/future.hpp"
#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

task<void> background_task(event_loop& loop) {
    const auto start = loop.now();
    for (int tick = 1; tick <= 10; ++tick) {
        co_await loop.sleep_until(start + tick * scaled(100ms));
        fmt::print("background task!\n");
    }
}

// Sleeps until `when`, then lets everything that is due at the same time run first.
task<void> sleep_as_the_last(event_loop& loop, loop::time_point when) {
    co_await loop.sleep_until(when);
    co_await loop.yield();
}

task<void> main_task(event_loop& loop) {
    create_task(loop, background_task(loop));
    co_await loop.yield();
    const auto start = loop.now();
    co_await sleep_as_the_last(loop, start + scaled(500ms));
    fmt::print("main!\n");
    co_await sleep_as_the_last(loop, start + scaled(1000ms));
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{.about = "A task in the background of another.", .design = "loop-asyncio"};
    return run_example(argc, argv, described, [](event_loop& loop) { loop.run(main_task(loop)); });
}
