// The program contains the examples of tutorial 004's digression on generators. The third example also runs
// as a coroutine on a loop, where a turn of the loop corresponds to sending None.
#include <fmt/core.h>

#include <string>

#include "loop/coro/future.hpp"
#include "loop/examples/example.hpp"
#include "loop/examples/generator.hpp"

namespace loopbench::examples {

namespace {

using loop::event_loop;

constexpr auto name_in_hindi = "मेरा नाम डीन है";

generator<std::string> producer() {
    co_yield "my";
    co_yield "name";
    co_yield "is";
    co_yield "dean";
}

void produce() {
    auto words = producer();
    std::string sentence = *words.next();
    while (const auto word = words.next()) sentence += " " + *word;
    fmt::print("{}\n", sentence);
}

generator<none, std::string> consumer() {
    const std::string val = co_yield {};
    fmt::print("{}\n", val);
}

void consume() {
    auto c = consumer();
    c.next();
    c.send("hello!");
}

generator<none, none, std::string> sleepy_boi() {
    for (int idx = 0; idx < 3; ++idx) {
        fmt::print("idx={}\n", idx);
        co_yield {};
    }
    co_return name_in_hindi;
}

loop::task<std::string> sleepy_boi_async(event_loop& loop) {
    for (int idx = 0; idx < 3; ++idx) {
        fmt::print("idx={}\n", idx);
        co_await loop.yield();
    }
    co_return name_in_hindi;
}

void send_to_generator() {
    auto coro = sleepy_boi();
    do {
        fmt::print("sending value to coroutine/generator\n");
    } while (coro.next());
    fmt::print("{}\n", coro.returned());
}

void send_to_coroutine(event_loop& loop) {
    const auto coro = create_task(loop, sleepy_boi_async(loop));
    while (!coro.done()) {
        fmt::print("sending value to coroutine/generator\n");
        loop.turn();
    }
    fmt::print("{}\n", coro.outcome().result());
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{
        .about =
            "Shows generators that produce values, consume values, and continue when they receive a value.",
        .design = "loop-asyncio"};
    return run_example(argc, argv, described, [](event_loop& loop) {
        produce();
        consume();
        send_to_generator();
        send_to_coroutine(loop);
    });
}
