// The background task of tutorial 004 runs every 100 ms, while the main task sleeps twice for 500 ms. Unlike
// in the tutorial, each task computes all its times from its start, so that the background task always prints
// five lines before and five lines after the line of the main task. The main task yields when it wakes;
// otherwise, loop-layered would run it first, because its timer is older.
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
    const program described{.about = "Runs a task in the background of another task.",
                            .design = "loop-asyncio"};
    return run_example(argc, argv, described, [](event_loop& loop) { loop.run(main_task(loop)); });
}
