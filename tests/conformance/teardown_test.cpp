// Tests that destroying a runtime frees everything that it owns. (AddressSanitizer detects frames that are
// not freed.)
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "loop/coro/task.hpp"
#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

template <class R>
class teardown : public conformance_test<R> {};

template <bench::Runtime R>
task_of<R> sleep_forever(R& runtime, freed_counter) {
    co_await runtime.sleep_until(bench::time_point::max());
}

template <bench::Runtime R>
task_of<R> yield_forever(R& runtime, freed_counter) {
    for (;;) co_await runtime.yield();
}

template <bench::Runtime R>
task_of<R> yield_often(R& runtime, int times) {
    for (int i = 0; i < times; ++i) co_await runtime.yield();
}

template <bench::Runtime R>
task_of<R> gather_sleepers(R& runtime, int& freed, freed_counter) {
    std::vector<task_of<R>> children;
    for (int i = 0; i < 10; ++i) children.push_back(sleep_forever(runtime, freed_counter(freed)));
    co_await gather_all(runtime, children);
}

CONFORMANCE_TEST(teardown, a_task_that_was_spawned_and_never_started_is_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    runtime.spawn(yield_forever(runtime, freed_counter(freed)));
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 1);
}

CONFORMANCE_TEST(teardown, a_function_that_was_posted_and_never_called_is_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    runtime.post([owned = freed_counter(freed)] {});
    runtime.post_from_any_thread([owned = freed_counter(freed)] {});
    this->end_runtime();
    EXPECT_EQ(freed, 2);
}

CONFORMANCE_TEST(teardown, tasks_that_yield_or_sleep_are_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    runtime.spawn(yield_forever(runtime, freed_counter(freed)));
    runtime.spawn(sleep_forever(runtime, freed_counter(freed)));
    runtime.run(yield_often(runtime, 3));
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 2);
}

CONFORMANCE_TEST(teardown, a_gather_with_its_children_and_its_waiter_is_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    runtime.spawn(gather_sleepers(runtime, freed, freed_counter(freed)));
    runtime.run(yield_often(runtime, 3));
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 11);
}

CONFORMANCE_TEST(teardown, a_chain_of_tasks_in_which_each_awaits_the_next_is_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    auto outer = [&](freed_counter) -> task_of<R> {
        co_await gather_sleepers(runtime, freed, freed_counter(freed));
    };
    runtime.spawn(outer(freed_counter(freed)));
    runtime.run(yield_often(runtime, 3));
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 12);
}

CONFORMANCE_TEST(teardown, tasks_that_wait_for_sockets_are_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    auto reader = [&](typename R::stream stream, freed_counter) -> task_of<R> {
        std::array<std::byte, 16> buffer;
        co_await stream.read_some(buffer);
    };
    auto writer = [&](typename R::stream stream, freed_counter) -> task_of<R> {
        const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{64} << 20);
        co_await stream.write_all(more_than_the_kernel_takes);
    };
    auto accepter = [&](typename R::listener listener, freed_counter) -> task_of<R> {
        co_await listener.accept();
    };
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        auto client = co_await runtime.connect(listener.port());
        auto server = co_await listener.accept();
        runtime.spawn(writer(std::move(client), freed_counter(freed)));
        runtime.spawn(reader(co_await runtime.connect(listener.port()), freed_counter(freed)));
        auto silent = co_await listener.accept();
        runtime.spawn(accepter(std::move(listener), freed_counter(freed)));
        co_await yield_often(runtime, 5);
        runtime.spawn(reader(std::move(silent), freed_counter(freed)));
        auto keeper = [](R& loop, typename R::stream, freed_counter) -> task_of<R> {
            co_await loop.sleep_until(bench::time_point::max());
        };
        runtime.spawn(keeper(runtime, std::move(server), freed_counter(freed)));
        co_await yield_often(runtime, 5);
    };
    runtime.run(main());
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 5);
}

CONFORMANCE_TEST(teardown, a_task_that_waits_for_an_event_is_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    auto waiter = [&](freed_counter) -> task_of<R> {
        typename R::event never(runtime);
        co_await never.wait();
    };
    runtime.spawn(waiter(freed_counter(freed)));
    runtime.run(yield_often(runtime, 3));
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 1);
}

CONFORMANCE_TEST(teardown, the_main_task_of_a_run_that_has_thrown_is_freed_with_the_runtime) {
    int freed = 0;
    R& runtime = this->keep(this->make_runtime());
    runtime.post([] { throw std::runtime_error("posted"); });
    EXPECT_THROW(runtime.run(sleep_forever(runtime, freed_counter(freed))), std::runtime_error);
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_EQ(freed, 1);
}

template <class Function>
class when_freed {
public:
    explicit when_freed(Function then) : then_(std::move(then)) {}
    when_freed(const when_freed&) = delete;
    when_freed& operator=(const when_freed&) = delete;
    ~when_freed() { then_(); }

private:
    Function then_;
};

template <class Function>
auto call_when_freed(Function then) {
    return std::make_shared<when_freed<Function>>(std::move(then));
}

// Each event is set by the destruction of another task's frame: in one pair of tasks before the frame of the
// waiting task is destroyed, in the other pair afterwards. The test excludes runtimes with Asio's tasks,
// because Asio destroys frames while it destroys its services, and a destructor that uses a service would
// crash.
CONFORMANCE_TEST(teardown, a_task_whose_event_is_set_during_the_teardown_is_freed_and_never_resumed) {
    if constexpr (std::same_as<task_of<R>, loop::task<void>>) {
        int freed = 0;
        R& runtime = this->keep(this->make_runtime());
        auto waits = [&](typename R::event*& awaited, freed_counter) -> task_of<R> {
            while (awaited == nullptr) co_await runtime.yield();
            co_await awaited->wait();
            ADD_FAILURE() << "no coroutine must continue during the teardown";
        };
        auto sets_at_its_end = [&](typename R::event*& made, freed_counter) -> task_of<R> {
            typename R::event event(runtime);
            made = &event;
            const auto guard = call_when_freed([&event] { event.set(); });
            co_await runtime.sleep_until(bench::time_point::max());
        };
        typename R::event* events[2]{};
        runtime.spawn(waits(events[0], freed_counter(freed)));
        runtime.spawn(sets_at_its_end(events[0], freed_counter(freed)));
        runtime.spawn(sets_at_its_end(events[1], freed_counter(freed)));
        runtime.spawn(waits(events[1], freed_counter(freed)));
        runtime.run(yield_often(runtime, 10));
        EXPECT_EQ(freed, 0);
        this->end_runtime();
        EXPECT_EQ(freed, 4);
    }
}

// There are 200 calls, so that the runtime's containers have to grow during the teardown.
CONFORMANCE_TEST(teardown, work_that_is_scheduled_during_the_teardown_is_freed) {
    if constexpr (bench::CallTimers<R>) {
        constexpr int calls = 200;
        int freed = 0;
        R& runtime = this->keep(this->make_runtime());
        const auto far = runtime.now() + std::chrono::hours(1);
        const auto once_more = [&runtime, &freed, far] {
            runtime.call_at(far, [owned = std::make_shared<freed_counter>(freed)] {});
            runtime.post([owned = freed_counter(freed)] {});
            runtime.post_from_any_thread([owned = freed_counter(freed)] {});
            runtime.spawn(yield_forever(runtime, freed_counter(freed)));
        };
        for (int i = 0; i < calls; ++i) {
            runtime.call_at(far, [guard = std::make_shared<when_freed<decltype(once_more)>>(once_more)] {});
        }
        runtime.run(yield_often(runtime, 3));
        EXPECT_EQ(freed, 0);
        this->end_runtime();
        EXPECT_EQ(freed, 4 * calls);
    }
}

CONFORMANCE_TEST(teardown, a_scheduled_call_that_the_destruction_of_another_call_cancels_is_freed) {
    if constexpr (bench::CallTimers<R>) {
        int freed = 0;
        R& runtime = this->keep(this->make_runtime());
        // The cancelled call is due after the cancelling call in the first pass, and before it in the second.
        for (const auto& [one, other] : {std::pair{1, 2}, std::pair{4, 3}}) {
            const auto owned = [&freed] { return std::make_shared<freed_counter>(freed); };
            auto handle = runtime.call_at(runtime.now() + std::chrono::hours(other), [held = owned()] {});
            runtime.call_at(
                runtime.now() + std::chrono::hours(one),
                [guard = call_when_freed([handle]() mutable { handle.cancel(); }), held = owned()] {});
        }
        runtime.run(yield_often(runtime, 3));
        EXPECT_EQ(freed, 0);
        this->end_runtime();
        EXPECT_EQ(freed, 4);
    }
}

}  // namespace loopbench::conformance
