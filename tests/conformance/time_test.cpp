// Tests sleeps. The tests compare deadlines with the clock, and do not measure durations.
#include <chrono>
#include <vector>

#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

using namespace std::chrono_literals;
using bench::time_point;

template <class R>
class sleep : public conformance_test<R> {};

// The test reads the system's clock, to detect a runtime whose clock is ahead of the system's clock.
CONFORMANCE_TEST(sleep, a_sleep_never_ends_before_its_deadline) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        for (int i = 0; i < 300; ++i) {
            const time_point deadline = runtime.now() + std::chrono::nanoseconds(i * i * 7 + 1);
            co_await runtime.sleep_until(deadline);
            EXPECT_GE(std::chrono::steady_clock::now() + bench::early_limit<R>, deadline) << i;
        }
    };
    runtime.run(main());
}

CONFORMANCE_TEST(sleep, a_sleep_among_many_others_never_ends_before_its_deadline) {
    R& runtime = this->keep(this->make_runtime());
    int ended = 0;
    int early = 0;
    auto sleeper = [&](time_point deadline) -> task_of<R> {
        co_await runtime.sleep_until(deadline);
        ++ended;
        if (std::chrono::steady_clock::now() + bench::early_limit<R> < deadline) ++early;
    };
    auto main = [&]() -> task_of<R> {
        std::vector<task_of<R>> sleepers;
        const time_point start = runtime.now();
        for (int i = 0; i < 1000; ++i)
            sleepers.push_back(sleeper(start + std::chrono::nanoseconds((i * 7919) % 1000 * 10'007)));
        co_await gather_all(runtime, sleepers);
    };
    runtime.run(main());
    EXPECT_EQ(ended, 1000);
    EXPECT_EQ(early, 0);
}

CONFORMANCE_TEST(sleep,
                 a_task_that_sleeps_until_a_past_time_continues_after_functions_that_are_already_ready) {
    for (const time_point passed : {time_point::min(), time_point(), std::chrono::steady_clock::now()}) {
        const auto owner = this->make_runtime();
        R& runtime = *owner;
        bool others_ran = false;
        auto main = [&]() -> task_of<R> {
            runtime.post([&] { others_ran = true; });
            co_await runtime.sleep_until(passed);
            EXPECT_TRUE(others_ran);
        };
        runtime.run(main());
    }
}

CONFORMANCE_TEST(sleep, sleeps_whose_deadline_is_now_do_not_starve_other_tasks) {
    R& runtime = this->keep(this->make_runtime());
    int turns_of_other = 0;
    auto other = [&]() -> task_of<R> {
        for (;; ++turns_of_other) co_await runtime.yield();
    };
    auto main = [&]() -> task_of<R> {
        runtime.spawn(other());
        for (int i = 0; i < 100; ++i) co_await runtime.sleep_until(runtime.now());
    };
    runtime.run(main());
    EXPECT_GE(turns_of_other, 99);
}

CONFORMANCE_TEST(sleep, a_sleep_until_the_latest_possible_time_never_ends_and_delays_no_other_sleep) {
    int freed = 0;
    bool fired = false;
    R& runtime = this->keep(this->make_runtime());
    auto forever = [&](freed_counter) -> task_of<R> {
        co_await runtime.sleep_until(time_point::max());
        fired = true;
    };
    auto main = [&]() -> task_of<R> {
        runtime.spawn(forever(freed_counter(freed)));
        for (int i = 0; i < 3; ++i) co_await runtime.sleep_until(runtime.now() + 1ms);
    };
    runtime.run(main());
    EXPECT_EQ(freed, 0);
    this->end_runtime();
    EXPECT_FALSE(fired);
    EXPECT_EQ(freed, 1);
}

CONFORMANCE_TEST(sleep, a_sleep_ends_although_the_queue_is_never_empty) {
    if (this->name() == "loop-scheduler")
        GTEST_SKIP() << this->name()
                     << ": the loop of tutorial 003 checks its timers only when the queue is empty";
    R& runtime = this->keep(this->make_runtime());
    bool ended = false;
    auto busy = [&]() -> task_of<R> {
        while (!ended) co_await runtime.yield();
    };
    auto main = [&]() -> task_of<R> {
        runtime.spawn(busy());
        co_await runtime.sleep_until(runtime.now() + 1ms);
        ended = true;
    };
    runtime.run(main());
    EXPECT_TRUE(ended);
}

CONFORMANCE_TEST(sleep, a_far_deadline_does_not_delay_a_near_deadline_that_is_added_later) {
    R& runtime = this->keep(this->make_runtime());
    auto far = [&]() -> task_of<R> { co_await runtime.sleep_until(runtime.now() + 1h); };
    auto main = [&]() -> task_of<R> {
        runtime.spawn(far());
        co_await runtime.yield();
        co_await runtime.sleep_until(runtime.now() + 1ms);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(sleep, the_clock_of_a_runtime_never_runs_backwards_or_ahead_of_the_steady_clock) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        time_point last = runtime.now();
        for (int i = 0; i < 1000; ++i) {
            co_await runtime.yield();
            const time_point now = runtime.now();
            EXPECT_GE(now, last);
            EXPECT_LE(now, std::chrono::steady_clock::now());
            last = now;
        }
    };
    runtime.run(main());
}

}  // namespace loopbench::conformance
