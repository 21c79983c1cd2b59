// Tutorial 000, "How To Write Your Own Event Loop For Python Async Funcs": prints "hello" after five seconds,
// while a task waits for Enter and then sleeps for three seconds.
//
// The tutorial first builds async/await by hand; hello_and_enter_by_hand.cpp does this, and
// hello_and_enter_awaitables.cpp is a step in between. Here the compiler and the loop's library do the work.
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

// The user plays a slow server: the answer comes when Enter is pressed. The typed text does not matter, and
// it may be empty: the end of the input is also an answer.
task<std::chrono::milliseconds> fetch_ms(event_loop& loop, int fd) {
    loop::standard_input input(loop, fd);
    std::array<std::byte, 4096> typed;
    const loop::io_result answer = co_await input.read_some(typed);
    if (answer.error != 0)
        throw std::system_error(answer.error_code(), "read standard input (give it a terminal or a pipe)");
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
    loop.run_until_idle();  // the tutorial's loop runs for ever
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    return run_with_keyboard(
        argc, argv, "Says hello after 5 s, and good morning 3 s after Enter was pressed.", hello_and_enter);
}
