// Tests post(), spawn(), yield(), events, and exceptions that run() throws.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/conformance/runtimes.hpp"
#include "tests/loop/allocations.hpp"

namespace loopbench::conformance {

template <class R>
class schedule : public conformance_test<R> {};

template <bench::Runtime R>
task_of<R> append(R& runtime, std::vector<int>& seen, int value, int yields = 0) {
    for (int i = 0; i < yields; ++i) co_await runtime.yield();
    seen.push_back(value);
}

template <bench::Runtime R>
task_of<R> yield_times(R& runtime, int times) {
    for (int i = 0; i < times; ++i) co_await runtime.yield();
}

CONFORMANCE_TEST(schedule, posted_functions_run_after_post_has_returned_and_in_the_order_of_posting) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto main = [&]() -> task_of<R> {
        for (int i = 0; i < 100; ++i) runtime.post([&seen, i] { seen.push_back(i); });
        EXPECT_TRUE(seen.empty());
        co_await runtime.yield();
    };
    runtime.run(main());
    std::vector<int> expected(100);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected);
}

CONFORMANCE_TEST(schedule, functions_that_were_posted_before_the_call_of_run_are_called_by_run) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    runtime.post([&] { seen.push_back(1); });
    EXPECT_TRUE(seen.empty());
    runtime.run(yield_times(runtime, 1));
    EXPECT_EQ(seen, (std::vector{1}));
}

CONFORMANCE_TEST(schedule, a_function_posted_by_a_function_runs_after_all_functions_that_are_already_ready) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto main = [&]() -> task_of<R> {
        runtime.post([&] {
            runtime.post([&] { seen.push_back(3); });
            seen.push_back(1);
        });
        runtime.post([&] { seen.push_back(2); });
        co_await yield_times(runtime, 2);
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
}

CONFORMANCE_TEST(schedule, posted_functions_can_own_move_only_objects) {
    R& runtime = this->keep(this->make_runtime());
    int freed = 0;
    int freed_when_called = -1;
    runtime.post([&freed_when_called, &freed, owned = freed_counter(freed)] { freed_when_called = freed; });
    runtime.run(yield_times(runtime, 1));
    EXPECT_EQ(freed_when_called, 0);
    EXPECT_EQ(freed, 1);
}

CONFORMANCE_TEST(schedule, spawned_tasks_start_after_spawn_has_returned_and_in_the_order_of_spawning) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto main = [&]() -> task_of<R> {
        for (int i = 0; i < 5; ++i) runtime.spawn(append(runtime, seen, i));
        EXPECT_TRUE(seen.empty());
        co_await yield_times(runtime, 2);
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{0, 1, 2, 3, 4}));
}

CONFORMANCE_TEST(schedule, posted_functions_and_spawned_tasks_run_in_the_order_in_which_they_were_scheduled) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto main = [&]() -> task_of<R> {
        runtime.post([&] { seen.push_back(1); });
        runtime.spawn(append(runtime, seen, 2));
        runtime.post([&] { seen.push_back(3); });
        runtime.spawn(append(runtime, seen, 4));
        co_await yield_times(runtime, 2);
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{1, 2, 3, 4}));
}

CONFORMANCE_TEST(schedule, tasks_that_were_spawned_before_the_call_of_run_are_started_by_run) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    runtime.spawn(append(runtime, seen, 1));
    EXPECT_TRUE(seen.empty());
    runtime.run(yield_times(runtime, 2));
    EXPECT_EQ(seen, (std::vector{1}));
}

CONFORMANCE_TEST(schedule, functions_that_were_ready_before_a_yield_run_during_the_yield) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto main = [&]() -> task_of<R> {
        runtime.post([&] { seen.push_back(1); });
        runtime.post([&] { seen.push_back(2); });
        co_await runtime.yield();
        seen.push_back(3);
        runtime.post([&] { seen.push_back(4); });
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
}

CONFORMANCE_TEST(schedule, coroutines_that_yield_run_alternately) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto yielding = [&](int value) -> task_of<R> {
        for (int i = 0; i < 3; ++i) {
            seen.push_back(value);
            co_await runtime.yield();
        }
    };
    auto main = [&]() -> task_of<R> {
        std::vector<task_of<R>> both;
        both.push_back(yielding(1));
        both.push_back(yielding(2));
        co_await gather_all(runtime, both);
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{1, 2, 1, 2, 1, 2}));
}

CONFORMANCE_TEST(schedule,
                 run_throws_the_exception_of_a_spawned_task_and_the_next_run_continues_other_tasks) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto failing = [&]() -> task_of<R> {
        co_await runtime.yield();
        throw std::runtime_error("spawned");
    };
    runtime.spawn(failing());
    runtime.spawn(append(runtime, seen, 1, 5));
    EXPECT_THROW(runtime.run(append(runtime, seen, 2, 5)), std::runtime_error);
    EXPECT_TRUE(seen.empty());
    runtime.run(yield_times(runtime, 10));
    EXPECT_EQ(seen, (std::vector{1, 2}));
}

CONFORMANCE_TEST(schedule, run_throws_the_exception_of_a_posted_function_and_the_next_run_calls_later_posts) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    runtime.post([&] { seen.push_back(1); });
    runtime.post([] { throw std::runtime_error("posted"); });
    runtime.post([&] { seen.push_back(2); });
    EXPECT_THROW(runtime.run(yield_times(runtime, 5)), std::runtime_error);
    EXPECT_EQ(seen, (std::vector{1}));
    runtime.run(yield_times(runtime, 1));
    EXPECT_EQ(seen, (std::vector{1, 2}));
}

// The loop waits only for a read that never receives a byte, so only the post can wake it.
CONFORMANCE_TEST(schedule, a_post_from_another_thread_wakes_a_loop_that_sleeps) {
    R& runtime = this->keep(this->make_runtime());
    bool called = false;
    std::thread other;
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        auto client = co_await runtime.connect(listener.port());
        other = std::thread([&] {
            runtime.post_from_any_thread([&] {
                called = true;
                client.close();
            });
        });
        std::byte buffer[1];
        const auto result = co_await client.read_some(buffer);
        EXPECT_EQ(result.error, ECANCELED);
    };
    runtime.run(main());
    other.join();
    EXPECT_TRUE(called);
}

CONFORMANCE_TEST(schedule, all_posts_from_many_threads_run_and_keep_the_order_of_each_thread) {
    constexpr int thread_count = 4;
    constexpr int posts_each = 5000;
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> next(thread_count, 0);
    int ran = 0;
    int out_of_order = 0;
    std::vector<std::thread> threads;
    auto main = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        auto client = co_await runtime.connect(listener.port());
        for (int thread = 0; thread < thread_count; ++thread) {
            threads.emplace_back([&, thread] {
                for (int i = 0; i < posts_each; ++i) {
                    runtime.post_from_any_thread([&, thread, i] {
                        if (next[static_cast<std::size_t>(thread)]++ != i) ++out_of_order;
                        if (++ran == thread_count * posts_each) client.close();
                    });
                }
            });
        }
        std::byte buffer[1];
        co_await client.read_some(buffer);
    };
    runtime.run(main());
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(ran, thread_count * posts_each);
    EXPECT_EQ(out_of_order, 0);
}

// Each post allocates memory in the posting thread. If the loop's thread kept that memory in its free lists,
// the process would grow with every post.
CONFORMANCE_TEST(schedule, the_memory_of_posts_from_another_thread_is_freed) {
    if (!loop::test::allocations_are_counted) GTEST_SKIP() << loop::test::why_allocations_are_not_counted;
    constexpr int posts = 10'000;
    R& runtime = this->keep(this->make_runtime());
    int calls = 0;
    const auto before = loop::test::count_allocations();
    std::thread([&] {
        for (int i = 0; i < posts; ++i) runtime.post_from_any_thread([&calls] { ++calls; });
    }).join();
    auto main = [&]() -> task_of<R> {
        while (calls < posts) co_await runtime.yield();
    };
    runtime.run(main());
    const auto after = loop::test::count_allocations();
    const auto left = (after.made - before.made) - (after.freed - before.freed);
    EXPECT_LT(left, 100u);
}

CONFORMANCE_TEST(schedule, each_single_post_from_another_thread_wakes_the_sleeping_loop) {
    constexpr int posts = 500;
    R& runtime = this->keep(this->make_runtime());
    std::atomic<int> answered{0};
    typename R::event all(runtime);
    std::thread other([&] {
        for (int i = 0; i < posts; ++i) {
            runtime.post_from_any_thread([&] {
                if (answered.load() + 1 == posts) all.set();
                ++answered;
                answered.notify_one();
            });
            answered.wait(i);
        }
    });
    auto main = [&]() -> task_of<R> { co_await all.wait(); };
    runtime.run(main());
    other.join();
    EXPECT_EQ(answered.load(), posts);
}

CONFORMANCE_TEST(schedule,
                 run_throws_the_exception_of_another_threads_post_and_the_next_run_calls_later_posts) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    const auto post_three = [&](int first) {
        std::thread([&runtime, &seen, first] {
            runtime.post_from_any_thread([&seen, first] { seen.push_back(first); });
            runtime.post_from_any_thread([] { throw std::runtime_error("posted"); });
            runtime.post_from_any_thread([&seen, first] { seen.push_back(first + 1); });
        }).join();
    };
    post_three(1);
    EXPECT_THROW(runtime.run(yield_times(runtime, 100)), std::runtime_error);
    EXPECT_EQ(seen, (std::vector{1}));
    // The test is repeated with open sockets, because Asio's posts then have to wake Asio's reactor.
    auto waits = [&]() -> task_of<R> {
        auto listener = runtime.listen();
        co_await runtime.connect(listener.port());
        post_three(3);
        co_await yield_times(runtime, 100);
    };
    EXPECT_THROW(runtime.run(waits()), std::runtime_error);
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
    runtime.run(yield_times(runtime, 100));
    EXPECT_EQ(seen, (std::vector{1, 2, 3, 4}));
}

CONFORMANCE_TEST(schedule, setting_an_event_queues_its_waiter_instead_of_resuming_the_waiter_immediately) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto main = [&]() -> task_of<R> {
        typename R::event set_later(runtime);
        runtime.post([&] {
            seen.push_back(1);
            set_later.set();
            seen.push_back(2);
        });
        co_await set_later.wait();
        seen.push_back(3);
        typename R::event set_before(runtime);
        set_before.set();
        co_await set_before.wait();
        seen.push_back(4);
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{1, 2, 3, 4}));
}

}  // namespace loopbench::conformance
