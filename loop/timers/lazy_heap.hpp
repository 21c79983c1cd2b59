// The lazy heap works as in CPython's asyncio (tutorial 004): cancelling a timer only marks its entry, in
// O(1), and the entry stays until it reaches the head of the heap. A server that cancels a long timeout for
// each request would thus keep an entry for every request. Therefore the heap is rebuilt, in O(n), if it has
// more than `min_scheduled` entries and more than `max_cancelled_fraction` of the entries are cancelled.
// asyncio checks this condition once per turn. Here, each erase() checks it; otherwise, a callback that arms
// and cancels a million timers would need memory for all of them.
#pragma once

#include <vector>

#include "loop/timers/heap.hpp"

namespace loopbench::loop {

/// A timer queue in a lazy heap. asyncio marks the timer, but this project's timers are destroyed with their
/// coroutine's frame; therefore erase() marks the entry in the heap. Timers with equal deadlines expire in no
/// particular order.
class lazy_heap_timers : heap_timers {
public:
    // The values of asyncio's _MIN_SCHEDULED_TIMER_HANDLES and _MIN_CANCELLED_TIMER_HANDLES_FRACTION.
    static constexpr std::size_t min_scheduled = 100;
    static constexpr double max_cancelled_fraction = 0.5;

    lazy_heap_timers& operator=(lazy_heap_timers&&) = delete;

    using heap_timers::insert;

    void erase(timer& t) noexcept {
        t.armed = false;
        entries_[t.place.index].subject = &cancelled_timer_;
        ++cancelled_;
        if (entries() > min_scheduled &&
            static_cast<double>(cancelled_) > max_cancelled_fraction * static_cast<double>(entries()))
            rebuild();
    }

    bool empty() const noexcept { return entries() == cancelled_; }

    time_point earliest() noexcept {
        for (; entries() != 0 && entries_.front().subject == &cancelled_timer_; --cancelled_) remove(0);
        return heap_timers::earliest();
    }

    void expire(time_point now, operation_queue& ready) noexcept {
        while (earliest() <= last_due(now)) make_ready(take_first(), ready);
    }

    std::size_t entries() const noexcept { return entries_.size(); }

private:
    void rebuild() noexcept {
        std::erase_if(entries_, [this](const entry& e) { return e.subject == &cancelled_timer_; });
        for (std::size_t i = entries(); i-- > 0;) sift_down(i, entries_[i]);
        cancelled_ = 0;
    }

    timer cancelled_timer_{};
    std::size_t cancelled_ = 0;
};

}  // namespace loopbench::loop
