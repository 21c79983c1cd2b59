// Tests exceptions that leave run(), and the work that remains on the loop afterwards.
#include <stdexcept>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* text) {
    throw std::runtime_error(text);
}

std::string what_leaves(event_loop& loop, task<void> main) {
    try {
        loop.run(std::move(main));
    } catch (const std::runtime_error& failure) {
        return failure.what();
    }
    return "nothing";
}

}  // namespace

class failures : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, failures, all_designs(), design_name);

TEST_P(failures, run_throws_the_exception_of_a_callback_and_other_callbacks_keep_their_order) {
    event_loop& loop = keep(make_loop());
    std::vector<int> calls;
    loop.post([&] {
        calls.push_back(1);
        loop.post([&] { calls.push_back(4); });
    });
    loop.post([] { fail("posted"); });
    loop.post([&] { calls.push_back(2); });
    loop.post([&] { calls.push_back(3); });
    EXPECT_EQ(what_leaves(loop, yield_times(loop, 3)), "posted");
    EXPECT_EQ(calls, (std::vector{1}));
    loop.run(yield_times(loop, 3));
    EXPECT_EQ(calls, (std::vector{1, 2, 3, 4}));
}

TEST_P(failures, the_exceptions_of_two_failing_tasks_are_thrown_by_two_separate_steps) {
    event_loop& loop = keep(make_loop());
    const auto failing = [](const char* text) -> task<void> {
        fail(text);
        co_return;
    };
    loop.spawn(failing("first"));
    loop.spawn(failing("second"));
    std::vector<std::string> left;
    for (int steps = 0; steps < 2; ++steps) try {
            loop.step(10, do_not_wait);
        } catch (const std::runtime_error& failure) {
            left.emplace_back(failure.what());
        }
    EXPECT_EQ(left, (std::vector<std::string>{"first", "second"}));
}

TEST_P(failures, run_throws_the_exception_of_a_detached_task_and_later_callbacks_keep_their_order) {
    event_loop& loop = keep(make_loop());
    std::vector<int> calls;
    int freed = 0;
    auto failing = [&](freed_counter) -> task<void> {
        co_await loop.yield();
        fail("detached");
    };
    loop.spawn(failing(freed_counter(freed)));
    loop.run(yield_times(loop, 0));
    loop.post([&] { calls.push_back(1); });
    loop.post([&] { calls.push_back(2); });
    EXPECT_EQ(what_leaves(loop, yield_times(loop, 3)), "detached");
    EXPECT_EQ(freed, 1);
    EXPECT_TRUE(calls.empty());
    loop.run(yield_times(loop, 1));
    EXPECT_EQ(calls, (std::vector{1, 2}));
}

TEST_P(failures, run_throws_the_exception_of_a_scheduled_call_and_the_next_call_still_runs) {
    event_loop& loop = keep(make_loop());
    bool called = false;
    loop.call_later(1ms, [] { fail("timer"); });
    loop.call_later(2ms, [&] { called = true; });
    EXPECT_THROW(loop.run_until_idle(), std::runtime_error);
    EXPECT_FALSE(called);
    loop.run_until_idle();
    EXPECT_TRUE(called);
}

TEST_P(failures, the_main_task_survives_the_exception_of_a_callback) {
    event_loop& loop = keep(make_loop());
    std::string stage = "not started";
    auto main = [&]() -> task<void> {
        stage = "started";
        co_await loop.sleep_for(10ms);
        stage = "done";
    };
    loop.call_later(1ms, [] { fail("another's"); });
    EXPECT_EQ(what_leaves(loop, main()), "another's");
    EXPECT_EQ(stage, "started");
    loop.run_until_idle();
    EXPECT_EQ(stage, "done");
}

TEST_P(failures, a_main_task_that_has_not_started_survives_the_exception_of_a_callback) {
    event_loop& loop = keep(make_loop());
    bool done = false;
    auto main = [&]() -> task<void> {
        co_await loop.yield();
        done = true;
    };
    loop.post([] { fail("before it"); });
    EXPECT_EQ(what_leaves(loop, main()), "before it");
    EXPECT_FALSE(done);
    loop.run_until_idle();
    EXPECT_TRUE(done);
}

TEST_P(failures, run_throws_the_exception_of_the_main_task_and_the_loop_can_run_again) {
    event_loop& loop = keep(make_loop());
    auto failing = [&]() -> task<void> {
        co_await loop.yield();
        fail("main");
    };
    EXPECT_EQ(what_leaves(loop, failing()), "main");
    auto good = [&]() -> task<int> {
        co_await loop.yield();
        co_return 4;
    };
    EXPECT_EQ(loop.run(good()), 4);
}

TEST_P(failures, each_exception_is_thrown_by_exactly_one_run) {
    event_loop& loop = keep(make_loop());
    for (const char* text : {"first", "second"}) loop.post([text] { fail(text); });
    EXPECT_EQ(what_leaves(loop, yield_times(loop, 5)), "first");
    EXPECT_EQ(what_leaves(loop, yield_times(loop, 5)), "second");
    EXPECT_EQ(what_leaves(loop, yield_times(loop, 5)), "nothing");
}

TEST_P(failures, a_cancelled_detached_task_does_not_make_run_throw) {
    event_loop& loop = keep(make_loop());
    auto ends_as_asked = [&]() -> task<void> {
        co_await loop.yield();
        throw task_cancelled();
    };
    loop.spawn(ends_as_asked());
    EXPECT_NO_THROW(loop.run(yield_times(loop, 3)));
}

TEST_P(failures, a_task_with_a_handle_keeps_its_exception_until_its_result_is_retrieved) {
    event_loop& loop = keep(make_loop());
    auto failing = [&]() -> task<void> {
        co_await loop.yield();
        fail("named");
    };
    const auto handle = create_task(loop, failing());
    EXPECT_NO_THROW(loop.run_until_idle());
    EXPECT_EQ(ending_of(handle.outcome()), "named");
}

TEST_P(failures, calling_run_inside_a_running_loop_throws_and_the_outer_run_continues) {
    event_loop& loop = keep(make_loop());
    int refused = 0;
    loop.post([&] {
        EXPECT_THROW(loop.run(yield_times(loop, 1)), std::logic_error);
        EXPECT_THROW(loop.run_forever(), std::logic_error);
        EXPECT_THROW(loop.run_until_idle(), std::logic_error);
        ++refused;
    });
    auto main = [&]() -> task<void> {
        co_await loop.yield();
        EXPECT_THROW(loop.run(yield_times(loop, 1)), std::logic_error);
        ++refused;
    };
    loop.run(main());
    EXPECT_EQ(refused, 2);
    EXPECT_NO_THROW(loop.run(yield_times(loop, 1))) << "the refusal must not end the outer run";
}

TEST_P(failures, calling_turn_inside_a_turn_throws_and_the_outer_turn_continues) {
    event_loop& loop = keep(make_loop());
    std::vector<int> calls;
    loop.post([&] {
        EXPECT_THROW(loop.turn(), std::logic_error);
        EXPECT_THROW(loop.run_until_idle(), std::logic_error);
        calls.push_back(1);
    });
    loop.post([&] { calls.push_back(2); });
    loop.turn();
    EXPECT_EQ(calls, (std::vector{1, 2}));
    loop.post([&] { calls.push_back(3); });
    loop.turn();
    EXPECT_EQ(calls.size(), 3u);
}

}  // namespace loopbench::loop::test
