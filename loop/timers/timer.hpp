#pragma once

#include <algorithm>
#include <concepts>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

struct timer : operation {
    time_point deadline;
    bool armed = false;  // set by the timer queue: true from insert() to erase() or expiry

    // The timer's place in its queue. Only the timer queue uses this union; after expiry, fetch_later() uses
    // `later`.
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

    /// Prefetches the timer `place.later`, which runs a few callbacks later than this timer. If a million
    /// timers expire at once, each timer has left the caches before it runs. The ready queue cannot prefetch
    /// timers, because an operation links only to the next operation, which is too near.
    void fetch_later() const noexcept {
        if (place.later == nullptr) return;
        // The object that contains the timer usually occupies two cache lines; therefore both lines are
        // prefetched.
        const auto* const line = reinterpret_cast<const char*>(place.later);
        constexpr std::ptrdiff_t line_bytes = 64;
        __builtin_prefetch(line, 1);
        __builtin_prefetch(line + line_bytes, 1);
    }
};

/// Makes an expired timer ready; the timer queue has already removed it. `later` is null, or a timer that
/// becomes ready afterwards. `later` is only prefetched; therefore it may be destroyed meanwhile.
inline void make_ready(timer& expired, operation_queue& ready, const timer* later = nullptr) noexcept {
    expired.armed = false;
    expired.place.later = later;
    ready.push(expired);
}

/// Returns the latest deadline that is due at `now`. A timer with the deadline `never` is never due.
constexpr time_point last_due(time_point now) noexcept {
    return std::min(now, never - nanoseconds(1));
}

/// A timer queue. It is not thread-safe.
/// - insert(t, now) adds t, which must not be armed; t.deadline must not change while t is armed. `now` is a
///   time that the clock has already reached. If insert() throws std::bad_alloc, t is not armed.
/// - erase(t) removes t, which must be armed.
/// - earliest() returns the earliest deadline, or `never` if the queue is empty. After an erase(), the result
///   may be too early; after expire(now), it is later than `now`.
/// - expire(now, ready) moves every timer with deadline <= last_due(now) to `ready`, with make_ready(), in
///   the order of the deadlines unless the queue documents another order. `now` must not decrease.
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
