// The program contains the building blocks of tutorial 003, "Build your own Event Loop in Python". The
// tutorial's code for counting does not run as printed, because the f of an f-string is missing and the
// counting has no end.
#include <fmt/core.h>

#include <chrono>

#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;

void countup(event_loop& loop, int n, int i = 0) {
    if (i == n) return;
    fmt::print("Printing {}\n", i);
    loop.call_soon([&loop, n, i] { countup(loop, n, i + 1); });
}

void countdown(event_loop& loop, int n) {
    if (n == 0) return;
    fmt::print("Printing {}\n", n);
    loop.call_soon([&loop, n] { countdown(loop, n - 1); });
}

void task_queue(event_loop& loop) {
    loop.call_soon([] { fmt::print("Task 1\n"); });
    loop.call_soon([] { fmt::print("Task 2\n"); });
    loop.call_soon([&loop] { countup(loop, 5); });
    loop.call_soon([&loop] { countdown(loop, 5); });
    loop.call_later(scaled(5s), [] { fmt::print("Printing after delay\n"); });
    loop.run_until_idle();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{.about =
                                "Runs tasks from a queue, two tasks that count alternately, and a task that "
                                "prints after a delay.",
                            .design = "loop-scheduler"};
    return run_example(argc, argv, described, task_queue);
}
