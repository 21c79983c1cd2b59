// The program is the step of tutorial 000 between hello_and_enter_by_hand.cpp and hello_and_enter.cpp:
// fetch_ms() and func() are real coroutines, but the awaitables are written by hand. One awaitable is a
// wrapped generator, like those that the tutorial's @as_async_coroutine makes. The other awaitable is a class
// with a state, as in the tutorial's last section.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "loop/coro/future.hpp"
#include "loop/examples/example.hpp"
#include "loop/examples/generator.hpp"
#include "loop/examples/keyboard.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

template <class T>
class awaitable_wrapper {
public:
    explicit awaitable_wrapper(generator<loop::future<T>, T, T> wrapped) : generator_(std::move(wrapped)) {}

    bool await_ready() const noexcept { return false; }

    bool await_suspend(std::coroutine_handle<> waiter) {
        waiter_ = waiter;
        return waits_for(generator_.next());
    }

    T await_resume() const { return generator_.returned(); }

private:
    bool waits_for(const std::optional<loop::future<T>>& awaited) {
        if (awaited) awaited->add_done_callback([this](const loop::future<T>& done) { next_step(done); });
        return awaited.has_value();
    }

    void next_step(const loop::future<T>& done) {
        if (!waits_for(generator_.send(done.result()))) waiter_.resume();
    }

    generator<loop::future<T>, T, T> generator_;
    std::coroutine_handle<> waiter_;
};

constexpr auto as_async_coroutine = [](auto generator_function) {
    return [generator_function](auto&&... arguments) {
        return awaitable_wrapper(generator_function(arguments...));
    };
};

generator<loop::future<std::string>, std::string, std::string> read_from_file(event_loop& loop, int fd) {
    loop::promise<std::string> promise(loop);
    loop.add_reader(fd, [&] {
        loop.remove_reader(fd);
        std::array<char, 4096> text;
        const auto count = loop::checked(static_cast<int>(::read(fd, text.data(), text.size())),
                                         "cannot read standard input; use a terminal or a pipe as input");
        promise.set_value(std::string(text.data(), static_cast<std::size_t>(count)));
    });
    const std::string text = co_yield promise.get_future();
    co_return text;
}

constexpr auto loop_read_from_file = as_async_coroutine(&read_from_file);

class loop_sleep {
public:
    loop_sleep(event_loop& loop, loop::nanoseconds delay) : loop_(loop), delay_(delay) {}

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const {
        loop_.call_later(delay_, [waiter] { waiter.resume(); });
    }
    void await_resume() const noexcept {}

private:
    event_loop& loop_;
    loop::nanoseconds delay_;
};

task<std::chrono::milliseconds> fetch_ms(event_loop& loop, int fd) {
    co_await loop_read_from_file(loop, fd);
    co_return 3000ms;
}

task<std::string> func(event_loop& loop, int fd) {
    const auto ms = co_await fetch_ms(loop, fd);
    fmt::print("Will sleep now\n");
    co_await loop_sleep(loop, scaled(ms));
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
        argc, argv,
        "Prints hello after 5 s, and good morning 3 s after you press Enter; uses hand-written awaitables.",
        hello_and_enter);
}
