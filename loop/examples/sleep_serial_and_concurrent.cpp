// The program of tutorial 004, "Building our own Async Event Loop in Python", runs two sleeps, first one
// after the other and then concurrently, and prints the durations.
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <span>

#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

task<void> sleep(event_loop& loop, loop::nanoseconds delay) {
    co_await loop.sleep_for(delay);
}

task<void> sleep_serial(event_loop& loop) {
    co_await sleep(loop, scaled(500ms));
    co_await sleep(loop, scaled(700ms));
}

task<void> sleep_concurrent(event_loop& loop) {
    std::array both{sleep(loop, scaled(500ms)), sleep(loop, scaled(700ms))};
    co_await loop.gather(std::span(both));
}

task<loop::nanoseconds> timed(event_loop& loop, task<void> work) {
    const auto start = loop.now();
    co_await std::move(work);
    co_return loop.now() - start;
}

task<void> serial_then_concurrent(event_loop& loop) {
    const auto serial = co_await timed(loop, sleep_serial(loop));
    const auto concurrent = co_await timed(loop, sleep_concurrent(loop));
    fmt::print("t_serial={:.2f} ms\n", milliseconds(serial));
    fmt::print("t_concurrent={:.2f} ms\n", milliseconds(concurrent));
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{.about = "Sleeps 500 ms and 700 ms, one after the other and concurrently.",
                            .design = "loop-asyncio"};
    return run_example(argc, argv, described,
                       [](event_loop& loop) { loop.run(serial_then_concurrent(loop)); });
}
