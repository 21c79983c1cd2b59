// Document 001's primer: generators that are sent values, and two of them taking turns. There is no loop yet, and so
// no design to choose.
#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>

#include "loop/examples/generator.hpp"

namespace loopbench::examples {

namespace {

generator<none, int> coroutine() {
    fmt::print("coroutine started\n");
    for (;;) {
        const int value = co_yield {};
        fmt::print("received value: {}\n", value);
    }
}

generator<none, int> sub_coroutine() {
    fmt::print("sub coroutine started\n");
    for (;;) {
        const int value = co_yield {};
        fmt::print("sub coroutine received value: {}\n", value);
    }
}

// The document writes `yield from`, which would never come back from a function that never returns. What it prints
// is what passing each value on by hand does.
generator<none, int> delegating_coroutine() {
    fmt::print("coroutine started\n");
    auto sub = sub_coroutine();
    sub.next();
    for (;;) {
        const int value = co_yield {};
        sub.send(value);
        fmt::print("received value: {}\n", value);
    }
}

generator<none, std::optional<int>, std::string> corou() {
    fmt::print("coroutine started\n");
    while (const std::optional<int> value = co_yield {}) fmt::print("received value: {}\n", *value);
    co_return "done";
}

generator<none> printing(const char* name) {
    for (;;) {
        fmt::print("{}\n", name);
        co_yield {};
    }
}

void send_one_and_two(generator<none, int> c) {
    c.next();
    c.send(1);
    c.send(2);
}

void send_until_it_returns() {
    auto c = corou();
    c.next();
    c.send(1);
    c.send(2);
    if (!c.send({})) fmt::print("StopIteration: {}\n", c.returned());
}

// The first event loop: it cannot wait, and its tasks cannot end. The document's goes round for ever.
void static_event_loop(int rounds) {
    std::array event_loop{printing("task1"), printing("task2")};
    for (int round = 0; round < rounds; ++round) {
        for (auto& task : event_loop) task.next();
    }
}

}  // namespace

}  // namespace loopbench::examples

int main() {
    using namespace loopbench::examples;
    send_one_and_two(coroutine());
    send_one_and_two(delegating_coroutine());
    send_until_it_returns();
    static_event_loop(2);
}
