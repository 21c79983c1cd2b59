// The heap of CPython's asyncio (document 004): cancelling takes nothing out.
//
// A cancelled timer's entry stays where it is, marked, until it reaches the head and is dropped there, so
// that cancelling is O(1). The price is dead entries: a server that arms a long timeout for each request and
// cancels it keeps them all, and every push and pop goes through a deeper heap. Hence the second rule: when
// more than `max_cancelled_fraction` of more than `min_scheduled` entries are cancelled, the heap is rebuilt
// from the others, O(n), paid for by the n/2 cancellations before it. asyncio looks once a turn whether it
// must; here each erase() does, or one callback that arms and cancels a million times would need the memory.
#pragma once

#include <vector>

#include "loop/timers/heap.hpp"

namespace loopbench::loop {

/// Python's timers outlive their cancellation, and are marked themselves. One of ours goes with its
/// coroutine's frame, so its entry is marked, which the index finds. Equal deadlines expire in any order.
class lazy_heap_timers : heap_timers {
public:
    // asyncio's _MIN_SCHEDULED_TIMER_HANDLES and _MIN_CANCELLED_TIMER_HANDLES_FRACTION.
    static constexpr std::size_t min_scheduled = 100;
    static constexpr double max_cancelled_fraction = 0.5;

    lazy_heap_timers& operator=(lazy_heap_timers&&) = delete;

    using heap_timers::insert;

    void erase(timer& t) noexcept {
        t.armed = false;
        entries_[t.place.index].subject = &nobody_;
        ++cancelled_;
        if (entries() > min_scheduled &&
            static_cast<double>(cancelled_) > max_cancelled_fraction * static_cast<double>(entries()))
            rebuild();
    }

    bool empty() const noexcept { return entries() == cancelled_; }

    time_point earliest() noexcept {
        for (; entries() != 0 && entries_.front().subject == &nobody_; --cancelled_) remove(0);
        return heap_timers::earliest();
    }

    void expire(time_point now, operation_queue& ready) noexcept {
        while (earliest() <= last_due(now)) make_ready(take_first(), ready);
    }

    /// How many timers the heap holds, the cancelled ones included.
    std::size_t entries() const noexcept { return entries_.size(); }

private:
    void rebuild() noexcept {
        std::erase_if(entries_, [this](const entry& e) { return e.subject == &nobody_; });
        for (std::size_t i = entries(); i-- > 0;) sift_down(i, entries_[i]);
        cancelled_ = 0;
    }

    timer nobody_{};             // whose entries are those of cancelled timers
    std::size_t cancelled_ = 0;  // of the entries
};

}  // namespace loopbench::loop
