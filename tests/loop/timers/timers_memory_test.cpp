// Tests timer queues that cannot allocate memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <new>
#include <random>
#include <vector>

#include "loop/timers/heap.hpp"
#include "loop/timers/lazy_heap.hpp"
#include "loop/timers/list.hpp"
#include "loop/timers/wheel.hpp"
#include "tests/loop/allocations.hpp"
#include "tests/loop/recycled_memory.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

constexpr time_point first_moment{1h};

/// Returns timers that are due within the next half minute. Their deadlines occupy all levels of the wheel.
std::deque<timer> random_timers(std::uint32_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::deque<timer> timers(count);
    for (timer& each : timers) {
        const auto digits = static_cast<unsigned>(random() % 36);
        each.deadline = first_moment + nanoseconds(static_cast<std::int64_t>(random() % (1ULL << digits)));
    }
    return timers;
}

std::size_t take_ready(operation_queue& ready, time_point now) {
    std::size_t count = 0;
    while (!ready.empty()) {
        auto& expired = static_cast<timer&>(ready.pop());
        EXPECT_LE(expired.deadline, now);
        EXPECT_FALSE(expired.armed);
        expired.deadline = never;  // makes the check above fail if the timer expires again
        ++count;
    }
    return count;
}

bool has_overdue(const std::deque<timer>& timers, time_point now) {
    return std::ranges::any_of(timers, [now](const timer& t) { return t.armed && t.deadline <= now; });
}

}  // namespace

template <class Q>
class timers_without_memory : public testing::Test {
protected:
    void SetUp() override {
        if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
    }
};
using every_queue = testing::Types<list_timers, heap_timers, lazy_heap_timers, wheel_timers>;
TYPED_TEST_SUITE(timers_without_memory, every_queue);

// expire() moves, sorts and collects timers. Each of these three steps can allocate memory.
TYPED_TEST(timers_without_memory, every_timer_expires_in_time_and_exactly_once_even_if_allocations_fail) {
    constexpr std::size_t count = 3'000;
    for (const std::size_t few : {0u, 1u, 2u, 3u, 5u, 8u, 13u, 40u}) {
        const nothing_recycled from_the_heap;
        TypeParam queue;
        auto timers = random_timers(static_cast<std::uint32_t>(few), count);
        for (timer& each : timers) queue.insert(each, first_moment);
        std::size_t expired = 0;
        operation_queue ready;
        for (nanoseconds passed = 1ns; !queue.empty(); passed *= 3) {
            const time_point now = first_moment + passed;
            {
                const out_of_memory none(few);
                queue.expire(now, ready);
            }
            expired += take_ready(ready, now);
            ASSERT_FALSE(has_overdue(timers, now)) << "after " << few << " allocations";
            ASSERT_GT(queue.earliest(), now);
        }
        ASSERT_EQ(expired, count) << "after " << few << " allocations";
    }
}

// When the first timer is due, the wheel distributes the timers of one slot to many slots. If it cannot
// allocate the memory to move a timer, the timer stays in its slot.
TYPED_TEST(timers_without_memory, timers_with_nearby_deadlines_expire_in_time_even_if_allocations_fail) {
    constexpr std::size_t count = 200;
    for (const std::size_t few : {0u, 1u, 2u, 5u}) {
        const nothing_recycled from_the_heap;
        TypeParam queue;
        std::deque<timer> timers(count);
        for (std::size_t i = 0; i < count; ++i) {
            timers[i].deadline = first_moment + 10s + static_cast<int>(i) * 4ms;
            queue.insert(timers[i], first_moment);
        }
        operation_queue ready;
        for (std::size_t i = 0; i < count; ++i) {
            const time_point now = first_moment + 10s + static_cast<int>(i) * 4ms;
            ASSERT_LE(queue.earliest(), now) << "the loop would not wake up for the due timer";
            {
                const out_of_memory none(few);
                queue.expire(now, ready);
            }
            ASSERT_EQ(take_ready(ready, now), 1u) << "timer " << i << " after " << few << " allocations";
        }
        EXPECT_TRUE(queue.empty());
    }
}

TYPED_TEST(timers_without_memory,
           timers_can_be_cancelled_without_memory_and_the_remaining_timers_expire_when_memory_is_back) {
    constexpr std::size_t count = 3'000;
    const nothing_recycled from_the_heap;
    TypeParam queue;
    auto timers = random_timers(1, count);
    for (timer& each : timers) queue.insert(each, first_moment);
    std::size_t expired = 0;
    std::size_t cancelled = 0;
    operation_queue ready;
    const time_point half = first_moment + 1ms;
    {
        const out_of_memory none;
        queue.expire(half, ready);
        for (std::size_t i = 0; i < count; i += 2) {
            if (!timers[i].armed) continue;
            queue.erase(timers[i]);
            ++cancelled;
        }
    }
    expired += take_ready(ready, half);
    timers.emplace_back().deadline = half + 1ms;
    queue.insert(timers.back(), half);
    queue.expire(first_moment + 24h, ready);
    expired += take_ready(ready, first_moment + 24h);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(expired + cancelled, count + 1);
    EXPECT_GT(cancelled, 0u);
}

TYPED_TEST(timers_without_memory, a_timer_that_cannot_be_armed_does_not_change_the_other_timers) {
    const nothing_recycled from_the_heap;
    TypeParam queue;
    auto timers = random_timers(2, 2'000);
    std::size_t armed = 0;
    std::size_t refused = 0;
    for (timer& each : timers) {
        const out_of_memory soon(refused % 3);
        try {
            queue.insert(each, first_moment);
            ++armed;
        } catch (const std::bad_alloc&) {
            ++refused;
            refused += each.armed ? timers.size() : 0;
        }
    }
    EXPECT_EQ(armed + refused, timers.size()) << "a refused timer must not be armed";
    EXPECT_GT(armed, 0u);
    operation_queue ready;
    queue.expire(first_moment + 24h, ready);
    EXPECT_EQ(take_ready(ready, first_moment + 24h), armed);
    EXPECT_TRUE(queue.empty());
}

}  // namespace loopbench::loop::test
