#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "loop/timers/list.hpp"
#include "loop/timers/timer.hpp"
#include "loop/timers/wheel.hpp"

namespace loopbench::loop::timers_model {

inline constexpr nanoseconds one_ns{1};
inline constexpr time_point some_time{nanoseconds(123'456'789'012'345)};

// True if the queue reports its earliest deadline exactly. After an erase, wheel_timers can report a deadline
// that is too early.
template <class Queue>
inline constexpr bool tells_earliest_exactly = !std::is_same_v<Queue, wheel_timers>;
// True if timers expire in the order of their deadlines. Timers of a list expire in the order of their
// insertion.
template <class Queue>
inline constexpr bool goes_by_deadlines = !std::is_same_v<Queue, list_timers>;

inline time_point after(time_point start, std::int64_t ns) {
    return start + nanoseconds(ns);
}

/// A comparison of a timer queue with a sorted map. Each timer is freed as soon as it is erased or has
/// expired, so that a sanitizer detects later accesses.
template <class Queue>
class checked_queue {
public:
    /// Arms a timer. Uses the latest time that was passed to expire() as the current time.
    void arm(time_point deadline) { arm(deadline, reached_); }

    void arm(time_point deadline, time_point now) {
        auto owned = std::make_unique<timer>();
        timer& t = *owned;
        t.deadline = deadline;
        queue_.insert(t, now);
        EXPECT_TRUE(t.armed);
        armed_.emplace(&t, armed_timer{std::move(owned), by_deadline_.emplace(deadline, &t)});
    }

    void erase(std::size_t index) {
        timer& t = *std::next(by_deadline_.begin(), static_cast<std::ptrdiff_t>(index))->second;
        queue_.erase(t);
        EXPECT_FALSE(t.armed);
        forget(t);
    }

    std::size_t expire(time_point now) {
        reached_ = std::max(reached_, now);
        const std::size_t expected = due(now);
        operation_queue ready;
        queue_.expire(now, ready);
        std::size_t expired = 0;
        time_point last = time_point::min();
        for (; !ready.empty(); ++expired) {
            timer& t = static_cast<timer&>(ready.pop());
            const auto found = armed_.find(&t);
            if (found == armed_.end()) {
                ADD_FAILURE() << "a timer expired that was not armed";
                return expired;
            }
            EXPECT_FALSE(t.armed);
            EXPECT_LE(t.deadline, now);
            EXPECT_NE(t.deadline, never);
            EXPECT_TRUE(!goes_by_deadlines<Queue> || t.deadline >= last);
            last = t.deadline;
            forget(t);
        }
        EXPECT_EQ(expired, expected);
        EXPECT_GT(queue_.earliest(), std::min(now, never - one_ns));
        return expired;
    }

    void check_earliest() {
        EXPECT_EQ(queue_.empty(), by_deadline_.empty());
        if (tells_earliest_exactly<Queue> || by_deadline_.empty()) {
            EXPECT_EQ(queue_.earliest(), earliest());
        } else {
            EXPECT_LE(queue_.earliest(), earliest());
        }
    }

    time_point earliest() const { return by_deadline_.empty() ? never : by_deadline_.begin()->first; }
    std::size_t size() const { return by_deadline_.size(); }
    Queue& queue() { return queue_; }

private:
    using deadlines = std::multimap<time_point, timer*>;

    struct armed_timer {
        std::unique_ptr<timer> owned;
        typename deadlines::iterator place;
    };

    std::size_t due(time_point now) const {
        const auto end = by_deadline_.upper_bound(std::min(now, never - one_ns));
        return static_cast<std::size_t>(std::distance(by_deadline_.begin(), end));
    }

    void forget(timer& t) {
        const auto found = armed_.find(&t);
        by_deadline_.erase(found->second.place);
        armed_.erase(found);
    }

    deadlines by_deadline_;
    std::unordered_map<timer*, armed_timer> armed_;
    time_point reached_ = time_point::min();
    Queue queue_;
};

class deadline_source {
public:
    explicit deadline_source(std::uint64_t seed) : random_(seed) {}

    std::int64_t below(std::int64_t limit) {
        return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random_);
    }

    /// Returns a random time below 2^0, 2^1, … or 2^max_bits ns. Each of these limits is equally probable.
    nanoseconds any_magnitude(std::int64_t max_bits) {
        return nanoseconds(below(std::int64_t{1} << below(max_bits + 1)));
    }

    time_point next(time_point now) {
        constexpr nanoseconds century = std::chrono::hours(24 * 36525);
        switch (below(12)) {
            case 0:
                return now;
            case 1:
                return now - any_magnitude(40);
            case 2:
                return time_point::min() + nanoseconds(below(3));
            case 3:
                return now + century + nanoseconds(below(3));
            case 4:
                return never - nanoseconds(below(3));
            case 5:
                return now + nanoseconds(below(5));
            case 6:
                return meeting_point(now, 1'000) + nanoseconds(below(3) - 1);
            case 7:
                return meeting_point(now, 1'000'000'000) + nanoseconds(below(3) - 1);
            case 8:
                return meeting_point(now, std::int64_t{1} << 36) + nanoseconds(below(3) - 1);
            default:
                return now + any_magnitude(37);
        }
    }

private:
    static time_point meeting_point(time_point now, std::int64_t period_ns) {
        return after(time_point{}, (now.time_since_epoch().count() / period_ns + 1) * period_ns);
    }

    std::mt19937_64 random_;
};

}  // namespace loopbench::loop::timers_model
