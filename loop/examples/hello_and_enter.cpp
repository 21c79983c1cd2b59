// Document 000, "How To Write Your Own Event Loop For Python Async Funcs": "hello" after five seconds, beside
// a task that waits for Enter and then sleeps for three.
//
// The document builds async/await by hand first: hello_and_enter_by_hand.cpp is that,
// hello_and_enter_awaitables.cpp is half way. Here the compiler and the loop's library do it.
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

// The user stands in for a slow server: the answer comes when Enter is pressed. What was typed does not
// matter, nor that it was nothing: the end of the input is an answer, too.
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
    loop.run_until_idle();  // the document's loop runs for ever
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    return run_with_keyboard(
        argc, argv, "Says hello after 5 s, and good morning 3 s after Enter was pressed.", hello_and_enter);
}
