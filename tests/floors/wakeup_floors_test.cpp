// Tests the floor of post/cross_thread with a fake waker, and the real wakers in edge cases.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "bench/suite/floors/wakeups.hpp"
#include "bench/suite/workloads/trial/cores.hpp"
#include "tests/floors/named.hpp"

namespace loopbench::bench::floors {
namespace {

using wakers = of_kernel<waker>;

INSTANTIATE_TEST_SUITE_P(all, wakers,
                         testing::Values(named<make_waker>{"futex", make_futex_waker},
                                         named<make_waker>{"epoll", make_epoll_waker},
                                         named<make_waker>{"uring", make_uring_waker}),
                         name_of);

// The following tests hang if a wake-up is lost.

TEST_P(wakers, a_wake_up_that_comes_before_the_wait_ends_the_wait_immediately) {
    for (int i = 0; i < 3; ++i) {
        kernel->wake();
        kernel->wait();
    }
}

TEST_P(wakers, another_thread_can_wake_the_waiting_thread_a_thousand_times) {
    for (const int cores : {1, 2}) {
        trial t(workload_size::small, 1000);
        post_cross_thread(*kernel, cores, t);
        if (t.unsupported()) GTEST_SKIP() << *t.unsupported();
        EXPECT_EQ(t.failure().value_or(""), "");
        EXPECT_EQ(t.latency().count(), 1000u);
    }
}

TEST(wakeup_floor, the_workload_for_two_cores_is_unsupported_if_only_one_core_is_available) {
    const workloads::kept_on_core here(::sched_getcpu());
    trial t(workload_size::small, 50);
    post_cross_thread(*make_futex_waker(), 2, t);
    EXPECT_EQ(t.unsupported().value_or(""),
              "the workload needs two cores for its two threads, and this process can use only one");
}

TEST_P(wakers, the_waiting_thread_sleeps_until_another_thread_wakes_it) {
    std::atomic<bool> woken = false;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        woken = true;
        kernel->wake();
    });
    int waits = 0;
    while (!woken) {
        kernel->wait();
        ++waits;
    }
    other.join();
    EXPECT_LE(waits, 2);  // a signal might end one wait early
}

TEST(wakeup_floor, a_wake_up_without_a_post_does_not_end_the_wait_for_the_post) {
    struct : waker {
        void wake() noexcept override {}
        void wait() override { std::this_thread::yield(); }
    } restless;
    trial t(workload_size::small, 50);
    post_cross_thread(restless, 1, t);
    EXPECT_EQ(t.failure().value_or(""), "");
}

TEST(wakeup_floor, no_latency_is_recorded_if_recording_is_off) {
    trial t(workload_size::small, 50, false);
    post_cross_thread(*make_futex_waker(), 1, t);
    EXPECT_EQ(t.failure().value_or(""), "");
    EXPECT_EQ(t.latency().count(), 0u);
}

}  // namespace
}  // namespace loopbench::bench::floors
