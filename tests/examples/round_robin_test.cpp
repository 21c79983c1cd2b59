// Tests tutorial 001's loop, which polls every waiting task on every turn.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "loop/coro/future.hpp"
#include "loop/designs.hpp"

namespace loopbench::tests {

namespace {

using loop::task;

class a_round_robin_loop : public testing::Test {
protected:
    task<int> answered() { co_return co_await answer.get_future(); }

    void expect_to_poll() {
        for (int turn = 0; turn < 10; ++turn) {
            runtime.turn();
            EXPECT_TRUE(runtime.has_ready());
        }
    }

    const std::unique_ptr<loop::event_loop> owner = loop::make_loop("loop-round-robin");
    loop::event_loop& runtime = *owner;
    loop::promise<int> answer{runtime};
};

}  // namespace

TEST_F(a_round_robin_loop, the_loop_checks_on_every_turn_whether_an_awaited_task_is_done) {
    const auto awaited = create_task(runtime, answered());
    const auto awaits = [&]() -> task<int> { co_return co_await awaited; };
    const auto waiting = create_task(runtime, awaits());
    expect_to_poll();
    EXPECT_FALSE(waiting.done());

    answer.set_value(42);
    while (runtime.has_ready()) runtime.turn();
    EXPECT_EQ(waiting.outcome().result(), 42);
}

TEST_F(a_round_robin_loop, a_cancelled_waiter_ends_in_the_next_turn_and_its_awaited_task_continues) {
    const auto awaited = create_task(runtime, answered());
    const auto awaits = [&]() -> task<int> { co_return co_await awaited; };
    const auto waiting = create_task(runtime, awaits());
    expect_to_poll();

    waiting.cancel();
    runtime.turn();
    EXPECT_THROW(waiting.outcome().result(), loop::task_cancelled);
    EXPECT_FALSE(awaited.done());

    answer.set_value(42);
    while (runtime.has_ready()) runtime.turn();
    EXPECT_EQ(awaited.outcome().result(), 42);
}

TEST_F(a_round_robin_loop, an_exception_of_an_awaited_task_reaches_its_waiter) {
    const auto fails = [&]() -> task<void> {
        co_await runtime.yield();
        throw std::runtime_error("as it must");
    };
    const auto awaits = [&]() -> task<void> { co_await create_task(runtime, fails()); };
    EXPECT_THROW(runtime.run(awaits()), std::runtime_error);
}

}  // namespace loopbench::tests
