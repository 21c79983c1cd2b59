// The floor of post/cross_thread with wakers that wake too often, and the kernel's wakers at their edges.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "bench/floors/wakeups.hpp"
#include "bench/workloads/trial/cores.hpp"
#include "tests/floors/named.hpp"

namespace loopbench::bench::floors {
namespace {

using wakers = of_kernel<waker>;

INSTANTIATE_TEST_SUITE_P(all, wakers,
                         testing::Values(named<make_waker>{"futex", make_futex_waker},
                                         named<make_waker>{"epoll", make_epoll_waker},
                                         named<make_waker>{"uring", make_uring_waker}),
                         name_of);

// A wake-up that is lost is waited for, so these hang when one is.

TEST_P(wakers, do_not_forget_a_wake_up_that_comes_before_the_wait) {
    for (int i = 0; i < 3; ++i) {
        kernel->wake();
        kernel->wait();
    }
}

TEST_P(wakers, wake_from_another_thread_again_and_again) {
    for (const int cores : {1, 2}) {
        trial t(trial_size::smoke, 1000);
        post_cross_thread(*kernel, cores, t);
        if (t.unsupported()) GTEST_SKIP() << *t.unsupported();
        EXPECT_EQ(t.failure().value_or(""), "");
        EXPECT_EQ(t.latency().count(), 1000u);
    }
}

TEST(wakeup_floor, on_two_cores_is_unsupported_where_there_is_one) {
    const workloads::kept_on_core here(::sched_getcpu());
    trial t(trial_size::smoke, 50);
    post_cross_thread(*make_futex_waker(), 2, t);
    EXPECT_EQ(t.unsupported().value_or(""),
              "its two threads need a core each, and this process may use only one");
}

TEST_P(wakers, sleep_until_they_are_woken) {
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
    EXPECT_LE(waits, 2);  // a signal may end one
}

TEST(wakeup_floor, waits_on_when_it_is_woken_for_nothing) {
    struct : waker {
        void wake() noexcept override {}
        void wait() override { std::this_thread::yield(); }
    } restless;
    trial t(trial_size::smoke, 50);
    post_cross_thread(restless, 1, t);
    EXPECT_EQ(t.failure().value_or(""), "");
}

TEST(wakeup_floor, records_no_latency_when_it_is_told_so) {
    trial t(trial_size::smoke, 50, false);
    post_cross_thread(*make_futex_waker(), 1, t);
    EXPECT_EQ(t.failure().value_or(""), "");
    EXPECT_EQ(t.latency().count(), 0u);
}

}  // namespace
}  // namespace loopbench::bench::floors
