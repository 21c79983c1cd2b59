// The program of tutorial 004's deep dive builds asyncio.sleep() as asyncio does: with a future, a timer that
// sets the future, and a `finally` that cancels the timer if the sleeping task is cancelled.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "loop/coro/future.hpp"
#include "loop/examples/example.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

template <class T>
task<T> sleep(event_loop& loop, loop::nanoseconds delay, T result) {
    if (delay <= 0ns) {
        co_await loop.yield();
        co_return result;
    }
    const auto promise = std::make_shared<loop::promise<T>>(loop);
    const auto future = promise->get_future();
    auto cancel = [](auto* armed) { armed->cancel(); };
    auto timer = loop.call_later(delay, [promise, result] { promise->set_value(result); });
    const std::unique_ptr<decltype(timer), decltype(cancel)> finally(&timer, cancel);
    co_return co_await future;
}

task<void> sleep_and_tell(event_loop& loop, loop::nanoseconds delay, std::string result) {
    const auto start = loop.now();
    const std::string woken = co_await sleep(loop, delay, std::move(result));
    fmt::print("{}: {:.2f} ms\n", woken, milliseconds(loop.now() - start));
}

task<void> sleepers(event_loop& loop) {
    co_await sleep_and_tell(loop, 0ns, "at once");
    co_await sleep_and_tell(loop, scaled(500ms), "half a second");

    const auto sleeper = create_task(loop, sleep_and_tell(loop, scaled(1h), "an hour"));
    co_await sleep_and_tell(loop, scaled(200ms), "in between");
    sleeper.cancel();
    try {
        co_await sleeper;
    } catch (const loop::task_cancelled&) {
        fmt::print("an hour: cancelled\n");
    }
}

void sleep_deep_dive(event_loop& loop) {
    const auto start = loop.now();
    loop.spawn(sleepers(loop));
    loop.run_until_idle();
    fmt::print("idle: {:.2f} ms\n", milliseconds(loop.now() - start));
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    const program described{.about = "Builds asyncio.sleep() from its parts: a future and a timer.",
                            .design = "loop-asyncio"};
    return run_example(argc, argv, described, sleep_deep_dive);
}
