// The hand-made sleep of tutorial 004 is correct and concurrent, but uses 100 % of a core. The last line of
// the output shows the CPU usage; with --design loop-asyncio, this number is small. In virtual time, sleeping
// takes no real time, and the last line shows the number of sleeps instead.
#include <fmt/core.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <span>
#include <string_view>

#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

task<void> do_something_after_sleep(event_loop& loop, std::string_view name, loop::nanoseconds delay) {
    co_await loop.sleep_for(delay);
    fmt::print("hey ma, calling from {}\n", name);
}

std::chrono::microseconds cpu_time() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

task<void> call_home(event_loop& loop) {
    const auto start = loop.now();
    const auto cpu_start = cpu_time();
    std::array tasks{do_something_after_sleep(loop, "Arouba", scaled(500ms)),
                     do_something_after_sleep(loop, "Brandenburg", scaled(700ms))};
    co_await loop.gather(std::span(tasks));
    const double wall_ms = milliseconds(loop.now() - start);
    const double cpu_ms = milliseconds(cpu_time() - cpu_start);
    fmt::print("{:.2f} ms\n", wall_ms);
    if (const virtual_clock* const jumping = jumping_clock()) {
        fmt::print("sleeps: {}\n", jumping->sleeps());
    } else {
        fmt::print("CPU over wall: {:.0f} %\n", 100 * cpu_ms / wall_ms);
    }
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{
        .about =
            "Calls a function after 500 ms and after 700 ms, and prints the CPU time that busy waiting used.",
        .design = "loop-round-robin"};
    return run_example(argc, argv, described, [](event_loop& loop) { loop.run(call_home(loop)); });
}
