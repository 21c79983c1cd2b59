// The heap of CPython's asyncio (document 004): cancelling takes nothing out.
//
// A heap that can erase has to know where each timer stands, and pays for that with a write to a timer at
// every step of a sift. asyncio's binary heap knows nothing: a cancelled timer stays where it is, marked,
// until it reaches the head and is dropped there. So arming is a plain O(log n) push and cancelling is O(1).
// The price is dead entries: a server that arms a long timeout for each request and cancels it keeps them
// all, and every push and pop goes through a deeper heap. Hence the second rule: when more than
// `max_cancelled_fraction` of more than `min_scheduled` entries are cancelled, the heap is rebuilt from the
// others, O(n), paid for by the n/2 cancellations before it.
//
// asyncio looks whether it must rebuild once a turn; here each erase() looks, so that one callback which arms
// and cancels a million times does not use a million entries. The rule is the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A timer lives in its coroutine's frame and is gone after its cancellation, while its entry still stands in
/// the heap. So an entry points to a ticket, and the ticket to the timer. Tickets are recycled and not given
/// back: as many as there ever were entries at once. Equal deadlines expire in any order. earliest() is
/// exact.
class lazy_heap_timers {
public:
    static constexpr bool ordered = true;

    // asyncio's _MIN_SCHEDULED_TIMER_HANDLES and _MIN_CANCELLED_TIMER_HANDLES_FRACTION.
    static constexpr std::size_t min_scheduled = 100;
    static constexpr double max_cancelled_fraction = 0.5;

    lazy_heap_timers() = default;
    lazy_heap_timers(const lazy_heap_timers&) = delete;
    lazy_heap_timers& operator=(const lazy_heap_timers&) = delete;

    void insert(timer& t, time_point) {
        if (unused_ == nullptr) unused_ = &tickets_.emplace_back();
        heap_.push_back({t.deadline, unused_});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
        ticket& own = *std::exchange(unused_, unused_->next_unused);
        own.subject = &t;
        t.place.stored.entry = &own;
        t.armed = true;
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        static_cast<ticket*>(t.place.stored.entry)->subject = nullptr;
        ++cancelled_;
        if (too_many_cancelled()) rebuild();
    }

    bool empty() const noexcept { return heap_.size() == cancelled_; }

    time_point earliest() noexcept {
        drop_cancelled_heads();
        return heap_.empty() ? never : heap_.front().deadline;
    }

    void expire(time_point now, operation_queue& ready) noexcept {
        for (;;) {
            drop_cancelled_heads();
            if (heap_.empty() || heap_.front().deadline > now || heap_.front().deadline == never) return;
            timer& due = *heap_.front().own->subject;
            pop();
            due.armed = false;
            ready.push(due);
        }
    }

    /// How many timers the heap holds, the cancelled ones included.
    std::size_t entries() const noexcept { return heap_.size(); }

    /// How many timers there is memory for.
    std::size_t capacity() const noexcept { return tickets_.size(); }

private:
    struct ticket {
        timer* subject = nullptr;  // null when it was cancelled
        ticket* next_unused = nullptr;
    };

    struct entry {
        time_point deadline;
        ticket* own;

        bool operator>(const entry& other) const noexcept { return deadline > other.deadline; }
    };

    bool too_many_cancelled() const noexcept {
        return heap_.size() > min_scheduled &&
               static_cast<double>(cancelled_) > max_cancelled_fraction * static_cast<double>(heap_.size());
    }

    void rebuild() noexcept {
        std::erase_if(heap_, [this](const entry& e) {
            const bool cancelled = e.own->subject == nullptr;
            if (cancelled) recycle(*e.own);
            return cancelled;
        });
        std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
        cancelled_ = 0;
    }

    void drop_cancelled_heads() noexcept {
        while (!heap_.empty() && heap_.front().own->subject == nullptr) {
            pop();
            --cancelled_;
        }
    }

    void pop() noexcept {
        recycle(*heap_.front().own);
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
        heap_.pop_back();
    }

    void recycle(ticket& own) noexcept { own.next_unused = std::exchange(unused_, &own); }

    std::vector<entry> heap_;
    std::deque<ticket> tickets_;
    ticket* unused_ = nullptr;
    std::size_t cancelled_ = 0;  // of the entries
};

static_assert(TimerQueue<lazy_heap_timers>);

}  // namespace loopbench::loop
