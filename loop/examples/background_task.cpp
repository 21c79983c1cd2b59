// Document 004: a task in the background, every 100 ms, while main sleeps twice for 500.
//
// The document's order, five lines on each side of main's, has the background come first whenever both are due. Its
// own code would not keep that up: each of its sleeps starts a little after the last one's end. So times are counted
// from the start here, and the background starts first.
#include <fmt/core.h>

#include <chrono>

#include "loop/examples/example.hpp"
#include "loop/task_handle.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::task;

template <class Loop>
task<void> background_task(Loop& loop) {
    const auto start = loop.now();
    for (int tick = 1; tick <= 10; ++tick) {
        co_await loop.sleep_until(start + tick * scaled(100ms));
        fmt::print("background task!\n");
    }
}

template <class Loop>
task<void> main_task(Loop& loop) {
    create_task(loop, background_task(loop));
    co_await loop.yield();
    const auto start = loop.now();
    co_await loop.sleep_until(start + scaled(500ms));
    fmt::print("main!\n");
    co_await loop.sleep_until(start + scaled(1000ms));
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{
        .about = "A task in the background of another.",
        .design = "loop-asyncio",
        .excluded =
            {{"loop-layered",
              "its list of timers is not sorted, and of two that are due main's is the older one, so it "
              "would not keep the document's order"}},
    };
    return run_example(argc, argv, described, [](auto& loop) { loop.run(main_task(loop)); });
}
