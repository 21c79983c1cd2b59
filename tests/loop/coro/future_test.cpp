// Tests futures, promises, named tasks and events.
#include "loop/coro/future.hpp"

#include <optional>
#include <stdexcept>

#include "loop/coro/event.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

class futures : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, futures, all_designs(), design_name);

TEST_P(futures, a_result_wakes_all_waiters_in_the_order_of_their_arrival) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    std::vector<std::string> order;
    auto waiter = [&](std::string name) -> task<void> {
        const int value = co_await answer.get_future();
        order.push_back(name + std::to_string(value));
    };
    for (const char* name : {"a", "b", "c"}) loop.spawn(waiter(name));
    loop.run(yield_times(loop, 2));
    answer.set_value(7);
    EXPECT_TRUE(order.empty()) << "no coroutine must continue inside set_value()";
    loop.run_until_idle();
    EXPECT_EQ(order, (std::vector<std::string>{"a7", "b7", "c7"}));
}

TEST_P(futures, done_callbacks_of_a_future_run_on_a_later_turn_in_the_order_in_which_they_were_added) {
    event_loop& loop = keep(make_loop());
    promise<std::string> answer(loop);
    const auto future = answer.get_future();
    std::vector<std::string> calls;
    future.add_done_callback([&](const auto& done) { calls.push_back("1" + done.result()); });
    future.add_done_callback([&](const auto& done) { calls.push_back("2" + done.result()); });
    answer.set_value("x");
    future.add_done_callback([&](const auto& done) { calls.push_back("3" + done.result()); });
    EXPECT_TRUE(calls.empty());
    loop.turn();
    EXPECT_EQ(calls, (std::vector<std::string>{"1x", "2x", "3x"}));
}

TEST_P(futures, a_promise_accepts_one_result_and_throws_if_a_second_result_is_set) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    answer.set_value(1);
    EXPECT_THROW(answer.set_value(2), std::logic_error);
    EXPECT_THROW(answer.set_exception(std::make_exception_ptr(std::runtime_error("late"))), std::logic_error);
    EXPECT_EQ(answer.get_future().result(), 1);
}

TEST_P(futures, a_future_without_a_result_throws_when_the_result_is_requested) {
    event_loop& loop = keep(make_loop());
    promise<void> answer(loop);
    EXPECT_FALSE(answer.get_future().done());
    EXPECT_THROW(answer.get_future().result(), std::logic_error);
}

TEST_P(futures, the_exception_of_a_promise_is_thrown_in_every_waiter) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    auto waiter = [&]() -> task<void> { co_await answer.get_future(); };
    const std::array waiting{create_task(loop, waiter()), create_task(loop, waiter())};
    loop.run(yield_times(loop, 2));
    answer.set_exception(std::make_exception_ptr(std::runtime_error("the cause")));
    loop.run_until_idle();
    for (const auto& each : waiting) EXPECT_EQ(ending_of(each.outcome()), "the cause");
}

TEST_P(futures, awaiting_a_future_that_is_done_returns_its_value) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    answer.set_value(3);
    auto waiter = [&]() -> task<int> { co_return co_await answer.get_future(); };
    EXPECT_EQ(loop.run(waiter()), 3);
}

TEST_P(futures, a_future_does_not_wake_cancelled_waiters_and_wakes_the_others_in_order) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    std::vector<int> woken;
    auto waiter = [&](int number) -> task<void> {
        co_await answer.get_future();
        woken.push_back(number);
    };
    std::vector<task_handle<void>> waiting;
    for (int i = 0; i < 4; ++i) waiting.push_back(create_task(loop, waiter(i)));
    loop.run(yield_times(loop, 2));
    waiting[0].cancel();
    waiting[2].cancel();
    loop.run(yield_times(loop, 2));
    EXPECT_EQ(ending_of(waiting[0].outcome()), "cancelled");
    EXPECT_EQ(ending_of(waiting[2].outcome()), "cancelled");
    answer.set_value(1);
    loop.run_until_idle();
    EXPECT_EQ(woken, (std::vector{1, 3}));
}

TEST_P(futures, a_waiter_that_is_cancelled_after_the_result_was_set_still_gets_the_value) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    int value = 0;
    auto waiter = [&]() -> task<void> {
        value = co_await answer.get_future();
        co_await loop.yield();
    };
    const auto waiting = create_task(loop, waiter());
    loop.run(yield_times(loop, 2));
    answer.set_value(5);
    waiting.cancel();
    loop.run_until_idle();
    EXPECT_EQ(value, 5);
    EXPECT_EQ(ending_of(waiting.outcome()), "cancelled");
}

TEST_P(futures, a_future_forgets_a_waiter_whose_frame_is_destroyed) {
    event_loop& loop = keep(make_loop());
    promise<int> answer(loop);
    {
        const auto other_owner = make_loop();
        event_loop& other = *other_owner;
        auto waiter = [&]() -> task<void> { co_await answer.get_future(); };
        other.spawn(waiter());
        other.run(yield_times(other, 2));
    }
    answer.set_value(1);
    loop.run_until_idle();
}

TEST_P(futures, destroying_a_promise_without_a_result_cancels_its_future) {
    event_loop& loop = keep(make_loop());
    std::optional<promise<int>> dropped(std::in_place, loop);
    promise<int> replaced(loop);
    const std::array unkept{dropped->get_future(), replaced.get_future()};
    auto waiter = [](future<int> awaited) -> task<void> { co_await awaited; };
    const std::array waiting{create_task(loop, waiter(unkept[0])), create_task(loop, waiter(unkept[1]))};
    loop.run(yield_times(loop, 2));
    promise<int> kept = std::move(*dropped);
    dropped.reset();
    EXPECT_FALSE(unkept[0].done()) << "destroying a moved-from promise must not end its future";
    replaced = std::move(kept);
    EXPECT_TRUE(unkept[1].done());
    { const promise<int> last = std::move(replaced); }
    EXPECT_TRUE(unkept[0].done());
    loop.run_until_idle();
    for (const auto& each : waiting) EXPECT_EQ(ending_of(each.outcome()), "cancelled");
}

TEST_P(futures, awaiting_a_task_handle_returns_the_value_or_throws_the_exception_of_the_task) {
    event_loop& loop = keep(make_loop());
    auto works = [&]() -> task<int> {
        co_await loop.yield();
        co_return 9;
    };
    auto fails = [&]() -> task<int> {
        co_await loop.yield();
        throw std::runtime_error("asked for");
    };
    const auto good = create_task(loop, works());
    const auto bad = create_task(loop, fails());
    int called = 0;
    good.outcome().add_done_callback([&](const future<int>& done) { called = done.result(); });
    auto main = [&]() -> task<void> {
        EXPECT_FALSE(good.done());
        EXPECT_EQ(co_await good, 9);
        EXPECT_THROW(co_await bad, std::runtime_error);
        EXPECT_TRUE(good.done());
    };
    loop.run(main());
    loop.run_until_idle();
    EXPECT_EQ(called, 9);
    EXPECT_EQ(ending_of(bad.outcome()), "asked for");
}

TEST_P(futures, a_task_that_two_waiters_await_returns_its_value_to_each_waiter) {
    event_loop& loop = keep(make_loop());
    auto works = [&]() -> task<int> {
        co_await loop.yield();
        co_return 2;
    };
    const auto shared = create_task(loop, works());
    int sum = 0;
    auto waiter = [&]() -> task<void> { sum += co_await shared; };
    std::array both{waiter(), waiter()};
    auto main = [&]() -> task<void> { co_await loop.gather(std::span(both)); };
    loop.run(main());
    EXPECT_EQ(sum, 4);
}

TEST_P(futures, an_event_does_not_wake_a_cancelled_waiter) {
    event_loop& loop = keep(make_loop());
    event happening(loop);
    std::vector<int> woken;
    auto waiter = [&](int number) -> task<void> {
        co_await happening.wait();
        woken.push_back(number);
    };
    std::vector<task_handle<void>> waiting;
    for (int i = 0; i < 3; ++i) waiting.push_back(create_task(loop, waiter(i)));
    loop.run(yield_times(loop, 2));
    waiting[1].cancel();
    loop.run(yield_times(loop, 2));
    EXPECT_EQ(ending_of(waiting[1].outcome()), "cancelled");
    happening.set();
    loop.run_until_idle();
    EXPECT_EQ(woken, (std::vector{0, 2}));
}

}  // namespace loopbench::loop::test
