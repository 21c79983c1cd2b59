// Tests gather(), race(), and time limits.
#include <stdexcept>

#include "loop/coro/timeout.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

struct nursery {
    event_loop& loop;
    std::vector<std::string> events = {};

    task<int> child(int number, int yields, bool fails = false) {
        events.push_back("start " + std::to_string(number));
        try {
            for (int i = 0; i < yields; ++i) co_await loop.yield();
        } catch (const task_cancelled&) {
            events.push_back("cancel " + std::to_string(number));
            throw;
        }
        events.push_back("end " + std::to_string(number));
        if (fails) throw std::runtime_error("child " + std::to_string(number));
        co_return 10 * number;
    }
};

using event_list = std::vector<std::string>;

}  // namespace

class gathering : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, gathering, all_designs(), design_name);

TEST_P(gathering, children_of_a_gather_start_in_order_and_keep_their_values) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        std::array tasks{children.child(1, 3), children.child(2, 0), children.child(3, 1)};
        co_await loop.gather(std::span(tasks));
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            EXPECT_TRUE(tasks[i].done());
            EXPECT_EQ(tasks[i].result(), 10 * static_cast<int>(i + 1));
        }
    };
    loop.run(main());
    EXPECT_EQ(children.events, (event_list{"start 1", "start 2", "end 2", "start 3", "end 3", "end 1"}));
}

TEST_P(gathering, a_gather_of_ten_thousand_children_starts_only_some_of_them_in_one_callback) {
    event_loop& loop = keep(make_loop());
    constexpr std::size_t all = 10'000;
    std::size_t started = 0;
    std::size_t started_before_the_other = all;
    auto child = [&]() -> task<void> {
        ++started;
        co_return;
    };
    auto main = [&]() -> task<void> {
        loop.post([&] { started_before_the_other = started; });
        std::vector<task<void>> children;
        for (std::size_t i = 0; i < all; ++i) children.push_back(child());
        co_await loop.gather(std::span(children));
    };
    loop.run(main());
    EXPECT_EQ(started, all);
    EXPECT_LT(started_before_the_other, all / 5);
}

TEST_P(gathering, a_gather_without_children_lets_other_callbacks_run_before_the_gather_ends) {
    event_loop& loop = keep(make_loop());
    bool other_has_run = false;
    auto main = [&]() -> task<void> {
        loop.post([&] { other_has_run = true; });
        std::span<task<void>> nothing;
        co_await loop.gather(nothing);
        co_await loop.yield();  // needed on loop-round-robin, where the gather ends in the same turn
        EXPECT_TRUE(other_has_run);
    };
    loop.run(main());
}

TEST_P(gathering, a_gather_throws_the_first_exception_after_all_children_have_ended) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        std::array tasks{children.child(1, 5), children.child(2, 1, true), children.child(3, 3),
                         children.child(4, 2, true)};
        std::string thrown;
        try {
            co_await loop.gather(std::span(tasks));
        } catch (const std::runtime_error& failure) {
            thrown = failure.what();
        }
        EXPECT_EQ(thrown, "child 2");
        EXPECT_TRUE(tasks[1].failure());
        EXPECT_TRUE(tasks[3].failure());
        EXPECT_EQ(tasks[0].result(), 10);
        EXPECT_EQ(tasks[2].result(), 30);
    };
    loop.run(main());
}

TEST_P(gathering, a_gather_with_cancel_on_exception_cancels_the_other_children_and_waits_for_them) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        std::array tasks{children.child(1, 9), children.child(2, 1, true), children.child(3, 9)};
        std::string thrown;
        try {
            co_await loop.gather(std::span(tasks), join_mode::cancel_on_exception);
        } catch (const std::runtime_error& failure) {
            thrown = failure.what();
        }
        EXPECT_EQ(thrown, "child 2");
        for (const auto& each : tasks) EXPECT_TRUE(each.done());
    };
    loop.run(main());
    EXPECT_EQ(children.events,
              (event_list{"start 1", "start 2", "start 3", "end 2", "cancel 3", "cancel 1"}));
}

// A gather starts its children on the stack of the gathering task. In a loop that polls its tasks, the gather
// instead queues its children.
TEST_P(gathering, children_of_a_gather_start_before_any_other_task_continues) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        loop.post([&] { children.events.push_back("other"); });
        std::array tasks{children.child(1, 0), children.child(2, 1)};
        co_await loop.gather(std::span(tasks));
        children.events.push_back("gathered");
    };
    loop.run(main());
    EXPECT_EQ(children.events,
              loop.ready().tasks_poll
                  ? (event_list{"other", "start 1", "end 1", "start 2", "end 2", "gathered"})
                  : (event_list{"start 1", "end 1", "start 2", "other", "end 2", "gathered"}));
}

TEST_P(gathering, a_gather_with_cancel_on_exception_also_cancels_children_that_have_not_started) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        std::array tasks{children.child(1, 0, true), children.child(2, 9)};
        EXPECT_THROW(co_await loop.gather(std::span(tasks), join_mode::cancel_on_exception),
                     std::runtime_error);
    };
    loop.run(main());
    EXPECT_EQ(children.events, (event_list{"start 1", "end 1", "start 2", "cancel 2"}));
}

// Nested gathers start on one stack. Without a limit on their number, this stack would overflow.
TEST_P(gathering, a_hundred_thousand_gathers_can_be_nested) {
    event_loop& loop = keep(make_loop());
    if (loop.ready().tasks_poll)
        GTEST_SKIP() << GetParam()
                     << " does not start children immediately: it queues them and polls them on every turn";
    int ended = 0;
    auto nest = [&](auto& self, int depth) -> task<void> {
        if (depth > 0) {
            std::array inner{self(self, depth - 1)};
            co_await loop.gather(std::span(inner));
        }
        ++ended;
    };
    const int depth = is("loop-tick") ? 1'000 : 100'000;  // each level takes one tick
    loop.run(nest(nest, depth));
    EXPECT_EQ(ended, depth + 1);
}

TEST_P(gathering, only_a_limited_number_of_nested_gathers_starts_on_one_stack) {
    event_loop& loop = keep(make_loop());
    if (loop.ready().tasks_poll)
        GTEST_SKIP() << GetParam()
                     << " does not start children immediately: it queues them and polls them on every turn";
    int started = 0, on_one_stack = 0;
    auto nest = [&](auto& self, int depth) -> task<void> {
        if (++started == 1) loop.post([&] { on_one_stack = started; });
        if (depth == 0) co_return;
        std::array inner{self(self, depth - 1)};
        co_await loop.gather(std::span(inner));
    };
    loop.run(nest(nest, 500));
    EXPECT_GT(on_one_stack, 0);
    EXPECT_LT(on_one_stack, 200);
}

TEST_P(gathering, cancelling_a_gather_cancels_its_children_and_waits_for_them) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto work = [&]() -> task<void> {
        std::array tasks{children.child(1, 99), children.child(2, 99)};
        try {
            co_await loop.gather(std::span(tasks));
        } catch (const task_cancelled&) {
            for (const auto& each : tasks) EXPECT_TRUE(each.done());
            throw;
        }
    };
    auto main = [&]() -> task<std::string> {
        const auto handle = create_task(loop, work());
        co_await yield_times(loop, 5);
        handle.cancel();
        co_await yield_times(loop, 5);
        co_return ending_of(handle.outcome());
    };
    EXPECT_EQ(loop.run(main()), "cancelled");
    EXPECT_EQ(children.events.back().substr(0, 6), "cancel");
    EXPECT_EQ(children.events.size(), 4u);
}

TEST_P(gathering, gathers_can_be_nested) {
    event_loop& loop = keep(make_loop());
    int leaves = 0;
    auto tree = [&](auto& self, int depth) -> task<void> {
        if (depth == 0) {
            co_await loop.yield();
            ++leaves;
            co_return;
        }
        std::vector<task<void>> branches;
        for (int i = 0; i < 3; ++i) branches.push_back(self(self, depth - 1));
        co_await loop.gather(std::span(branches));
    };
    loop.run(tree(tree, 4));
    EXPECT_EQ(leaves, 81);
}

TEST_P(gathering, a_gather_with_collect_throws_nothing_and_keeps_each_exception_in_its_task) {
    event_loop& loop = keep(make_loop());
    auto child = [&](int number) -> task<int> {
        co_await loop.yield();
        if (number % 2 == 0) throw std::runtime_error("child " + std::to_string(number));
        co_return number;
    };
    std::array children{child(0), child(1), child(2), child(3)};
    auto main = [&]() -> task<void> { co_await loop.gather(std::span(children), join_mode::collect); };
    EXPECT_NO_THROW(loop.run(main()));
    for (std::size_t i = 0; i < children.size(); ++i) {
        ASSERT_TRUE(children[i].done());
        EXPECT_EQ(children[i].failure() != nullptr, i % 2 == 0);
        if (i % 2 == 1) {
            EXPECT_EQ(children[i].result(), static_cast<int>(i));
        }
    }
    EXPECT_THROW(children[2].result(), std::runtime_error);
}

TEST_P(gathering, a_gather_with_collect_can_be_cancelled) {
    event_loop& loop = keep(make_loop());
    auto child = [&]() -> task<void> { co_await loop.sleep_until(never); };
    std::array children{child(), child()};
    auto main = [&]() -> task<void> { co_await loop.gather(std::span(children), join_mode::collect); };
    const auto handle = create_task(loop, main());
    loop.run(yield_times(loop, 3));
    handle.cancel();
    loop.run(yield_times(loop, 10));
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
    for (const auto& each : children) EXPECT_NE(each.failure(), nullptr);
}

TEST_P(gathering, the_child_that_ends_first_wins_a_race_and_the_other_children_are_cancelled) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        std::array tasks{children.child(0, 9), children.child(1, 2), children.child(2, 9)};
        EXPECT_EQ(co_await loop.race(std::span(tasks)), 1u);
        EXPECT_EQ(tasks[1].result(), 10);
        EXPECT_TRUE(tasks[0].failure());
        EXPECT_TRUE(tasks[2].failure());
    };
    loop.run(main());
}

TEST_P(gathering, a_race_throws_the_exception_of_the_child_that_ends_first) {
    event_loop& loop = keep(make_loop());
    nursery children{loop};
    auto main = [&]() -> task<void> {
        std::array tasks{children.child(0, 9), children.child(1, 2, true)};
        EXPECT_THROW(co_await loop.race(std::span(tasks)), std::runtime_error);
        EXPECT_TRUE(tasks[0].done());
    };
    loop.run(main());
}

class time_limits : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, time_limits, all_designs(), design_name);

task<int> answer_after(event_loop& loop, nanoseconds delay, bool fails = false) {
    co_await loop.sleep_for(delay);
    if (fails) throw std::runtime_error("no answer");
    co_return 42;
}

TEST_P(time_limits, work_that_ends_within_its_time_limit_returns_its_value) {
    event_loop& loop = keep(make_loop());
    const time_point start = loop.now();
    const auto result = loop.run(with_deadline(loop, answer_after(loop, 1ms), start + 1h));
    EXPECT_EQ(result, 42);
    loop.run_until_idle();
    EXPECT_LT(loop.now() - start, 1h);
}

TEST_P(time_limits, work_that_exceeds_its_time_limit_is_cancelled) {
    event_loop& loop = keep(make_loop());
    const time_point start = loop.now();
    const auto result = loop.run(with_deadline(loop, answer_after(loop, 1h), start + 1ms));
    EXPECT_EQ(result, std::nullopt);
    loop.run_until_idle();
    EXPECT_LT(loop.now() - start, 1h);
}

TEST_P(time_limits, an_exception_of_work_with_a_time_limit_reaches_the_caller) {
    event_loop& loop = keep(make_loop());
    const time_point limit = loop.now() + 1h;
    EXPECT_THROW(loop.run(with_deadline(loop, answer_after(loop, 1ms, true), limit)), std::runtime_error);
}

TEST_P(time_limits, the_caller_receives_an_exception_thrown_by_the_cleanup_of_cancelled_work) {
    event_loop& loop = keep(make_loop());
    auto cleans_up_in_vain = [&]() -> task<void> {
        try {
            co_await loop.sleep_until(never);
        } catch (const task_cancelled&) {
            throw std::runtime_error("the disk is full");
        }
    };
    EXPECT_THROW(loop.run(with_deadline(loop, cleans_up_in_vain(), loop.now() + 1ms)), std::runtime_error);
}

TEST_P(time_limits, a_time_limit_reports_whether_work_without_a_value_ended_in_time) {
    event_loop& loop = keep(make_loop());
    const time_point limit = loop.now() + 1s;
    EXPECT_TRUE(loop.run(with_deadline(loop, yield_times(loop, 2), limit)).has_value());
    auto endless = [&]() -> task<void> { co_await loop.sleep_until(never); };
    EXPECT_FALSE(loop.run(with_deadline(loop, endless(), limit)).has_value());
}

TEST_P(time_limits, cancelling_the_caller_also_cancels_the_work_with_a_time_limit) {
    event_loop& loop = keep(make_loop());
    auto limited = [&]() -> task<void> {
        co_await with_deadline(loop, answer_after(loop, 1h), loop.now() + 2h);
    };
    const time_point start = loop.now();
    const auto handle = create_task(loop, limited());
    loop.run(yield_times(loop, 3));
    handle.cancel();
    loop.run(yield_times(loop, 5));
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
    loop.run_until_idle();
    EXPECT_LT(loop.now() - start, 1h);
}

}  // namespace loopbench::loop::test
