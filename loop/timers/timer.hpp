// What a timer queue holds, and what it must offer.
#pragma once

#include <algorithm>
#include <concepts>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

/// An operation that becomes ready at a deadline. It knows its place, so that cancelling does not search.
struct timer : operation {
    time_point deadline;
    bool armed = false;  // kept by the queue: true from insert() to erase() or expiry

    // Where the timer stands in its queue, which alone uses it. Of one that has expired: see fetch_later().
    union {
        const timer* later = nullptr;
        std::size_t index;
        struct {
            timer* previous;
            timer* following;
        } link;
        struct {
            void* entry;
            std::size_t slot;
        } stored;
    } place;

    /// For who runs it: fetches `later`, which is run some callbacks after it, into the cache. When a million
    /// expire at once, each has left the caches by the time that it is run, and from the ready queue, which
    /// leads from each to the next, nobody could know which one to fetch meanwhile.
    void fetch_later() const noexcept {
        if (place.later == nullptr) return;
        // It is a part of something that has two cache lines, mostly.
        const auto* const line = reinterpret_cast<const char*>(place.later);
        constexpr std::ptrdiff_t line_bytes = 64;
        __builtin_prefetch(line, 1);
        __builtin_prefetch(line + line_bytes, 1);
    }
};

/// For a queue in which `expired` no longer stands. `later` is null, or one that becomes ready after it; it
/// is only fetched, and may be gone by then.
inline void make_ready(timer& expired, operation_queue& ready, const timer* later = nullptr) noexcept {
    expired.armed = false;
    expired.place.later = later;
    ready.push(expired);
}

/// The latest deadline that is due: timers at `never` are not, whatever the time.
constexpr time_point last_due(time_point now) noexcept {
    return std::min(now, never - nanoseconds(1));
}

/// A set of timers. Not thread-safe.
/// - insert(t, now): t is not armed; t.deadline is set and does not change while it is armed. It may lie in
///   the past: such a timer is due at the next expire(). `now` is a time that the clock has reached, for
///   queues that go by distance. Throws std::bad_alloc; then t is not armed.
/// - erase(t): t is armed.
/// - earliest(): no timer has a deadline before this; `never` when the queue is empty. It may be too early
///   after an erase(), at the price of a wake-up in vain, but not after expire(now): then it is after now.
/// - expire(now, ready): moves every timer with deadline <= last_due(now) to `ready`, by make_ready(), in the
///   order of deadlines unless the queue says otherwise. `now` never goes back.
template <class Q>
concept TimerQueue = requires(Q& queue, timer& t, time_point now, operation_queue& ready) {
    queue.insert(t, now);
    { queue.erase(t) }
    noexcept;
    { queue.earliest() } -> std::same_as<time_point>;
    { queue.empty() } -> std::same_as<bool>;
    { queue.expire(now, ready) }
    noexcept;
};

}  // namespace loopbench::loop
