// The program of tutorial 001, "Let's build an asyncio runtime from scratch in Python", runs on a loop of
// this project. The tutorial's own loop checks on every turn whether each sleep has ended. On a loop that
// sleeps in the kernel, the output is the same, but the program uses almost no CPU time.
#include <fmt/core.h>

#include <chrono>

#include "loop/coro/future.hpp"
#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

task<void> task1(event_loop& loop) {
    for (int round = 0; round < 2; ++round) {
        fmt::print("Task 1\n");
        co_await loop.sleep_for(scaled(1s));
    }
}

task<void> task2(event_loop& loop) {
    for (int round = 0; round < 3; ++round) {
        fmt::print("Task 2\n");
        co_await loop.sleep_for(scaled(2s));
    }
}

task<void> both(event_loop& loop) {
    const auto one = create_task(loop, task1(loop));
    const auto two = create_task(loop, task2(loop));
    co_await one;
    co_await two;
    fmt::print("done\n");
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{.about = "Runs two tasks alternately.", .design = "loop-round-robin"};
    return run_example(argc, argv, described, [](event_loop& loop) { loop.run(both(loop)); });
}
