// The program shows tutorial 001's introduction to generators. It does not use the loop of this project, and
// therefore has no option --design.
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <system_error>

#include "loop/examples/generator.hpp"
#include "loop/examples/virtual_time.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;

generator<std::string> iterable_dirs(std::regex regex) {
    namespace files = std::filesystem;
    std::error_code error;
    files::recursive_directory_iterator entry(".", files::directory_options::skip_permission_denied, error);
    for (; !error && entry != files::end(entry); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code unknown;
        if (entry->is_directory(unknown) &&
            std::regex_search(name, regex, std::regex_constants::match_continuous))
            co_yield entry->path().string();
    }
}

void print_dirs(int count_max) {
    auto dirs = iterable_dirs(std::regex("^[a-z]"));
    for (int count = 0; count < count_max; ++count) {
        const auto dir = dirs.next();
        if (!dir) break;
        fmt::print("{}\n", *dir);
    }
}

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

// Passes each value to the inner generator. The tutorial uses `yield from` here, but the inner generator
// never returns; therefore the tutorial's code cannot produce the tutorial's output.
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

void static_event_loop(int rounds) {
    std::array event_loop{printing("task1"), printing("task2")};
    for (int round = 0; round < rounds; ++round) {
        for (auto& task : event_loop) task.next();
    }
}

generator<none> sleep_async(virtual_clock& clock, std::chrono::seconds duration) {
    const auto start = clock.now();
    while (clock.now() - start < duration) co_yield {};
}

generator<none> printing_and_sleeping(const char* name, virtual_clock& clock, std::chrono::seconds pause) {
    for (;;) {
        fmt::print("{}\n", name);
        for (auto sleeping = sleep_async(clock, pause); sleeping.next();) co_yield {};
    }
}

void static_event_loop_that_sleeps(std::chrono::milliseconds duration) {
    virtual_clock clock;
    std::array event_loop{printing_and_sleeping("task1", clock, 1s),
                          printing_and_sleeping("task2", clock, 2s)};
    for (const auto start = clock.now(); clock.now() - start < duration;) {
        for (auto& task : event_loop) task.next();
    }
}

}  // namespace

}  // namespace loopbench::examples

int main() {
    using namespace loopbench::examples;
    print_dirs(10);
    send_one_and_two(coroutine());
    send_one_and_two(delegating_coroutine());
    send_until_it_returns();
    static_event_loop(2);
    static_event_loop_that_sleeps(std::chrono::milliseconds(3500));
}
