// Tests tasks and run().
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

template <class R>
class task : public conformance_test<R> {};

CONFORMANCE_TEST(task, run_returns_the_value_of_the_task) {
    R& runtime = this->keep(this->make_runtime());
    auto answer = []() -> task_of<R, int> { co_return 42; };
    EXPECT_EQ(runtime.run(answer()), 42);
}

CONFORMANCE_TEST(task, run_can_return_a_move_only_value) {
    R& runtime = this->keep(this->make_runtime());
    auto answer = []() -> task_of<R, std::unique_ptr<int>> { co_return std::make_unique<int>(42); };
    EXPECT_EQ(*runtime.run(answer()), 42);
}

CONFORMANCE_TEST(task, run_throws_the_exception_of_the_task) {
    R& runtime = this->keep(this->make_runtime());
    auto failing = [&]() -> task_of<R, int> {
        co_await runtime.yield();
        throw std::runtime_error("cause");
    };
    try {
        runtime.run(failing());
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "cause");
    }
}

CONFORMANCE_TEST(task, awaiting_a_task_returns_its_value_or_throws_its_exception) {
    R& runtime = this->keep(this->make_runtime());
    auto child = [&](int value) -> task_of<R, int> {
        co_await runtime.yield();
        if (value < 0) throw std::invalid_argument("negative");
        co_return value;
    };
    auto parent = [&]() -> task_of<R, int> {
        int sum = co_await child(1);
        try {
            sum += co_await child(-1);
        } catch (const std::invalid_argument&) {
            sum += 10;
        }
        co_return sum + co_await child(2);
    };
    EXPECT_EQ(runtime.run(parent()), 13);
}

CONFORMANCE_TEST(task, a_task_does_not_start_before_it_is_awaited) {
    R& runtime = this->keep(this->make_runtime());
    bool started = false;
    auto child = [&]() -> task_of<R> {
        started = true;
        co_return;
    };
    auto parent = [&]() -> task_of<R> {
        auto pending = child();
        co_await runtime.yield();
        EXPECT_FALSE(started);
        co_await std::move(pending);
        EXPECT_TRUE(started);
    };
    runtime.run(parent());
}

CONFORMANCE_TEST(task, a_task_that_was_never_started_is_freed_with_its_parameters) {
    int freed = 0;
    bool started = false;
    auto never = [&](freed_counter) -> task_of<R> {
        started = true;
        co_return;
    };
    { auto dropped = never(freed_counter(freed)); }
    EXPECT_EQ(freed, 1);
    EXPECT_FALSE(started);
}

CONFORMANCE_TEST(task, awaiting_many_tasks_one_after_another_does_not_overflow_the_stack) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP()
        << "g++ makes no tail calls in sanitized code, so symmetric transfer cannot keep the stack small";
#endif
    const auto owner = this->make_runtime();
    R& runtime = *owner;
    auto ready = []() -> task_of<R, int> { co_return 1; };
    auto parent = [&]() -> task_of<R, int> {
        int sum = 0;
        for (int i = 0; i < 100'000; ++i) sum += co_await ready();
        co_return sum;
    };
    EXPECT_EQ(runtime.run(parent()), 100'000);
}

CONFORMANCE_TEST(task, unfinished_tasks_stay_suspended_when_run_returns_and_continue_in_the_next_run) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto other = [&]() -> task_of<R> {
        for (int i = 1; i <= 3; ++i) {
            seen.push_back(i);
            co_await runtime.yield();
        }
    };
    auto first = [&]() -> task_of<R> {
        runtime.spawn(other());
        co_await runtime.yield();
    };
    auto second = [&]() -> task_of<R> {
        for (int i = 0; i < 4; ++i) co_await runtime.yield();
    };
    runtime.run(first());
    const std::size_t seen_in_first = seen.size();
    EXPECT_GE(seen_in_first, 1u);
    EXPECT_LT(seen_in_first, 3u);
    runtime.run(second());
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
}

CONFORMANCE_TEST(task, calling_run_inside_a_task_throws_and_the_outer_run_continues) {
    R& runtime = this->keep(this->make_runtime());
    bool inner_ran = false;
    auto inner = [&]() -> task_of<R> {
        inner_ran = true;
        co_return;
    };
    auto main = [&]() -> task_of<R, int> {
        EXPECT_THROW(runtime.run(inner()), std::logic_error);
        for (int i = 0; i < 3; ++i) co_await runtime.yield();
        co_return 1;
    };
    EXPECT_EQ(runtime.run(main()), 1);
    EXPECT_FALSE(inner_ran);
}

CONFORMANCE_TEST(task, each_of_ten_successive_runs_returns_the_value_of_its_task) {
    R& runtime = this->keep(this->make_runtime());
    auto number = [&](int value) -> task_of<R, int> {
        co_await runtime.yield();
        co_return value;
    };
    for (int i = 0; i < 10; ++i) EXPECT_EQ(runtime.run(number(i)), i);
}

}  // namespace loopbench::conformance
