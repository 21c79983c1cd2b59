// Exceptions on their way out of run(), and what is left behind.
#include <stdexcept>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* text) {
    throw std::runtime_error(text);
}

template <class R>
std::string what_leaves(R& runtime, task<void> main) {
    try {
        runtime.run(std::move(main));
    } catch (const std::runtime_error& failure) {
        return failure.what();
    }
    return "nothing";
}

}  // namespace

template <class R>
class failures : public on_design<R> {};
TYPED_TEST_SUITE(failures, manual_designs, design_names);

TYPED_TEST(failures, of_a_callback_leave_run_and_the_rest_is_kept_in_order) {
    TypeParam runtime;
    std::vector<int> calls;
    runtime.post([&] {
        calls.push_back(1);
        runtime.post([&] { calls.push_back(4); });
    });
    runtime.post([] { fail("posted"); });
    runtime.post([&] { calls.push_back(2); });
    runtime.post([&] { calls.push_back(3); });
    EXPECT_EQ(what_leaves(runtime, yield_times(runtime, 3)), "posted");
    EXPECT_EQ(calls, (std::vector{1}));
    runtime.run(yield_times(runtime, 3));
    EXPECT_EQ(calls, (std::vector{1, 2, 3, 4}));
}

TYPED_TEST(failures, of_a_detached_task_leave_run_and_the_rest_is_kept_in_order) {
    TypeParam runtime;
    std::vector<int> calls;
    int freed = 0;
    auto failing = [&](freed_counter) -> task<void> {
        co_await runtime.yield();
        fail("detached");
    };
    runtime.spawn(failing(freed_counter(freed)));
    runtime.run(yield_times(runtime, 0));
    runtime.post([&] { calls.push_back(1); });
    runtime.post([&] { calls.push_back(2); });
    EXPECT_EQ(what_leaves(runtime, yield_times(runtime, 3)), "detached");
    EXPECT_EQ(freed, 1);
    EXPECT_TRUE(calls.empty());
    runtime.run(yield_times(runtime, 1));
    EXPECT_EQ(calls, (std::vector{1, 2}));
}

TYPED_TEST(failures, of_scheduled_calls_leave_run_and_the_next_is_called) {
    TypeParam runtime;
    bool called = false;
    runtime.call_later(1ms, [] { fail("timer"); });
    runtime.call_later(2ms, [&] { called = true; });
    EXPECT_THROW(runtime.run_until_idle(), std::runtime_error);
    EXPECT_FALSE(called);
    runtime.run_until_idle();
    EXPECT_TRUE(called);
}

TYPED_TEST(failures, of_others_do_not_end_the_main_task) {
    TypeParam runtime;
    std::string stage = "not started";
    auto main = [&]() -> task<void> {
        stage = "started";
        co_await runtime.sleep_for(10ms);
        stage = "done";
    };
    runtime.call_later(1ms, [] { fail("another's"); });
    EXPECT_EQ(what_leaves(runtime, main()), "another's");
    EXPECT_EQ(stage, "started");
    runtime.run_until_idle();
    EXPECT_EQ(stage, "done");
}

TYPED_TEST(failures, of_others_find_a_main_task_that_was_not_started_yet) {
    TypeParam runtime;
    bool done = false;
    auto main = [&]() -> task<void> {
        co_await runtime.yield();
        done = true;
    };
    runtime.post([] { fail("before it"); });
    EXPECT_EQ(what_leaves(runtime, main()), "before it");
    EXPECT_FALSE(done);
    runtime.run_until_idle();
    EXPECT_TRUE(done);
}

TYPED_TEST(failures, of_the_main_task_leave_run_and_it_can_run_again) {
    TypeParam runtime;
    auto failing = [&]() -> task<void> {
        co_await runtime.yield();
        fail("main");
    };
    EXPECT_EQ(what_leaves(runtime, failing()), "main");
    auto good = [&]() -> task<int> {
        co_await runtime.yield();
        co_return 4;
    };
    EXPECT_EQ(runtime.run(good()), 4);
}

TYPED_TEST(failures, are_each_reported_once_by_as_many_runs) {
    TypeParam runtime;
    for (const char* text : {"first", "second"}) runtime.post([text] { fail(text); });
    EXPECT_EQ(what_leaves(runtime, yield_times(runtime, 5)), "first");
    EXPECT_EQ(what_leaves(runtime, yield_times(runtime, 5)), "second");
    EXPECT_EQ(what_leaves(runtime, yield_times(runtime, 5)), "nothing");
}

TYPED_TEST(failures, do_not_come_from_a_detached_task_that_was_only_cancelled) {
    TypeParam runtime;
    auto ends_as_asked = [&]() -> task<void> {
        co_await runtime.yield();
        throw task_cancelled();
    };
    runtime.spawn(ends_as_asked());
    EXPECT_NO_THROW(runtime.run(yield_times(runtime, 3)));
}

TYPED_TEST(failures, are_kept_by_a_named_task_until_somebody_asks) {
    TypeParam runtime;
    auto failing = [&]() -> task<void> {
        co_await runtime.yield();
        fail("named");
    };
    const auto handle = create_task(runtime, failing());
    EXPECT_NO_THROW(runtime.run_until_idle());
    EXPECT_EQ(ending_of(handle.outcome()), "named");
}

TYPED_TEST(failures, are_what_running_a_loop_inside_itself_is) {
    TypeParam runtime;
    int refused = 0;
    runtime.post([&] {
        EXPECT_THROW(runtime.run(yield_times(runtime, 1)), std::logic_error);
        EXPECT_THROW(runtime.run_forever(), std::logic_error);
        EXPECT_THROW(runtime.run_until_idle(), std::logic_error);
        ++refused;
    });
    auto main = [&]() -> task<void> {
        co_await runtime.yield();
        EXPECT_THROW(runtime.run(yield_times(runtime, 1)), std::logic_error);
        ++refused;
    };
    runtime.run(main());
    EXPECT_EQ(refused, 2);
    EXPECT_NO_THROW(runtime.run(yield_times(runtime, 1))) << "the refusal has not ended the outer run";
}

TYPED_TEST(failures, of_a_turn_inside_a_turn_leave_the_outer_one_as_it_was) {
    TypeParam runtime;
    std::vector<int> calls;
    runtime.post([&] {
        EXPECT_THROW(runtime.turn(), std::logic_error);
        EXPECT_THROW(runtime.run_until_idle(), std::logic_error);
        calls.push_back(1);
    });
    runtime.post([&] { calls.push_back(2); });
    runtime.turn();
    EXPECT_EQ(calls, (std::vector{1, 2}));
    runtime.post([&] { calls.push_back(3); });
    runtime.turn();  // the refusals have not left the loop closed
    EXPECT_EQ(calls.size(), 3u);
}

}  // namespace loopbench::loop::test
