// Tests the optional concept CallTimers.
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

using namespace std::chrono_literals;
using bench::time_point;

template <class R>
class call_at : public conformance_test<R> {
protected:
    static constexpr bool has_word = bench::CallTimers<R>;

    void SetUp() override {
        conformance_test<R>::SetUp();
        if (!has_word) GTEST_SKIP() << this->name() << ": the adapter has no call_at()";
    }
};

template <bench::Runtime R>
task_of<R> let_what_is_due_be_called(R& runtime) {
    for (int i = 0; i < 3; ++i) co_await runtime.sleep_until(runtime.now() + 2ms);
}

CONFORMANCE_TEST(call_at, a_scheduled_function_is_called_exactly_once_and_never_before_its_time) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    int early = 0;
    auto main = [&]() -> task_of<R> {
        for (int i = 0; i < 300; ++i) {
            const time_point when = runtime.now() + std::chrono::nanoseconds((i * 7919) % 300 * 10'007);
            runtime.call_at(when, [&calls, &early, when] {
                ++calls;
                if (std::chrono::steady_clock::now() + bench::early_limit<R> < when) ++early;
            });
        }
        while (calls < 300) co_await runtime.sleep_until(runtime.now() + 1ms);
        co_await let_what_is_due_be_called(runtime);
    };
    runtime.run(main());
    EXPECT_EQ(calls, 300);
    EXPECT_EQ(early, 0);
}

CONFORMANCE_TEST(call_at, call_at_never_calls_a_function_inline_even_if_its_time_has_passed) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    auto main = [&]() -> task_of<R> {
        for (const time_point passed : {time_point::min(), time_point(), runtime.now()}) {
            const int before = calls;
            runtime.call_at(passed, [&] { ++calls; });
            EXPECT_EQ(calls, before);
        }
        co_await let_what_is_due_be_called(runtime);
    };
    runtime.run(main());
    EXPECT_EQ(calls, 3);
}

CONFORMANCE_TEST(call_at, a_scheduled_call_that_is_cancelled_before_its_time_is_never_made) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    auto main = [&]() -> task_of<R> {
        auto near = runtime.call_at(runtime.now() + 1ms, [&] { ++calls; });
        auto far = runtime.call_at(runtime.now() + 1h, [&] { ++calls; });
        near.cancel();
        near.cancel();
        far.cancel();
        co_await let_what_is_due_be_called(runtime);
    };
    runtime.run(main());
    EXPECT_EQ(calls, 0);
}

// The two calls are due at the same time; therefore the cancelled call might already be in the queue.
CONFORMANCE_TEST(call_at, a_due_call_that_another_due_call_cancels_is_never_made) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    using handle = decltype(runtime.call_at(time_point(), [] {}));
    std::optional<handle> one;
    std::optional<handle> other;
    auto main = [&]() -> task_of<R> {
        const time_point when = runtime.now() + 1ms;
        one.emplace(runtime.call_at(when, [&] {
            ++calls;
            other->cancel();
        }));
        other.emplace(runtime.call_at(when, [&] {
            ++calls;
            one->cancel();
        }));
        co_await let_what_is_due_be_called(runtime);
        one->cancel();
        other->cancel();
    };
    runtime.run(main());
    one.reset();
    other.reset();
    EXPECT_EQ(calls, 1);
}

CONFORMANCE_TEST(call_at, a_call_is_made_even_if_its_handle_was_destroyed_unless_the_call_was_cancelled) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    auto main = [&]() -> task_of<R> {
        for (int i = 0; i < 100; ++i) {
            auto cancelled = runtime.call_at(runtime.now() + 1ms, [&] { calls += 1000; });
            {
                auto dropped = runtime.call_at(runtime.now() + 1ms, [&] { ++calls; });
            }
            cancelled.cancel();
        }
        co_await let_what_is_due_be_called(runtime);
    };
    runtime.run(main());
    EXPECT_EQ(calls, 100);
}

CONFORMANCE_TEST(call_at, a_function_that_schedules_its_next_call_for_now_does_not_starve_other_work) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    bool done = false;
    std::function<void()> again = [&] {
        ++calls;
        if (!done) runtime.call_at(runtime.now(), [&] { again(); });
    };
    auto main = [&]() -> task_of<R> {
        again();
        auto listener = runtime.listen();
        auto client = co_await runtime.connect(listener.port());
        auto server = co_await listener.accept();
        co_await let_what_is_due_be_called(runtime);
        done = true;
        co_await let_what_is_due_be_called(runtime);
    };
    runtime.run(main());
    EXPECT_GT(calls, 1);
}

CONFORMANCE_TEST(call_at, run_throws_the_exception_of_a_scheduled_function_and_later_calls_stay_scheduled) {
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    auto until_called = [&]() -> task_of<R> {
        while (calls == 0) co_await runtime.sleep_until(runtime.now() + 1ms);
    };
    runtime.call_at(runtime.now() + 1ms, [] { throw std::runtime_error("from a timer"); });
    runtime.call_at(runtime.now() + 20ms, [&] { ++calls; });
    EXPECT_THROW(runtime.run(until_called()), std::runtime_error);
    runtime.run(until_called());
    EXPECT_EQ(calls, 1);
}

CONFORMANCE_TEST(call_at, objects_that_pending_calls_have_captured_are_freed_with_the_runtime) {
    int freed = 0;
    bool called = false;
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        for (const auto delay : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(1h)}) {
            auto kept = std::make_shared<freed_counter>(freed);
            runtime.call_at(runtime.now() + delay, [kept = std::move(kept), &called, delay] {
                if (delay != 0ns) called = true;
            });
        }
        co_return;
    };
    runtime.run(main());
    this->end_runtime();
    EXPECT_EQ(freed, 2);
    EXPECT_FALSE(called);
}

}  // namespace loopbench::conformance
