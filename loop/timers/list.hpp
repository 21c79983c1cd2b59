// The plain list of tutorial 002, "Discover asyncio event loop": how a first event loop keeps its timers.
//
// The list is not sorted. Each turn of the loop scans all of it to find the due timers, and once more to find
// how long to sleep. So a turn costs O(n), however little happens: not noticeable with ten timers, but the
// whole CPU with a hundred thousand. Arming is O(1), as cheap as possible. Two things differ from the
// tutorial: timers are linked through themselves, while Python builds a new list each time; and erase() is
// O(1).
#pragma once

#include <algorithm>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A timer queue that expires timers in the order of insertion, like the tutorial: if two timers are found
/// due on the same turn, the one with the later deadline may run first. earliest() is exact.
class list_timers {
public:
    void insert(timer& t, time_point) noexcept {
        t.place.link = {last_, nullptr};
        (last_ == nullptr ? first_ : last_->place.link.following) = &t;
        last_ = &t;
        t.armed = true;
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        const auto [previous, following] = t.place.link;
        (previous == nullptr ? first_ : previous->place.link.following) = following;
        (following == nullptr ? last_ : following->place.link.previous) = previous;
    }

    bool empty() const noexcept { return first_ == nullptr; }

    time_point earliest() const noexcept {
        time_point result = never;
        for (const timer* t = first_; t != nullptr; t = t->place.link.following)
            result = std::min(result, t->deadline);
        return result;
    }

    void expire(time_point now, operation_queue& ready) noexcept {
        for (timer* next = first_; next != nullptr;) {
            timer& t = *std::exchange(next, next->place.link.following);
            if (t.deadline > last_due(now)) continue;
            erase(t);
            make_ready(t, ready);
        }
    }

private:
    timer* first_ = nullptr;
    timer* last_ = nullptr;
};

}  // namespace loopbench::loop
