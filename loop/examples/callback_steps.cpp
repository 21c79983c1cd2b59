// The program shows the layers of an event loop, one after the other, each with the example from the slides
// of tutorial 002, "Discover asyncio event loop". In the example with timers, the turn takes place at the
// time 3 s, as in the slides.
#include <fmt/core.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "loop/coro/future.hpp"
#include "loop/examples/example.hpp"
#include "loop/examples/generator.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;

void hello_world() {
    fmt::print("Hello World!\n");
}

void callbacks(event_loop& loop) {
    loop.call_soon(hello_world);
    loop.turn();
}

void timers(event_loop& loop) {
    const auto at = [](std::chrono::seconds time) { return loop::time_point(time); };
    loop.call_at(at(1s), hello_world);
    auto exit = loop.call_at(at(5s), [] { fmt::print("Exit.\n"); });
    loop.call_at(at(2s), [] { fmt::print("Good bye.\n"); });
    jumping_clock()->advance_to(at(3s));
    loop.turn();
    exit.cancel();
}

void selector(event_loop& loop) {
    std::array<int, 2> pair;
    loop::checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), "socketpair");
    const loop::unique_fd s(pair[0]);
    const loop::unique_fd peer(pair[1]);
    loop.add_reader(s.get(), [&s] {
        std::array<char, 100> data;
        const auto count =
            loop::checked(static_cast<int>(::recv(s.get(), data.data(), data.size(), 0)), "recv");
        fmt::print("Received: b'{}'\n", std::string_view(data.data(), static_cast<std::size_t>(count)));
    });
    loop::checked(static_cast<int>(::send(peer.get(), "abc", 3, 0)), "send");
    loop.turn();
    loop.remove_reader(s.get());
}

generator<std::string, none, std::string> producer() {
    co_yield "start";
    co_return "stop";
}

void generators() {
    auto gen = producer();
    fmt::print("{}\n", *gen.next());
    if (!gen.next()) fmt::print("{}\n", gen.returned());
}

class base_task {
public:
    explicit base_task(generator<none> coro) : coro_(std::move(coro)) {}
    void step() { coro_.next(); }

private:
    generator<none> coro_;
};

generator<none> test_coro() {
    fmt::print("begin\n");
    co_yield {};
    fmt::print("end\n");
}

void coroutine_and_base_task() {
    base_task task(test_coro());
    task.step();
    task.step();
}

using number = loop::future<int>;

class task {
public:
    task(generator<number> coro, event_loop& loop) : coro_(std::move(coro)) {
        loop.call_soon([this] { step(); });
    }

private:
    void step() {
        if (const auto awaited = coro_.next()) awaited->add_done_callback([this](const number&) { step(); });
    }

    generator<number> coro_;
};

generator<number> my_coroutine(number future) {
    co_yield future;
    fmt::print("Result: {}\n", future.result());
}

void future_and_task(event_loop& loop) {
    loop::promise<int> promise(loop);
    [[maybe_unused]] task stepped(my_coroutine(promise.get_future()), loop);
    loop.turn();
    promise.set_value(42);
    loop.turn();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{
        .about =
            "Shows callbacks, timers, a selector, a generator, a coroutine, a future and a task, step by "
            "step.",
        .design = "loop-layered",
        .only_in_virtual_time = true,
    };
    return run_example(argc, argv, described, [](event_loop& loop) {
        callbacks(loop);
        timers(loop);
        selector(loop);
        generators();
        coroutine_and_base_task();
        future_and_task(loop);
    });
}
