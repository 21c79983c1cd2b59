// The program of tutorial 000, "How To Write Your Own Event Loop For Python Async Funcs", uses the coroutines
// of the compiler and the loop of this project. The tutorial first builds async/await by hand, like
// hello_and_enter_by_hand.cpp; hello_and_enter_awaitables.cpp is a step between these programs.
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

#include "loop/examples/example.hpp"
#include "loop/examples/keyboard.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

// Waits for the answer of a slow server. The user plays the server: the answer is Enter, or the end of the
// input.
task<std::chrono::milliseconds> fetch_ms(event_loop& loop, int fd) {
    loop::standard_input input(loop, fd);
    std::array<std::byte, 4096> typed;
    const loop::io_result answer = co_await input.read_some(typed);
    if (answer.error != 0)
        throw std::system_error(answer.error_code(),
                                "cannot read standard input; use a terminal or a pipe as input");
    co_return 3000ms;
}

task<std::string> func(event_loop& loop, int fd) {
    const auto ms = co_await fetch_ms(loop, fd);
    fmt::print("Will sleep now\n");
    co_await loop.sleep_for(scaled(ms));
    fmt::print("Good morning\n");
    co_return "Return value";
}

void hello_and_enter(event_loop& loop, int fd) {
    loop.call_later(scaled(5s), [] { fmt::print("hello\n"); });
    loop.spawn(func(loop, fd));
    loop.run_until_idle();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    return run_with_keyboard(
        argc, argv, "Prints hello after 5 s, and good morning 3 s after you press Enter.", hello_and_enter);
}
