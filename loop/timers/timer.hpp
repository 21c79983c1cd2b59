// The contents of a timer queue, and the operations that it must offer.
#pragma once

#include <algorithm>
#include <concepts>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

/// An operation that becomes ready at a deadline. It knows its place in the queue, so that cancelling needs
/// no search.
struct timer : operation {
    time_point deadline;
    bool armed = false;  // kept by the queue: true from insert() to erase() or expiry

    // The place of the timer in its queue; only the queue uses it. After the timer has expired: see
    // fetch_later().
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

    /// Prefetches `later`, a timer that runs some callbacks after this one, into the cache. Called when this
    /// timer runs. If a million timers expire at once, each has left the caches by the time it runs, and the
    /// ready queue cannot tell which one to fetch: it links only each to the next.
    void fetch_later() const noexcept {
        if (place.later == nullptr) return;
        // A timer is part of an object that usually has two cache lines.
        const auto* const line = reinterpret_cast<const char*>(place.later);
        constexpr std::ptrdiff_t line_bytes = 64;
        __builtin_prefetch(line, 1);
        __builtin_prefetch(line + line_bytes, 1);
    }
};

/// Makes a timer ready; it is no longer in its queue. `later` is null, or a timer that becomes ready after
/// it. `later` is only prefetched, so it may already be destroyed by then.
inline void make_ready(timer& expired, operation_queue& ready, const timer* later = nullptr) noexcept {
    expired.armed = false;
    expired.place.later = later;
    ready.push(expired);
}

/// Returns the latest deadline that is due. Timers at `never` are not due, whatever the time.
constexpr time_point last_due(time_point now) noexcept {
    return std::min(now, never - nanoseconds(1));
}

/// A set of timers. Not thread-safe.
/// - insert(t, now): t is not armed; t.deadline is set and does not change while t is armed. It may be in the
///   past: then t is due at the next expire(). `now` is a time that the clock has reached, for queues that
///   depend on distances. Throws std::bad_alloc; then t is not armed.
/// - erase(t): t must be armed.
/// - earliest(): no timer has an earlier deadline; `never` if the queue is empty. After an erase() it may be
///   too early, which costs a wake-up in vain; but after expire(now) it is later than now.
/// - expire(now, ready): moves every timer with deadline <= last_due(now) to `ready`, with make_ready(), in
///   the order of deadlines unless the queue says otherwise. `now` never decreases.
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
