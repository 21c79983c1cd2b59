// The timing wheel is hierarchical and exact, for loops that have very many timers and cancel most of them.
// To cancel a timer, a heap accesses O(log n) timers, and each access is a cache miss; a wheel puts a timer
// into a slot according to its approximate deadline, and sorts the timer further only when the deadline is
// near. The usual wheels (Varghese and Lauck 1987) count ticks, and timers fire up to one tick early or late.
// This wheel does not round deadlines:
// - Times are written as numbers in base 64; the unit is 1 ns. There is a level for each digit, and each
//   level has a slot for each value of the digit. `base` is the latest time up to which all timers have
//   expired. The most significant digit in which a deadline differs from `base` determines the level, and the
//   value of that digit determines the slot. Therefore the slots of each level are in order.
// - Each slot has a floor, which is a lower bound of its deadlines. The lowest floor is the next time to wake
//   up.
// - When the time reaches a slot's floor, the due timers are sorted and become ready; each other timer is
//   placed again, on a lower level.
//
// Arming and cancelling take O(1), but below a few hundred timers, a heap is the better queue. Expiry takes
// amortised O(1), but empties a whole slot at once. After an erase(), a floor may be too low, so that the
// loop wakes without a due timer. The wheel needs 17 KB of memory per queue, and 18 bytes per timer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

namespace detail {

struct timer_entry {
    nanoseconds deadline;  // since the clock's epoch
    timer* subject;
};

struct timer_chunk {
    static constexpr std::size_t capacity = 15;

    timer_chunk* next;
    std::size_t used;
    std::array<timer_entry, capacity> entries;
};
static_assert(sizeof(timer_chunk) == 256);

struct timer_row {
    timer_chunk* first = nullptr;
    timer_chunk* last = nullptr;

    void append(timer_row added) noexcept {
        if (added.first == nullptr) return;
        (first == nullptr ? first : last->next) = added.first;
        last = added.last;
    }
    void append(timer_chunk& added) noexcept {
        added.next = nullptr;
        append({&added, &added});
    }
};

/// The memory of one queue's chunks. A queue does not give this memory back before its end, because it will
/// probably have as many timers again. Chunks come in slabs with whole pairs of cache lines, because
/// processors also fetch the neighbour of a line (Intel 64 and IA-32 Architectures Optimization Reference
/// Manual, "Data Prefetching": the spatial prefetcher). If queues in different threads shared such a pair,
/// they would slow each other down, even though they share no data.
class chunk_store {
public:
    static constexpr std::size_t chunks_per_slab = 15;

    chunk_store() = default;
    chunk_store& operator=(chunk_store&&) = delete;
    ~chunk_store() {
        while (newest_slab_ != nullptr) delete std::exchange(newest_slab_, newest_slab_->older);
    }

    /// Returns a chunk without entries. Throws std::bad_alloc.
    timer_chunk& take() {
        if (free_ == nullptr) [[unlikely]]
            add_slab();
        timer_chunk& taken = *std::exchange(free_, free_->next);
        --free_count_;
        taken.used = 0;
        return taken;
    }
    void give(timer_chunk& chunk) noexcept {
        chunk.next = std::exchange(free_, &chunk);
        ++free_count_;
    }
    /// Gets the memory for `count` calls of take(). Throws std::bad_alloc.
    void reserve(std::size_t count) {
        while (free_count_ < count) add_slab();
    }

private:
    static constexpr std::size_t line_pair_bytes = 128;
    struct alignas(line_pair_bytes) slab {
        slab* older;
        alignas(line_pair_bytes) std::array<timer_chunk, chunks_per_slab> chunks;
    };
    static_assert(sizeof(slab) == 3968);

    [[gnu::noinline]] void add_slab() {
        auto* const added = new slab;
        added->older = std::exchange(newest_slab_, added);
        for (timer_chunk& each : added->chunks) give(each);
    }

    slab* newest_slab_ = nullptr;
    timer_chunk* free_ = nullptr;
    std::size_t free_count_ = 0;
};

/// An unordered set of timers that can be scanned without access to the timers. The timers are scattered over
/// the memory, and each step along a linked list of timers would wait for a cache miss. The slot only writes
/// to the timers, which is fast, because the processor does not wait for writes. The entries are in chunks,
/// so that an entry does not move when its slot grows, and other slots can reuse a chunk.
struct timer_slot {
    timer_chunk* newest = nullptr;
    nanoseconds floor = nanoseconds::max();
    bool floor_erased = false;

    bool empty() const noexcept { return newest == nullptr; }

    void add(timer_entry added, chunk_store& from) {
        if (newest == nullptr || newest->used == timer_chunk::capacity) {
            timer_chunk& chunk = from.take();
            chunk.next = std::exchange(newest, &chunk);
        }
        place(newest->entries[newest->used++], added);
        floor = std::min(floor, added.deadline);
    }

    static void place(timer_entry& here, timer_entry placed) noexcept {
        here = placed;
        placed.subject->place.stored.entry = &here;
    }

    /// Corrects the floor, which may be too low after an erase, if the slot has at most four chunks; with
    /// more chunks, the correction would cost more than an unnecessary wake-up.
    void correct_floor() noexcept {
        floor_erased = false;
        nanoseconds least = nanoseconds::max();
        int chunks_left = 4;
        for (const timer_chunk* chunk = newest; chunk != nullptr; chunk = chunk->next) {
            if (chunks_left-- == 0) return;
            for (std::size_t i = 0; i < chunk->used; ++i) least = std::min(least, chunk->entries[i].deadline);
        }
        floor = least;
    }
};

template <class Use>
bool has_memory_for(Use use) noexcept {
    try {
        use();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

/// Returns the time as a number that counts from the earliest possible time, because the digits of negative
/// numbers would be in the wrong order.
constexpr std::uint64_t digits_of(nanoseconds time) noexcept {
    return static_cast<std::uint64_t>(time.count()) ^ (std::uint64_t{1} << 63);
}

inline void fetch(const timer_chunk* chunk) noexcept {
    constexpr std::size_t line_bytes = 64;
    for (std::size_t at = 0; chunk != nullptr && at < sizeof *chunk; at += line_bytes)
        __builtin_prefetch(reinterpret_cast<const char*>(chunk) + at, 1);
}

/// Sorts the entries by deadline; if there is not enough memory, the entries stay unsorted. For a million
/// entries, std::sort would take longer than all other work on the timers together. This radix sort moves the
/// entries once for each byte in which the deadlines differ (five times if the deadlines span a minute). It
/// moves the entries from chunk to chunk, with 128 KB of further chunks, which the queue then keeps. New
/// arrays instead of chunks would cause a page fault for each page; on machines with slow page faults, the
/// sort would take 2 to 4.5 times as long (docs/performance.md).
inline void sort_by_deadline(timer_row& entries, chunk_store& spare) noexcept {
    std::size_t count = 0;
    std::uint64_t differing = 0;
    for (const timer_chunk* chunk = entries.first; chunk != nullptr; chunk = chunk->next) {
        count += chunk->used;
        for (std::size_t i = 0; i < chunk->used; ++i)
            differing |=
                digits_of(chunk->entries[i].deadline) ^ digits_of(entries.first->entries[0].deadline);
    }
    constexpr std::size_t few = 512;
    if (count <= few) {
        std::array<timer_entry, few> all;
        auto end = all.begin();
        for (const timer_chunk* chunk = entries.first; chunk != nullptr; chunk = chunk->next)
            end = std::copy_n(chunk->entries.begin(), chunk->used, end);
        std::ranges::sort(all.begin(), end, {}, &timer_entry::deadline);
        auto next = all.begin();
        for (timer_chunk* chunk = entries.first; chunk != nullptr; chunk = chunk->next) {
            std::copy_n(next, chunk->used, chunk->entries.begin());
            next += static_cast<std::ptrdiff_t>(chunk->used);
        }
        return;
    }
    // Each pass of the radix sort moves the entries into one row per value of a byte, and reuses the chunks
    // that it has emptied. 2 * 256 + 1 spare chunks are enough for every pass, because only the following
    // chunks are not full: the chunk that the pass is emptying, the last chunk of each of its 256 rows, and
    // the last chunk of each of the 256 rows of the previous pass.
    constexpr std::size_t digits = 256;
    if (!has_memory_for([&] { spare.reserve(2 * digits + 1); })) return;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((differing >> shift) % digits == 0) continue;
        std::array<timer_row, digits> with_digit;
        for (timer_chunk* next = std::exchange(entries, {}).first; next != nullptr;) {
            timer_chunk& chunk = *std::exchange(next, next->next);
            fetch(next);
            for (std::size_t i = 0; i < chunk.used; ++i) {
                const timer_entry e = chunk.entries[i];
                timer_row& row = with_digit[(digits_of(e.deadline) >> shift) % digits];
                if (row.first == nullptr || row.last->used == timer_chunk::capacity) row.append(spare.take());
                row.last->entries[row.last->used++] = e;
            }
            spare.give(chunk);
        }
        for (const timer_row& row : with_digit) entries.append(row);
    }
}

}  // namespace detail

/// A timer queue that expires timers in the order of their deadlines, and timers with equal deadlines in no
/// particular order. If there is not enough memory, insert() throws std::bad_alloc, and expire() may use any
/// order.
class wheel_timers {
public:
    wheel_timers& operator=(wheel_timers&&) = delete;

    void insert(timer& t, time_point now) {
        // If `base_` were far in the past, all deadlines would differ from it in the same high digit, and all
        // timers would have to be placed again when the first timer is due.
        if (empty()) base_ = std::max(base_, now.time_since_epoch());
        put({t.deadline.time_since_epoch(), &t});
        t.armed = true;
        soonest_ = std::min(soonest_, t.deadline.time_since_epoch());
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        slot& s = slots_[t.place.stored.slot];
        auto& hole = *static_cast<detail::timer_entry*>(t.place.stored.entry);
        if (hole.deadline == soonest_) soonest_erased_ = true;
        if (hole.deadline == s.floor) s.floor_erased = true;
        slot::place(hole, s.newest->entries[--s.newest->used]);
        if (s.newest->used == 0) drop_newest_chunk(t.place.stored.slot);
    }

    bool empty() const noexcept { return occupied_levels_ == 0; }

    time_point earliest() noexcept {
        if (soonest_erased_) find_soonest();
        return time_point(soonest_);
    }

    void expire(time_point now, operation_queue& ready) noexcept {
        base_ = std::max(base_, last_due(now).time_since_epoch());
        if (soonest_ > base_) return;
        detail::timer_row due;
        // The lowest level is handled first: emptying a slot places its remaining timers on lower levels, and
        // these timers need no second check, because they are not due.
        for (std::uint64_t levels = occupied_levels_; levels != 0; levels &= levels - 1) {
            const auto level = static_cast<unsigned>(std::countr_zero(levels));
            while (occupied_slots_[level] != 0 && slots_[first_slot(level)].floor <= base_)
                empty_slot(first_slot(level), due, ready);
        }
        find_soonest();
        if (due.first == nullptr) return;
        detail::sort_by_deadline(due, chunks_);
        make_ready_all(due, ready);
    }

private:
    using slot = detail::timer_slot;

    static constexpr unsigned digit_bits = 6;  // one 64-bit word has a bit for each slot of a level
    static constexpr unsigned slots_per_level = 1U << digit_bits;
    static constexpr unsigned level_count = (64 + digit_bits - 1) / digit_bits;
    static constexpr std::size_t prefetch_distance = 16;

    void put(detail::timer_entry e) {
        const std::uint64_t base = detail::digits_of(base_);
        const std::uint64_t time = detail::digits_of(e.deadline);
        const unsigned level = static_cast<unsigned>(std::bit_width((time ^ base) | 1) - 1) / digit_bits;
        const std::size_t index = level * slots_per_level + (time >> (level * digit_bits)) % slots_per_level;
        slots_[index].add(e, chunks_);
        e.subject->place.stored.slot = index;
        mark_occupied(index);
    }

    void mark_occupied(std::size_t index) noexcept {
        const std::size_t level = index / slots_per_level;
        occupied_slots_[level] |= std::uint64_t{1} << index % slots_per_level;
        occupied_levels_ |= std::uint64_t{1} << level;
    }

    // Frees the slot's newest chunk. Not inlined, so that erase() does not have to save registers for the
    // call.
    [[gnu::noinline]] void drop_newest_chunk(std::size_t index) noexcept {
        slot& s = slots_[index];
        detail::timer_chunk& drained = *s.newest;
        s.newest = drained.next;
        chunks_.give(drained);
        if (!s.empty()) return;
        mark_empty(index);
        soonest_erased_ = true;  // soonest_ may be this slot's floor, which can be below all its deadlines
    }

    void mark_empty(std::size_t index) noexcept {
        slots_[index] = {};
        const std::size_t level = index / slots_per_level;
        occupied_slots_[level] &= ~(std::uint64_t{1} << index % slots_per_level);
        if (occupied_slots_[level] == 0) occupied_levels_ &= ~(std::uint64_t{1} << level);
    }

    std::size_t first_slot(unsigned level) const noexcept {
        return level * slots_per_level + static_cast<unsigned>(std::countr_zero(occupied_slots_[level]));
    }

    /// Moves the due timers of the slot to `due`, and the other timers to lower levels. If there is no memory
    /// to move a timer, the timer stays in this slot, whose time range includes its deadline. In this case,
    /// the due timers of the same chunk become ready immediately.
    void empty_slot(std::size_t index, detail::timer_row& due, operation_queue& ready) noexcept {
        detail::timer_chunk* next = slots_[index].newest;
        mark_empty(index);
        while (next != nullptr) {
            detail::timer_chunk& chunk = *std::exchange(next, next->next);
            detail::fetch(next);
            std::array<detail::timer_entry, detail::timer_chunk::capacity> stuck;
            std::size_t due_count = 0, stuck_count = 0;
            for (std::size_t i = 0; i < chunk.used; ++i) {
                const detail::timer_entry e = chunk.entries[i];
                if (e.deadline <= base_) {
                    chunk.entries[due_count++] = e;
                } else if (!detail::has_memory_for([&] { put(e); })) {
                    stuck[stuck_count++] = e;
                }
            }
            if (stuck_count != 0) [[unlikely]] {
                for (std::size_t i = 0; i < due_count; ++i) make_ready(*chunk.entries[i].subject, ready);
                for (std::size_t i = 0; i < stuck_count; ++i) {
                    slot::place(chunk.entries[i], stuck[i]);
                    slots_[index].floor = std::min(slots_[index].floor, stuck[i].deadline);
                }
                chunk.used = stuck_count;
                chunk.next = std::exchange(slots_[index].newest, &chunk);
                mark_occupied(index);
            } else if (due_count != 0) {
                chunk.used = due_count;
                due.append(chunk);
            } else {
                chunks_.give(chunk);
            }
        }
    }

    void make_ready_all(detail::timer_row due, operation_queue& ready) noexcept {
        const detail::timer_chunk* fetched_from = due.first;
        std::size_t fetched = 0;
        const auto fetch_next = [&]() -> timer* {
            if (fetched_from == nullptr) return nullptr;
            timer* const next = fetched_from->entries[fetched].subject;
            if (++fetched == fetched_from->used) {
                fetched_from = fetched_from->next;
                fetched = 0;
                detail::fetch(fetched_from);
            }
            __builtin_prefetch(next, 1);
            return next;
        };
        for (std::size_t i = 0; i < prefetch_distance; ++i) fetch_next();
        for (detail::timer_chunk* next = due.first; next != nullptr;) {
            detail::timer_chunk& chunk = *std::exchange(next, next->next);
            for (std::size_t i = 0; i < chunk.used; ++i)
                make_ready(*chunk.entries[i].subject, ready, fetch_next());
            chunks_.give(chunk);
        }
    }

    void find_soonest() noexcept {
        soonest_erased_ = false;
        soonest_ = nanoseconds::max();
        for (std::uint64_t levels = occupied_levels_; levels != 0; levels &= levels - 1) {
            slot& s = slots_[first_slot(static_cast<unsigned>(std::countr_zero(levels)))];
            if (s.floor_erased) s.correct_floor();
            soonest_ = std::min(soonest_, s.floor);
        }
    }

    nanoseconds base_ = nanoseconds::min();
    nanoseconds soonest_ = nanoseconds::max();
    bool soonest_erased_ = false;
    std::uint64_t occupied_levels_ = 0;
    std::array<std::uint64_t, level_count> occupied_slots_ = {};
    std::array<slot, level_count * slots_per_level> slots_;
    detail::chunk_store chunks_;
};

}  // namespace loopbench::loop
