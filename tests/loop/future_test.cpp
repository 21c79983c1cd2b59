// Futures, promises, tasks with a name, and events.
#include "loop/future.hpp"

#include <optional>
#include <stdexcept>

#include "loop/event.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

template <class R>
class futures : public on_design<R> {};
TYPED_TEST_SUITE(futures, manual_designs, design_names);

TYPED_TEST(futures, wake_all_that_wait_in_the_order_in_which_they_came) {
    TypeParam runtime;
    promise<int> answer(runtime);
    std::vector<std::string> order;
    auto waiter = [&](std::string name) -> task<void> {
        const int value = co_await answer.get_future();
        order.push_back(name + std::to_string(value));
    };
    for (const char* name : {"a", "b", "c"}) runtime.spawn(waiter(name));
    runtime.run(yield_times(runtime, 2));
    answer.set_value(7);
    EXPECT_TRUE(order.empty()) << "nobody goes on inside set_value()";
    runtime.run_until_idle();
    EXPECT_EQ(order, (std::vector<std::string>{"a7", "b7", "c7"}));
}

TYPED_TEST(futures, call_back_on_a_later_turn_in_the_order_of_adding) {
    TypeParam runtime;
    promise<std::string> answer(runtime);
    const auto future = answer.get_future();
    std::vector<std::string> calls;
    future.add_done_callback([&](const auto& done) { calls.push_back("1" + done.result()); });
    future.add_done_callback([&](const auto& done) { calls.push_back("2" + done.result()); });
    answer.set_value("x");
    future.add_done_callback([&](const auto& done) { calls.push_back("3" + done.result()); });
    EXPECT_TRUE(calls.empty());
    runtime.turn();
    EXPECT_EQ(calls, (std::vector<std::string>{"1x", "2x", "3x"}));
}

TYPED_TEST(futures, take_one_result_and_refuse_a_second) {
    TypeParam runtime;
    promise<int> answer(runtime);
    answer.set_value(1);
    EXPECT_THROW(answer.set_value(2), std::logic_error);
    EXPECT_THROW(answer.set_exception(std::make_exception_ptr(std::runtime_error("late"))), std::logic_error);
    EXPECT_EQ(answer.get_future().result(), 1);
}

TYPED_TEST(futures, refuse_to_give_a_result_that_they_do_not_have) {
    TypeParam runtime;
    promise<void> answer(runtime);
    EXPECT_FALSE(answer.get_future().done());
    EXPECT_THROW(answer.get_future().result(), std::logic_error);
}

TYPED_TEST(futures, throw_an_exception_in_every_waiter) {
    TypeParam runtime;
    promise<int> answer(runtime);
    auto waiter = [&]() -> task<void> { co_await answer.get_future(); };
    const std::array waiting{create_task(runtime, waiter()), create_task(runtime, waiter())};
    runtime.run(yield_times(runtime, 2));
    answer.set_exception(std::make_exception_ptr(std::runtime_error("the cause")));
    runtime.run_until_idle();
    for (const auto& each : waiting) EXPECT_EQ(ending_of(each.outcome()), "the cause");
}

TYPED_TEST(futures, that_are_done_do_not_make_wait) {
    TypeParam runtime;
    promise<int> answer(runtime);
    answer.set_value(3);
    auto waiter = [&]() -> task<int> { co_return co_await answer.get_future(); };
    EXPECT_EQ(runtime.run(waiter()), 3);
}

TYPED_TEST(futures, leave_a_cancelled_waiter_out_and_the_others_in_order) {
    TypeParam runtime;
    promise<int> answer(runtime);
    std::vector<int> woken;
    auto waiter = [&](int number) -> task<void> {
        co_await answer.get_future();
        woken.push_back(number);
    };
    std::vector<task_handle<void>> waiting;
    for (int i = 0; i < 4; ++i) waiting.push_back(create_task(runtime, waiter(i)));
    runtime.run(yield_times(runtime, 2));
    waiting[0].cancel();
    waiting[2].cancel();
    runtime.run(yield_times(runtime, 2));
    EXPECT_EQ(ending_of(waiting[0].outcome()), "cancelled");
    EXPECT_EQ(ending_of(waiting[2].outcome()), "cancelled");
    answer.set_value(1);
    runtime.run_until_idle();
    EXPECT_EQ(woken, (std::vector{1, 3}));
}

TYPED_TEST(futures, keep_their_value_for_a_waiter_that_was_cancelled_too_late) {
    TypeParam runtime;
    promise<int> answer(runtime);
    int value = 0;
    auto waiter = [&]() -> task<void> {
        value = co_await answer.get_future();
        co_await runtime.yield();  // here the cancellation arrives
    };
    const auto waiting = create_task(runtime, waiter());
    runtime.run(yield_times(runtime, 2));
    answer.set_value(5);
    waiting.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(value, 5);
    EXPECT_EQ(ending_of(waiting.outcome()), "cancelled");
}

TYPED_TEST(futures, forget_a_waiter_whose_frame_is_gone) {
    TypeParam runtime;
    promise<int> answer(runtime);
    {
        TypeParam other;
        auto waiter = [&]() -> task<void> { co_await answer.get_future(); };
        other.spawn(waiter());
        other.run(yield_times(other, 2));
    }
    answer.set_value(1);
    runtime.run_until_idle();
}

TYPED_TEST(futures, of_promises_that_are_dropped_are_cancelled) {
    TypeParam runtime;
    std::optional<promise<int>> dropped(std::in_place, runtime);
    promise<int> replaced(runtime);
    const std::array unkept{dropped->get_future(), replaced.get_future()};
    auto waiter = [](future<int> awaited) -> task<void> { co_await awaited; };
    const std::array waiting{create_task(runtime, waiter(unkept[0])),
                             create_task(runtime, waiter(unkept[1]))};
    runtime.run(yield_times(runtime, 2));
    promise<int> kept = std::move(*dropped);
    dropped.reset();
    EXPECT_FALSE(unkept[0].done()) << "the promise has moved";
    replaced = std::move(kept);
    EXPECT_TRUE(unkept[1].done());
    { const promise<int> last = std::move(replaced); }
    EXPECT_TRUE(unkept[0].done());
    runtime.run_until_idle();
    for (const auto& each : waiting) EXPECT_EQ(ending_of(each.outcome()), "cancelled");
}

TYPED_TEST(futures, of_tasks_give_values_and_keep_exceptions_for_who_asks) {
    TypeParam runtime;
    auto works = [&]() -> task<int> {
        co_await runtime.yield();
        co_return 9;
    };
    auto fails = [&]() -> task<int> {
        co_await runtime.yield();
        throw std::runtime_error("asked for");
    };
    const auto good = create_task(runtime, works());
    const auto bad = create_task(runtime, fails());
    int called = 0;
    good.outcome().add_done_callback([&](const future<int>& done) { called = done.result(); });
    auto main = [&]() -> task<void> {
        EXPECT_FALSE(good.done());
        EXPECT_EQ(co_await good, 9);
        EXPECT_THROW(co_await bad, std::runtime_error);
        EXPECT_TRUE(good.done());
    };
    runtime.run(main());
    runtime.run_until_idle();
    EXPECT_EQ(called, 9);
    EXPECT_EQ(ending_of(bad.outcome()), "asked for");
}

TYPED_TEST(futures, of_tasks_that_are_awaited_twice_serve_both) {
    TypeParam runtime;
    auto works = [&]() -> task<int> {
        co_await runtime.yield();
        co_return 2;
    };
    const auto shared = create_task(runtime, works());
    int sum = 0;
    auto waiter = [&]() -> task<void> { sum += co_await shared; };
    std::array both{waiter(), waiter()};
    auto main = [&]() -> task<void> { co_await runtime.gather(std::span(both)); };
    runtime.run(main());
    EXPECT_EQ(sum, 4);
}

TYPED_TEST(futures, and_events_leave_a_cancelled_waiter_out) {
    TypeParam runtime;
    event happening(runtime);
    std::vector<int> woken;
    auto waiter = [&](int number) -> task<void> {
        co_await happening.wait();
        woken.push_back(number);
    };
    std::vector<task_handle<void>> waiting;
    for (int i = 0; i < 3; ++i) waiting.push_back(create_task(runtime, waiter(i)));
    runtime.run(yield_times(runtime, 2));
    waiting[1].cancel();
    runtime.run(yield_times(runtime, 2));
    EXPECT_EQ(ending_of(waiting[1].outcome()), "cancelled");
    happening.set();
    runtime.run_until_idle();
    EXPECT_EQ(woken, (std::vector{0, 2}));
}

}  // namespace loopbench::loop::test
