// Tests the timeouts that the drivers pass to select and poll.
#include <gtest/gtest.h>

#include <chrono>

#include "loop/io/waiting.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

nanoseconds left_until(time_point deadline) {
    timespec storage{-1, -1};
    const timespec* const timeout = relative_timeout(deadline, storage);
    if (timeout == nullptr) return nanoseconds::max();
    EXPECT_GE(timeout->tv_sec, 0);
    EXPECT_GE(timeout->tv_nsec, 0);
    EXPECT_LT(timeout->tv_nsec, 1'000'000'000);
    return std::chrono::seconds(timeout->tv_sec) + nanoseconds(timeout->tv_nsec);
}

}  // namespace

TEST(relative_timeouts, the_timeout_of_a_past_deadline_is_zero) {
    const time_point now = std::chrono::steady_clock::now();
    for (const time_point past : {now, now - 1ns, now - 24h, time_point{}, time_point{} - 1ns,
                                  time_point::min() + 1ns, time_point::min()})
        EXPECT_EQ(left_until(past), 0ns);
}

TEST(relative_timeouts, every_wait_has_a_timeout_unless_its_deadline_is_infinite) {
    EXPECT_EQ(left_until(never), nanoseconds::max());
    EXPECT_LT(left_until(never - 1ns), nanoseconds::max());
    EXPECT_GT(left_until(never - 1ns), 24h * 365 * 100);
}

// left_until() reads the clock between `before` and `after`, so these two times give the limits of its
// result.
TEST(relative_timeouts, the_timeout_is_the_remaining_time_with_an_accuracy_of_a_nanosecond) {
    for (const nanoseconds delay : {nanoseconds(1h), nanoseconds(1h + 1ns), nanoseconds(24h * 365 * 100)}) {
        const time_point before = std::chrono::steady_clock::now();
        const nanoseconds left = left_until(before + delay);
        const time_point after = std::chrono::steady_clock::now();
        EXPECT_LE(left, delay);
        EXPECT_GE(left, delay - (after - before));
    }
}

}  // namespace loopbench::loop::test
