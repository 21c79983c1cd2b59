// The timer queue of tutorial 002, "Discover asyncio event loop", is an unsorted list. Each turn of the loop
// scans the whole list twice, for the due timers and for the next deadline. The scans are not noticeable with
// ten timers, but with a hundred thousand timers, they use a whole core. Unlike in the tutorial, erase()
// takes O(1), and each timer contains the links of the list.
#pragma once

#include <algorithm>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A timer queue that expires timers in the order of insertion, like the list of the tutorial. If two timers
/// are due on the same turn, the timer with the later deadline may run first.
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
