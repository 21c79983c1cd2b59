// Tests every timer queue by comparing it with a sorted map.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "loop/timers/heap.hpp"
#include "loop/timers/lazy_heap.hpp"
#include "loop/timers/list.hpp"
#include "loop/timers/wheel.hpp"
#include "tests/loop/recycled_memory.hpp"
#include "tests/loop/timers/timers_model.hpp"

namespace loopbench::loop {
namespace {

using namespace timers_model;

template <class Queue>
class timer_queue : public testing::Test {};

struct queue_names {
    template <class Queue>
    static std::string GetName(int) {
        if (std::is_same_v<Queue, list_timers>) return "list";
        if (std::is_same_v<Queue, heap_timers>) return "heap";
        return std::is_same_v<Queue, lazy_heap_timers> ? "lazy_heap" : "wheel";
    }
};

using all_queues = testing::Types<list_timers, heap_timers, lazy_heap_timers, wheel_timers>;
TYPED_TEST_SUITE(timer_queue, all_queues, queue_names);

TYPED_TEST(timer_queue, a_timer_expires_at_its_deadline_and_not_a_nanosecond_earlier) {
    for (int bits = 0; bits < 62; ++bits) {
        checked_queue<TypeParam> timers;
        timers.expire(some_time);
        const time_point deadline = some_time + nanoseconds(std::int64_t{1} << bits);
        timers.arm(deadline);
        EXPECT_EQ(timers.queue().earliest(), deadline) << bits;
        EXPECT_EQ(timers.expire(deadline - one_ns), 0U) << bits;
        EXPECT_EQ(timers.expire(deadline), 1U) << bits;
    }
}

TYPED_TEST(timer_queue, any_sequence_of_arming_erasing_and_expiring_matches_a_sorted_map) {
    constexpr int steps = 40'000;
    constexpr std::size_t pending_max = 300;
    const time_point last_time = some_time + std::chrono::hours(24 * 365 * 120);
    for (int seed = 1; seed <= 8 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const int arm_percent = 56 + 2 * seed;
        deadline_source source(static_cast<std::uint64_t>(seed));
        checked_queue<TypeParam> timers;
        time_point now = some_time;
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            const std::int64_t choice = source.below(100);
            if (choice < arm_percent && timers.size() < pending_max) {
                now += nanoseconds(source.below(100));
                timers.arm(source.next(now), now);
            } else if (choice < arm_percent + 18 && timers.size() != 0) {
                timers.erase(
                    static_cast<std::size_t>(source.below(static_cast<std::int64_t>(timers.size()))));
            } else if (choice < arm_percent + 22 && timers.earliest() > now &&
                       timers.earliest() < last_time) {
                timers.expire(timers.earliest() - one_ns);
                timers.expire(now = timers.earliest());
            } else {
                timers.expire(now += source.any_magnitude(32));
            }
            timers.check_earliest();
        }
    }
}

TYPED_TEST(timer_queue, every_timer_expires_exactly_once_if_expire_is_called_only_at_the_earliest_deadline) {
    deadline_source source(11);
    checked_queue<TypeParam> timers;
    time_point now = some_time;
    timers.expire(now);
    for (int i = 0; i < 3000; ++i) timers.arm(now + source.any_magnitude(50));
    for (int i = 0; i < 1500; ++i) timers.erase(static_cast<std::size_t>(source.below(100)));
    std::size_t wakeups = 0;
    for (; timers.size() != 0 && wakeups < 10'000; ++wakeups)
        timers.expire(now = std::max(now, timers.queue().earliest()));
    EXPECT_EQ(timers.size(), 0U);
    EXPECT_LE(wakeups, 1500U + (tells_earliest_exactly<TypeParam> ? 0 : 150));
    EXPECT_EQ(timers.queue().earliest(), never);
}

TYPED_TEST(timer_queue, any_number_of_timers_that_are_due_at_the_same_time_can_expire) {
    // The wheel sorts up to 512 timers with one method, and more timers with another.
    for (const std::size_t count : {1U, 512U, 513U, 10'000U}) {
        for (const int magnitude : {0, 7, 36, 60}) {
            for (const std::int64_t granularity : {1, 0x10000}) {
                deadline_source source(5);
                checked_queue<TypeParam> timers;
                timers.expire(some_time);
                for (std::size_t i = 0; i < count; ++i)
                    timers.arm(some_time + source.any_magnitude(magnitude) / granularity * granularity);
                EXPECT_EQ(timers.expire(some_time + nanoseconds(std::int64_t{1} << magnitude)), count);
                EXPECT_TRUE(timers.queue().empty());
            }
        }
    }
}

TYPED_TEST(timer_queue, a_timer_with_an_infinite_deadline_does_not_expire) {
    checked_queue<TypeParam> timers;
    timers.arm(never);
    timers.arm(never);
    EXPECT_EQ(timers.queue().earliest(), never);
    EXPECT_FALSE(timers.queue().empty());
    timers.arm(never - one_ns);
    EXPECT_EQ(timers.expire(never - one_ns), 1U);
    EXPECT_EQ(timers.expire(never), 0U);
    timers.erase(0);
    timers.erase(0);
    EXPECT_TRUE(timers.queue().empty());
}

TYPED_TEST(timer_queue, timers_with_past_deadlines_expire_in_order_at_the_next_call_of_expire) {
    checked_queue<TypeParam> timers;
    timers.expire(some_time);
    timers.arm(after(some_time, -1));
    timers.arm(some_time);
    timers.arm(time_point::min());
    timers.arm(time_point{});
    timers.arm(after(some_time, 1));
    EXPECT_EQ(timers.queue().earliest(), time_point::min());
    EXPECT_EQ(timers.expire(some_time), 4U);
    EXPECT_EQ(timers.expire(after(some_time, 1)), 1U);
}

TYPED_TEST(timer_queue, timers_are_not_delayed_if_the_clock_has_gone_back) {
    const time_point start{nanoseconds(std::int64_t{1} << 40)};
    checked_queue<TypeParam> timers;
    timers.expire(after(start, 74));
    timers.arm(after(start, 84));
    EXPECT_EQ(timers.expire(after(start, 10)), 0U);
    timers.arm(after(start, 30));
    EXPECT_EQ(timers.expire(after(start, 35)), 1U);
    EXPECT_EQ(timers.expire(after(start, 84)), 1U);
}

TYPED_TEST(timer_queue, a_timer_that_has_just_become_ready_can_be_armed_again) {
    TypeParam queue;
    timer periodic{};
    periodic.deadline = some_time;
    queue.insert(periodic, time_point{});
    for (int i = 0; i < 1000; ++i) {
        operation_queue ready;
        queue.expire(after(some_time, i * 1'000'000), ready);
        ASSERT_FALSE(ready.empty());
        ASSERT_EQ(&ready.pop(), &periodic);
        ASSERT_TRUE(ready.empty());
        periodic.deadline += nanoseconds(1'000'000);
        queue.insert(periodic, after(some_time, i * 1'000'000));
        ASSERT_EQ(queue.earliest(), periodic.deadline);
    }
    queue.erase(periodic);
}

TEST(list_timers, timers_expire_in_the_order_of_insertion_as_in_the_tutorial) {
    list_timers queue;
    timer hello{}, exit{}, good_bye{};
    hello.deadline = after(some_time, 1);
    exit.deadline = after(some_time, 5);
    good_bye.deadline = after(some_time, 2);
    for (timer* t : {&hello, &exit, &good_bye}) queue.insert(*t, some_time);
    operation_queue ready;
    queue.expire(after(some_time, 5), ready);
    for (timer* t : {&hello, &exit, &good_bye}) EXPECT_EQ(&ready.pop(), t);
}

template <class Queue>
std::vector<timer> armed_in_a_row(Queue& queue, std::size_t count, time_point first) {
    std::vector<timer> timers(count);
    for (std::size_t i = 0; i < count; ++i) {
        timers[i].deadline = first + nanoseconds(i);
        queue.insert(timers[i], some_time);
    }
    return timers;
}

TEST(wheel_timers, each_expired_timer_except_the_last_16_points_to_a_timer_that_runs_later) {
    for (const std::size_t count : {1U, 16U, 100U, 1000U}) {
        wheel_timers queue;
        auto timers = armed_in_a_row(queue, count, some_time);
        operation_queue ready;
        queue.expire(after(some_time, 1000), ready);
        std::size_t run = 0, named = 0;
        for (; !ready.empty(); ++run) {
            const auto* const later = static_cast<const timer&>(ready.pop()).place.later;
            if (later == nullptr) continue;
            ++named;
            EXPECT_GT(later - timers.data(), static_cast<std::ptrdiff_t>(run)) << count;
        }
        EXPECT_EQ(run, count);
        EXPECT_EQ(named, count - std::min<std::size_t>(count, 16))
            << "all timers except the last 16 must point to a later timer";
    }
}

TEST(lazy_heap_timers, cancelled_timers_are_removed_if_they_are_the_majority_of_many_timers) {
    for (const std::size_t count : {101U, 102U, 1000U}) {
        lazy_heap_timers queue;
        auto timers = armed_in_a_row(queue, count, some_time);
        for (std::size_t i = 1; i <= count / 2; ++i) queue.erase(timers[i]);
        EXPECT_EQ(queue.entries(), count);
        queue.erase(timers[count / 2 + 1]);
        EXPECT_EQ(queue.entries(), count - count / 2 - 1);
        EXPECT_EQ(queue.earliest(), some_time);
    }
    lazy_heap_timers small;
    auto timers = armed_in_a_row(small, lazy_heap_timers::min_scheduled, some_time);
    for (std::size_t i = 1; i < timers.size(); ++i) small.erase(timers[i]);
    EXPECT_EQ(small.entries(), timers.size());
}

TEST(lazy_heap_timers, cancelled_timers_at_the_head_are_removed_before_earliest_returns) {
    lazy_heap_timers queue;
    auto timers = armed_in_a_row(queue, 50, some_time);
    for (std::size_t i = 0; i < 49; ++i) queue.erase(timers[i]);
    EXPECT_EQ(queue.entries(), 50U);
    EXPECT_EQ(queue.earliest(), timers[49].deadline);
    EXPECT_EQ(queue.entries(), 1U);
    queue.erase(timers[49]);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.earliest(), never);
}

template <class Queue>
std::size_t allocations_of_churn() {
    const test::nothing_recycled from_the_heap;
    const std::size_t before = test::count_allocations().made;
    Queue queue;
    operation_queue ready;
    time_point now = some_time;
    queue.expire(now, ready);
    auto pending = armed_in_a_row(queue, 100, now + std::chrono::hours(1));
    deadline_source source(3);
    timer t{};
    for (int i = 0; i < 20'000; ++i) {
        t.deadline = now + source.any_magnitude(50);
        queue.insert(t, now);
        queue.erase(t);
        t.deadline = now + source.any_magnitude(20);
        queue.insert(t, now);
        queue.expire(now = t.deadline, ready);
    }
    return test::count_allocations().made - before;
}

// The ten allowed allocations are for the test's own 100 timers and for the queue's vector. The vector grows
// to about 200 entries: 100 for armed timers, and 100 for erased ones.
TEST(lazy_heap_timers, arming_and_erasing_timers_does_not_grow_a_lazy_heap) {
    EXPECT_LE(allocations_of_churn<lazy_heap_timers>(), 10U);
}

TEST(wheel_timers, arming_and_erasing_timers_does_not_grow_a_wheel) {
    EXPECT_LE(allocations_of_churn<wheel_timers>(), 10U);
}

// Additional memory would cause page faults, which would delay all due timers.
TEST(wheel_timers, expiring_any_number_of_timers_needs_little_memory) {
    constexpr std::size_t count = 100'000;
    const test::nothing_recycled from_the_heap;
    wheel_timers queue;
    auto timers = armed_in_a_row(queue, count, some_time);
    operation_queue ready;
    const std::size_t before = test::count_allocations().made;
    queue.expire(after(some_time, count), ready);
    EXPECT_LE(test::count_allocations().made - before, 35U);
    EXPECT_TRUE(queue.empty());
}

// A loop's thread writes to the entries of its timers, so loops in different threads would slow each other
// down. 128 bytes are a pair of cache lines.
TEST(wheel_timers, wheels_share_no_cache_lines_even_if_one_thread_arms_all_their_timers) {
    constexpr std::uintptr_t line_pair_bytes = 128;
    constexpr std::size_t count = 1000;
    std::array<wheel_timers, 2> wheels;
    std::array<std::vector<timer>, 2> timers;
    for (auto& each : timers) each.resize(count);
    for (std::size_t round = 1; round <= 3; ++round) {
        std::array<std::set<std::uintptr_t>, 2> lines;
        const time_point first = after(some_time, static_cast<std::int64_t>(round * count));
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t wheel = 0; wheel < wheels.size(); ++wheel) {
                timer& t = timers[wheel][i];
                t.deadline = first + nanoseconds(i);
                wheels[wheel].insert(t, first);
                lines[wheel].insert(reinterpret_cast<std::uintptr_t>(t.place.stored.entry) / line_pair_bytes);
            }
        }
        std::vector<std::uintptr_t> shared;
        std::ranges::set_intersection(lines[0], lines[1], std::back_inserter(shared));
        EXPECT_EQ(shared.size(), 0U) << "of " << lines[0].size() << " pairs of cache lines";
        operation_queue ready;
        for (auto& each : wheels) each.expire(first + nanoseconds(count), ready);
        while (!ready.empty()) ready.pop();
    }
}

TEST(wheel_timers, the_wheel_reports_the_exact_deadline_of_a_far_timer) {
    checked_queue<wheel_timers> timers;
    timers.expire(some_time);
    const time_point next_century = some_time + std::chrono::hours(24 * 36525) + one_ns;
    timers.arm(next_century);
    EXPECT_EQ(timers.queue().earliest(), next_century);
    EXPECT_EQ(timers.expire(next_century), 1U);
}

TEST(wheel_timers, the_earliest_deadline_is_exact_after_an_erase_if_a_slot_has_few_timers) {
    checked_queue<wheel_timers> timers;
    timers.expire(some_time);
    for (int i = 0; i < 50; ++i) timers.arm(after(some_time, 10'000'000'000 + i));
    for (int i = 0; i < 49; ++i) {
        timers.erase(0);
        EXPECT_EQ(timers.queue().earliest(), timers.earliest());
    }
}

// If the wheel's last known time is long ago, all deadlines of a day share one wide slot. After a timer is
// erased, the wheel then reports an earliest deadline that is too early.
TEST(wheel_timers, an_empty_wheel_advances_to_the_current_time_before_it_places_a_timer) {
    checked_queue<wheel_timers> timers;
    for (const time_point now : {some_time, some_time + std::chrono::hours(1000)}) {
        for (int i = 0; i < 200; ++i) timers.arm(after(now, 10'000'000'000 + i), now);
        timers.arm(after(now, 1'000'000), now);
        timers.erase(0);
        EXPECT_EQ(timers.queue().earliest(), after(now, 10'000'000'000));
        // The wheel is not empty now. It must therefore not advance its time beyond the armed deadlines.
        timers.arm(after(now, 30'000'000'000), after(now, 20'000'000'000));
        EXPECT_EQ(timers.expire(after(now, 20'000'000'000)), 200U);
        timers.erase(0);
    }
}

TEST(wheel_timers, erased_timers_cause_only_a_few_unnecessary_wake_ups) {
    checked_queue<wheel_timers> timers;
    timers.expire(some_time);
    for (int i = 0; i < 10'000; ++i) timers.arm(after(some_time, 10'000'000'000 + i * 1000));
    for (int i = 0; i < 9'000; ++i) timers.erase(0);
    int in_vain = 0;
    while (in_vain < 100 && timers.expire(timers.queue().earliest()) == 0) ++in_vain;
    EXPECT_LE(in_vain, 5);
}

TEST(wheel_timers, the_wheel_loses_no_timer_when_the_clock_goes_back) {
    deadline_source source(9);
    checked_queue<wheel_timers> timers;
    timers.expire(some_time);
    for (int i = 0; i < 1000; ++i) timers.arm(some_time + one_ns + source.any_magnitude(40));
    timers.expire(after(some_time, -30'000'000'000));
    for (int i = 0; i < 1000; ++i) timers.arm(some_time + one_ns + source.any_magnitude(40));
    while (timers.size() != 0 && !HasFailure()) {
        timers.check_earliest();
        timers.expire(timers.earliest());
    }
}

}  // namespace
}  // namespace loopbench::loop
