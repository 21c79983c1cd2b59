// The runtime of tutorial 001 is a queue of tasks, each of which is a generator. round_robin_tasks.cpp is the
// same program on the loop of this project. With --trace, this program prints each task before the task runs;
// in the tutorial, the line that prints the task is commented out.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>

#include "loop/examples/example.hpp"
#include "loop/examples/generator.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using result = std::optional<loop::nanoseconds>;
using coroutine = generator<none, none, result>;

class task {
public:
    task(std::string_view name, coroutine coro) : name_(name), coro_(std::move(coro)) {}

    bool done() const { return finished_; }

    void run() {
        if (coro_.next()) return;
        finished_ = true;
        res_ = coro_.returned();
    }

    std::string printed() const {
        const std::string res = res_ ? fmt::format("{:.2f} ms", milliseconds(*res_)) : "None";
        return fmt::format("{}, finished {}, res : {}", name_, finished_ ? "True" : "False", res);
    }

private:
    std::string_view name_;
    coroutine coro_;
    bool finished_ = false;
    result res_;
};

using task_pointer = std::shared_ptr<task>;

struct event_loop {
    std::queue<task_pointer> tasks;
    bool trace;

    task_pointer create_task(std::string_view name, coroutine coro) {
        return tasks.emplace(std::make_shared<task>(name, std::move(coro)));
    }

    void run() {
        while (!tasks.empty()) {
            const task_pointer next = std::move(tasks.front());
            tasks.pop();
            if (trace) fmt::print("Running task {}\n", next->printed());
            next->run();
            if (!next->done()) tasks.push(next);
        }
    }
};

coroutine sleep(loop::nanoseconds duration) {
    const auto start = now();
    while (now() - start < duration) co_yield {};
    co_return now() - start;
}

// Prints the name `times` times, with a pause after each line. The inner loop around `co_yield` is the
// tutorial's Task.__await__.
coroutine prints(event_loop& loop, std::string_view name, int times, loop::nanoseconds pause) {
    for (int round = 0; round < times; ++round) {
        fmt::print("{}\n", name);
        const task_pointer sleeping = loop.create_task("_sleep", sleep(pause));
        while (!sleeping->done()) co_yield {};
    }
    co_return std::nullopt;
}

coroutine both(event_loop& loop) {
    const task_pointer one = loop.create_task("task1", prints(loop, "Task 1", 2, scaled(1s)));
    const task_pointer two = loop.create_task("task2", prints(loop, "Task 2", 3, scaled(2s)));
    while (!one->done()) co_yield {};
    while (!two->done()) co_yield {};
    fmt::print("done\n");
    co_return std::nullopt;
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    bool trace = false;
    const program described{
        .about = "Runs two tasks alternately, on a loop that consists only of a queue.",
        .options = {{"--trace", "Print the name of each task when it runs", &trace}},
    };
    return run_on_its_own_loop(argc, argv, described, [&] {
        event_loop loop{.tasks = {}, .trace = trace};
        loop.create_task("main", both(loop));
        loop.run();
    });
}
