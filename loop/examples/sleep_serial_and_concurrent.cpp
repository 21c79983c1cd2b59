// Document 004, "Building our own Async Event Loop in Python": two sleeps, one after the other and then
// together.
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <span>

#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::task;

template <class Loop>
task<void> sleep(Loop& loop, loop::nanoseconds delay) {
    co_await loop.sleep_for(delay);
}

template <class Loop>
task<void> sleep_serial(Loop& loop) {
    co_await sleep(loop, scaled(500ms));
    co_await sleep(loop, scaled(700ms));
}

template <class Loop>
task<void> sleep_concurrent(Loop& loop) {
    std::array both{sleep(loop, scaled(500ms)), sleep(loop, scaled(700ms))};
    co_await loop.gather(std::span(both));
}

template <class Loop>
task<loop::nanoseconds> timed(Loop& loop, task<void> work) {
    const auto start = loop.now();
    co_await std::move(work);
    co_return loop.now() - start;
}

template <class Loop>
task<void> serial_then_concurrent(Loop& loop) {
    const auto serial = co_await timed(loop, sleep_serial(loop));
    const auto concurrent = co_await timed(loop, sleep_concurrent(loop));
    fmt::print("t_serial={:.2f} ms\n", milliseconds(serial));
    fmt::print("t_concurrent={:.2f} ms\n", milliseconds(concurrent));
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{.about = "Sleeps 500 ms and 700 ms, in turn and together.",
                            .design = "loop-asyncio"};
    return run_example(argc, argv, described, [](auto& loop) { loop.run(serial_then_concurrent(loop)); });
}
