// A bag of timers that can be read without touching one: what the slots of the wheel are made of.
//
// Timers lie all over the memory, inside coroutine frames. To walk a linked list of a million of them is to
// wait for one cache miss after the other, and a wheel walks its lists several times. So a bag keeps the
// deadlines beside the pointers in arrays; a timer is only written to, and the processor does not wait for
// that. The arrays are chunks of four cache lines out of a pool that all bags share: an entry does not move
// because its bag grows, and what one bag no longer needs another can use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "loop/timers/timer.hpp"

namespace loopbench::loop::detail {

/// Nanoseconds, counted from the least time_point: the digits of negative numbers would be in no order.
using timer_ticks = std::uint64_t;

inline constexpr timer_ticks ticks_sign_bit = timer_ticks{1} << 63;

constexpr timer_ticks to_ticks(time_point time) noexcept {
    return static_cast<timer_ticks>(time.time_since_epoch().count()) ^ ticks_sign_bit;
}

constexpr time_point to_time(timer_ticks ticks) noexcept {
    return time_point(nanoseconds(static_cast<std::int64_t>(ticks ^ ticks_sign_bit)));
}

struct timer_entry {
    timer_ticks deadline;
    timer* subject;
};

struct timer_chunk {
    static constexpr std::size_t capacity = 15;

    timer_chunk* next;  // of the same bag, or of the pool
    std::size_t used;
    std::array<timer_entry, capacity> entries;
};
static_assert(sizeof(timer_chunk) == 256);

/// Chunks are recycled and not given back: as many as there ever were in use at once.
class timer_chunk_pool {
public:
    timer_chunk_pool() = default;
    timer_chunk_pool(const timer_chunk_pool&) = delete;
    timer_chunk_pool& operator=(const timer_chunk_pool&) = delete;

    timer_chunk& take() {
        if (unused_ == nullptr) return storage_.emplace_back();
        return *std::exchange(unused_, unused_->next);
    }

    void give_back(timer_chunk& chunk) noexcept { chunk.next = std::exchange(unused_, &chunk); }

    std::size_t chunks() const noexcept { return storage_.size(); }

private:
    std::deque<timer_chunk> storage_;
    timer_chunk* unused_ = nullptr;
};

/// In no order. It writes to place.stored.entry of its timers; place.stored.slot is its owner's.
struct timer_bag {
    timer_chunk* newest = nullptr;  // never empty; the others are full

    bool empty() const noexcept { return newest == nullptr; }

    void add(timer_entry added, timer_chunk_pool& pool) {
        if (newest == nullptr || newest->used == timer_chunk::capacity) {
            timer_chunk& chunk = pool.take();
            chunk.next = std::exchange(newest, &chunk);
            chunk.used = 0;
        }
        timer_entry& here = newest->entries[newest->used++];
        here = added;
        added.subject->place.stored.entry = &here;
    }

    void remove(timer& t, timer_chunk_pool& pool) noexcept {
        auto& hole = *static_cast<timer_entry*>(t.place.stored.entry);
        hole = newest->entries[--newest->used];
        hole.subject->place.stored.entry = &hole;
        if (newest->used != 0) return;
        pool.give_back(*std::exchange(newest, newest->next));
    }
};

}  // namespace loopbench::loop::detail
