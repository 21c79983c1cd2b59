// Timers for a loop that has very many and cancels most of them: a hierarchical wheel that is exact.
//
// A heap touches O(log n) timers, each a cache miss, to cancel one. A wheel puts a timer into a slot, by its
// deadline and roughly, and sorts it no further until its time comes near: most never need it. The usual
// wheels (Varghese and Lauck 1987) count ticks and fire early or late by up to one. This one rounds nothing:
// - Level 0 has slots of 1 ns, and each next level's are 8 times as wide. Every level has 64 of them, a ring
//   that starts at `base`, the last time that has been expired. A timer goes to the lowest level that reaches
//   its deadline, so its slot is no wider than about an eighth of the time it has still to wait.
// - Each slot knows a floor: no deadline in it is before that. The least floor is the next time to wake up.
//   So a timer in a year costs no wake-ups on its way: time passes its slot's beginning unnoticed.
// - When a slot's floor is reached, the slot is emptied: what is due is sorted and made ready, the rest is
//   placed anew, relative to now, on a lower level. A timer moves down four times in practice, and only if
//   nobody cancels it.
//
// What it costs. Arming and cancelling are O(1), but more than a push on a small heap: below some hundred
// timers a heap is the better queue. Expiry is amortised O(1), but comes in lumps: a slot is emptied at once,
// where a heap spreads its work evenly. After an erase() a floor may be too low, so that a loop wakes in
// vain; but only in a slot with many timers, and the wake-up empties that slot, so there are few. 32 KB a
// queue, and 17 bytes a timer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <utility>
#include <vector>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

namespace detail {

// A bag of timers that can be read without touching one: what the slots of the wheel are made of.
//
// Timers lie all over the memory, inside coroutine frames. To walk a linked list of a million of them is to
// wait for one cache miss after the other, and a wheel walks its lists several times. So a bag keeps the
// deadlines beside the pointers in arrays; a timer is only written to, and the processor does not wait for
// that. The arrays are chunks of four cache lines out of a pool that all bags share: an entry does not move
// because its bag grows, and what one bag no longer needs another can use.

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

    void release(timer_chunk& chunk) noexcept { chunk.next = std::exchange(unused_, &chunk); }

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
        pool.release(*std::exchange(newest, newest->next));
    }
};

// Sorting what is due, for the case that very much is due at once.
//
// For a million entries std::sort would cost more than everything else that happens to a timer. A radix sort
// makes one pass over the entries for each byte in which the deadlines differ: five, when they span a minute.
/// By deadline. `scratch` is what the sort may use as it likes; its memory is worth keeping. When there is no
/// memory for it, the sort is a slower one.
inline void sort_by_deadline(std::vector<timer_entry>& entries, std::vector<timer_entry>& scratch) noexcept {
    constexpr std::size_t few = 256;
    const auto has_scratch = [&]() noexcept {
        try {
            scratch.resize(entries.size());
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    };
    if (entries.size() < few || !has_scratch()) {
        std::sort(entries.begin(), entries.end(),
                  [](const timer_entry& a, const timer_entry& b) { return a.deadline < b.deadline; });
        return;
    }
    timer_ticks differing = 0;
    for (const timer_entry& e : entries) differing |= e.deadline ^ entries.front().deadline;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        const auto digit = [shift](timer_ticks value) {
            return static_cast<std::size_t>(value >> shift) & 0xFF;
        };
        if (digit(differing) == 0) continue;
        std::array<std::size_t, 257> place{};  // of the next entry with a digit
        for (const timer_entry& e : entries) ++place[digit(e.deadline) + 1];
        for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
        for (const timer_entry& e : entries) scratch[place[digit(e.deadline)]++] = e;
        entries.swap(scratch);
    }
}

}  // namespace detail

/// Expires in the order of deadlines; equal ones in any order. earliest() may be too early after an erase().
/// Memory is kept for as many timers as there ever were at once; when there is none to be had, insert()
/// throws std::bad_alloc, and expire() goes by no order.
class wheel_timers {
public:
    static constexpr bool ordered = true;

    void insert(timer& t, time_point now) {
        // Timers are placed by their distance from the last time that is known, and from one long ago all
        // would fall into one wide slot, to be placed again when the first of them is due.
        if (empty()) base_ = std::max(base_, detail::to_ticks(now));
        const ticks deadline = detail::to_ticks(t.deadline);
        put(slot_of(deadline), {deadline, &t});
        t.armed = true;
        soonest_ = std::min(soonest_, deadline);
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        const ticks deadline = detail::to_ticks(t.deadline);
        slot& s = slots_[t.place.stored.slot];
        s.timers.remove(t, pool_);
        if (s.floor == deadline) s.floor_erased = true;
        if (soonest_ == deadline) soonest_erased_ = true;
        if (s.timers.empty()) {
            mark_empty(t.place.stored.slot);
            soonest_erased_ = true;  // its floor may have been too low, and be the soonest all the same
        }
    }

    bool empty() const noexcept { return occupied_levels_ == 0; }

    time_point earliest() noexcept {
        if (soonest_erased_) find_soonest();
        return detail::to_time(soonest_);
    }

    void expire(time_point now, operation_queue& ready) noexcept {
        // A timer at `never` stays for ever. A clock that goes back is not believed.
        const ticks reached = std::max(base_, detail::to_ticks(std::min(now, never - nanoseconds(1))));
        const ticks previous_base = std::exchange(base_, reached);
        if (soonest_ > reached) return;
        // From below, because what is placed anew goes to levels below.
        for (std::uint64_t levels = occupied_levels_; levels != 0; levels &= levels - 1) {
            const auto level = static_cast<unsigned>(std::countr_zero(levels));
            while (occupied_slots_[level] != 0) {
                const std::size_t first = first_slot(level, previous_base);
                if (slots_[first].floor > reached) break;
                empty_slot(first, ready);
            }
        }
        find_soonest();
        detail::sort_by_deadline(due_, scratch_);
        release_due(ready);
    }

    /// How many timers there is memory for.
    std::size_t capacity() const noexcept { return pool_.chunks() * detail::timer_chunk::capacity; }

private:
    using ticks = detail::timer_ticks;

    static constexpr unsigned slot_bits = 6;  // of a level: one word has a bit for each slot
    static constexpr unsigned slots_per_level = 1U << slot_bits;
    static constexpr unsigned level_bits = 3;  // a level's slots are so much wider than the last one's
    static constexpr unsigned level_count = (64 - slot_bits + level_bits - 1) / level_bits + 1;
    static constexpr std::size_t prefetch_distance = 8;

    struct slot {
        detail::timer_bag timers;
        ticks floor = 0;            // meaningful while there are timers
        bool floor_erased = false;  // a timer at the floor was erased: it may be too low
    };

    /// The lowest level whose ring reaches `time`, which is not before the base.
    unsigned level_of(ticks time) const noexcept {
        const auto width = static_cast<unsigned>(std::bit_width(time - base_));
        unsigned level = width <= slot_bits ? 0 : (width - slot_bits + level_bits - 1) / level_bits;
        // The distance is less than the ring's length, but the base may stand in the midst of a slot.
        if (slot_number(time, level) - slot_number(base_, level) >= slots_per_level) ++level;
        return level;
    }

    static ticks slot_number(ticks time, unsigned level) noexcept { return time >> (level * level_bits); }

    std::size_t slot_of(ticks deadline) const noexcept {
        const ticks time = std::max(deadline, base_);  // the past is due at once: at the base
        const unsigned level = level_of(time);
        return level * slots_per_level + slot_number(time, level) % slots_per_level;
    }

    void put(std::size_t index, detail::timer_entry e) {
        slot& s = slots_[index];
        const bool was_empty = s.timers.empty();
        s.timers.add(e, pool_);
        e.subject->place.stored.slot = index;
        if (was_empty) {
            const std::size_t level = index / slots_per_level;
            occupied_slots_[level] |= std::uint64_t{1} << index % slots_per_level;
            occupied_levels_ |= std::uint64_t{1} << level;
            s.floor_erased = false;
        }
        s.floor = was_empty ? e.deadline : std::min(s.floor, e.deadline);
    }

    bool try_put(std::size_t index, detail::timer_entry e) noexcept {
        try {
            put(index, e);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    void mark_empty(std::size_t index) noexcept {
        const std::size_t level = index / slots_per_level;
        occupied_slots_[level] &= ~(std::uint64_t{1} << index % slots_per_level);
        if (occupied_slots_[level] == 0) occupied_levels_ &= ~(std::uint64_t{1} << level);
    }

    /// The ring's first slot with timers in it, going round from `base`. There must be one.
    std::size_t first_slot(unsigned level, ticks base) const noexcept {
        const auto start = static_cast<unsigned>(slot_number(base, level) % slots_per_level);
        const std::uint64_t from_start = std::rotr(occupied_slots_[level], static_cast<int>(start));
        const unsigned digit =
            (start + static_cast<unsigned>(std::countr_zero(from_start))) % slots_per_level;
        return level * slots_per_level + digit;
    }

    /// Puts what is due by the base into due_, and the rest on levels below. What finds no memory there stays
    /// in this slot, which lasts until its deadline.
    void empty_slot(std::size_t index, operation_queue& ready) noexcept {
        detail::timer_chunk* chunk = std::exchange(slots_[index].timers.newest, nullptr);
        detail::timer_chunk* staying = nullptr;
        mark_empty(index);
        while (chunk != nullptr) {
            detail::timer_chunk& emptied = *std::exchange(chunk, chunk->next);
            std::size_t left = 0;
            for (std::size_t i = 0; i < emptied.used; ++i) {
                const detail::timer_entry e = emptied.entries[i];
                if (e.deadline <= base_) {
                    add_due(e, ready);
                } else if (!try_put(slot_of(e.deadline), e)) {
                    emptied.entries[left++] = e;
                }
            }
            if (left == 0) {
                pool_.release(emptied);
            } else {
                emptied.used = left;
                emptied.next = std::exchange(staying, &emptied);
            }
        }
        while (staying != nullptr) {
            const detail::timer_chunk back = *staying;
            pool_.release(*std::exchange(staying, staying->next));  // so there is memory to put them back
            for (std::size_t i = 0; i < back.used; ++i) put(index, back.entries[i]);
        }
    }

    void add_due(detail::timer_entry e, operation_queue& ready) noexcept {
        try {
            due_.push_back(e);
        } catch (const std::bad_alloc&) {
            make_ready(*e.subject, ready);  // out of order, but in time
        }
    }

    static void make_ready(timer& t, operation_queue& ready) noexcept {
        t.armed = false;
        ready.push(t);
    }

    void release_due(operation_queue& ready) noexcept {
        for (std::size_t i = 0; i < due_.size(); ++i) {
            if (i + prefetch_distance < due_.size())
                __builtin_prefetch(due_[i + prefetch_distance].subject, 1);
            make_ready(*due_[i].subject, ready);
        }
        due_.clear();
    }

    void find_soonest() noexcept {
        soonest_erased_ = false;
        soonest_ = detail::to_ticks(never);
        for (std::uint64_t levels = occupied_levels_; levels != 0; levels &= levels - 1) {
            slot& s = slots_[first_slot(static_cast<unsigned>(std::countr_zero(levels)), base_)];
            if (s.floor_erased) correct_floor(s);
            soonest_ = std::min(soonest_, s.floor);
        }
    }

    /// Once after an erase, and only for a few timers: else a wake-up in vain is the cheaper way.
    static void correct_floor(slot& s) noexcept {
        s.floor_erased = false;
        ticks floor = detail::to_ticks(never);
        int chunks_left = 4;
        for (const detail::timer_chunk* chunk = s.timers.newest; chunk != nullptr; chunk = chunk->next) {
            if (chunks_left-- == 0) return;
            for (std::size_t i = 0; i < chunk->used; ++i) floor = std::min(floor, chunk->entries[i].deadline);
        }
        s.floor = floor;
    }

    ticks base_ = 0;
    ticks soonest_ = detail::to_ticks(never);                     // no deadline is before this
    bool soonest_erased_ = false;                                 // it may be too low
    std::uint64_t occupied_levels_ = 0;                           // bit l: level l has an occupied slot
    std::array<std::uint64_t, level_count> occupied_slots_ = {};  // bit d: slot d of the level is not empty
    std::array<slot, level_count * slots_per_level> slots_;
    detail::timer_chunk_pool pool_;
    std::vector<detail::timer_entry> due_;
    std::vector<detail::timer_entry> scratch_;
};

static_assert(TimerQueue<wheel_timers>);

}  // namespace loopbench::loop
