// Timers for a loop that has very many and cancels most of them: a hierarchical wheel that is exact.
//
// A heap touches O(log n) timers, each a cache miss, to cancel one. A wheel puts a timer into a slot, roughly
// by its deadline, and sorts it no further until its time comes near: most never need it. The usual wheels
// (Varghese and Lauck 1987) count ticks and fire early or late by up to one. This one rounds nothing:
// - Times are numbers to the base of 64, the last digit counting nanoseconds. There is a level for each
//   digit, with a slot for each value. A timer goes to the level of the first digit in which its deadline
//   differs from `base`, the last time that has been expired, and there to the slot of that digit. So each
//   level is in order, and stays so while `base` grows.
// - Each slot knows a floor: no deadline in it is before that. The least floor is the next time to wake up.
//   So a timer in a year costs no wake-ups on its way: time passes its slot's beginning unnoticed.
// - When a slot's floor is reached, the slot is emptied: what is due is sorted and made ready, the rest is
//   placed anew, relative to now, on a lower level. A timer moves down a few times, unless it is cancelled.
//
// What it costs. Arming and cancelling are O(1), but more than a push on a small heap: below some hundred
// timers a heap is the better queue. Expiry is amortised O(1), but comes in lumps: a slot is emptied at once,
// where a heap spreads its work evenly. After an erase() a floor may be too low, so that a loop wakes in
// vain; but only in a slot with many timers, which is emptied then. 17 KB a queue, and 17 bytes a timer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <vector>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

namespace detail {

struct timer_entry {
    nanoseconds deadline;  // since the clock's epoch
    timer* subject;
};

struct timer_chunk : recycled {
    static constexpr std::size_t capacity = 15;

    timer_chunk* next;
    std::size_t used;
    std::array<timer_entry, capacity> entries;
};
static_assert(sizeof(timer_chunk) == 256);

/// Timers in no order, which can be read without touching one.
///
/// They lie all over the memory, inside coroutine frames. To walk a linked list of a million of them is to
/// wait for one cache miss after the other, and a wheel walks its lists several times. So a slot keeps the
/// deadlines beside the pointers in arrays; a timer is only written to, and the processor does not wait for
/// that. The arrays are chunks of four cache lines out of recycled memory: an entry does not move because its
/// slot grows, and what one slot no longer needs another can use.
struct timer_slot {
    timer_chunk* newest = nullptr;           // no chunk is empty
    nanoseconds floor = nanoseconds::max();  // no deadline is before this
    bool floor_erased = false;               // a timer at the floor was erased: it may be too low

    bool empty() const noexcept { return newest == nullptr; }

    void add(timer_entry added) {
        if (newest == nullptr || newest->used == timer_chunk::capacity) {
            auto* const chunk = new timer_chunk;
            chunk->used = 0;
            chunk->next = std::exchange(newest, chunk);
        }
        place(newest->entries[newest->used++], added);
        floor = std::min(floor, added.deadline);
    }

    static void place(timer_entry& here, timer_entry placed) noexcept {
        here = placed;
        placed.subject->place.stored.entry = &here;
    }

    /// Once after an erase, and only for a few timers: else a wake-up in vain is the cheaper way.
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

/// Whether `use` found the memory that it needs.
template <class Use>
bool has_memory_for(Use use) noexcept {
    try {
        use();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

/// Counted from the least time: the digits of negative numbers would be in no order.
constexpr std::uint64_t digits_of(nanoseconds time) noexcept {
    return static_cast<std::uint64_t>(time.count()) ^ (std::uint64_t{1} << 63);
}

/// Very much may be due at once: for a million entries std::sort would cost more than everything else that
/// happens to a timer. This radix sort makes one pass over the entries for each byte in which the deadlines
/// differ: five, when they span a minute. `scratch` is what it may use as it likes; its memory is worth
/// keeping. When there is no memory for it, the sort is a slower one.
inline void sort_by_deadline(std::vector<timer_entry>& entries, std::vector<timer_entry>& scratch) noexcept {
    constexpr std::size_t few = 256;
    if (entries.size() < few || !has_memory_for([&] { scratch.resize(entries.size()); })) {
        std::ranges::sort(entries, {}, &timer_entry::deadline);
        return;
    }
    std::uint64_t differing = 0;
    for (const timer_entry& e : entries)
        differing |= digits_of(e.deadline) ^ digits_of(entries.front().deadline);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        const auto digit = [shift](std::uint64_t digits) { return digits >> shift & 0xFF; };
        if (digit(differing) == 0) continue;
        std::array<std::size_t, 257> place{};  // of the next entry with a digit
        for (const timer_entry& e : entries) ++place[digit(digits_of(e.deadline)) + 1];
        for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
        for (const timer_entry& e : entries) scratch[place[digit(digits_of(e.deadline))]++] = e;
        entries.swap(scratch);
    }
}

}  // namespace detail

/// Expires in the order of deadlines; equal ones in any order. earliest() may be too early after an erase().
/// Memory is kept for as many as were ever due at once; when there is none to be had, insert() throws
/// std::bad_alloc, and expire() goes by no order.
class wheel_timers {
public:
    wheel_timers& operator=(wheel_timers&&) = delete;
    ~wheel_timers() {
        for (slot& each : slots_) {
            while (!each.empty()) delete std::exchange(each.newest, each.newest->next);
        }
    }

    void insert(timer& t, time_point now) {
        // From a time long ago all would differ in one high digit, and be placed again when the first is due.
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
        base_ = std::max(base_, last_due(now).time_since_epoch());  // a clock that goes back is not believed
        if (soonest_ > base_) return;
        // From below, because what is placed anew goes to levels below.
        for (std::uint64_t levels = occupied_levels_; levels != 0; levels &= levels - 1) {
            const auto level = static_cast<unsigned>(std::countr_zero(levels));
            while (occupied_slots_[level] != 0 && slots_[first_slot(level)].floor <= base_)
                empty_slot(first_slot(level), ready);
        }
        find_soonest();
        detail::sort_by_deadline(due_, scratch_);
        for (std::size_t i = 0; i < due_.size(); ++i) {
            timer* const later =
                i + prefetch_distance < due_.size() ? due_[i + prefetch_distance].subject : nullptr;
            if (later != nullptr) __builtin_prefetch(later, 1);
            make_ready(*due_[i].subject, ready, later);
        }
        due_.clear();
    }

private:
    using slot = detail::timer_slot;

    static constexpr unsigned digit_bits = 6;  // one word has a bit for each slot of a level
    static constexpr unsigned slots_per_level = 1U << digit_bits;
    static constexpr unsigned level_count = (64 + digit_bits - 1) / digit_bits;
    static constexpr std::size_t prefetch_distance = 16;

    void put(detail::timer_entry e) {
        const std::uint64_t base = detail::digits_of(base_);
        const std::uint64_t time = detail::digits_of(e.deadline);
        const unsigned level = static_cast<unsigned>(std::bit_width((time ^ base) | 1) - 1) / digit_bits;
        const std::size_t index = level * slots_per_level + (time >> (level * digit_bits)) % slots_per_level;
        slots_[index].add(e);
        e.subject->place.stored.slot = index;
        mark_occupied(index);
    }

    void mark_occupied(std::size_t index) noexcept {
        const std::size_t level = index / slots_per_level;
        occupied_slots_[level] |= std::uint64_t{1} << index % slots_per_level;
        occupied_levels_ |= std::uint64_t{1} << level;
    }

    // Apart, so that erase() has no registers to save.
    [[gnu::noinline]] void drop_newest_chunk(std::size_t index) noexcept {
        slot& s = slots_[index];
        const detail::timer_chunk& drained = *s.newest;
        s.newest = drained.next;
        delete &drained;
        if (!s.empty()) return;
        mark_empty(index);
        soonest_erased_ = true;  // the slot's floor may have been too low, and be the soonest all the same
    }

    void mark_empty(std::size_t index) noexcept {
        slots_[index] = {};
        const std::size_t level = index / slots_per_level;
        occupied_slots_[level] &= ~(std::uint64_t{1} << index % slots_per_level);
        if (occupied_slots_[level] == 0) occupied_levels_ &= ~(std::uint64_t{1} << level);
    }

    /// The level's first slot with timers in it. There must be one.
    std::size_t first_slot(unsigned level) const noexcept {
        return level * slots_per_level + static_cast<unsigned>(std::countr_zero(occupied_slots_[level]));
    }

    /// Puts what is due by the base into due_, and the rest on levels below. What finds no memory there stays
    /// in this slot, which lasts until its deadline.
    void empty_slot(std::size_t index, operation_queue& ready) noexcept {
        detail::timer_chunk* next = slots_[index].newest;
        mark_empty(index);
        while (next != nullptr) {
            detail::timer_chunk& chunk = *std::exchange(next, next->next);
            std::size_t left = 0;
            for (std::size_t i = 0; i < chunk.used; ++i) {
                const detail::timer_entry e = chunk.entries[i];
                if (e.deadline <= base_) {
                    if (!detail::has_memory_for([&] { due_.push_back(e); }))
                        make_ready(*e.subject, ready);  // out of order, but in time
                } else if (!detail::has_memory_for([&] { put(e); })) {
                    slot::place(chunk.entries[left++], e);
                    slots_[index].floor = std::min(slots_[index].floor, e.deadline);
                }
            }
            if (left == 0) {
                delete &chunk;
            } else {
                chunk.used = left;
                chunk.next = std::exchange(slots_[index].newest, &chunk);
                mark_occupied(index);
            }
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
    nanoseconds soonest_ = nanoseconds::max();                    // no deadline is before this
    bool soonest_erased_ = false;                                 // it may be too low
    std::uint64_t occupied_levels_ = 0;                           // bit l: level l has an occupied slot
    std::array<std::uint64_t, level_count> occupied_slots_ = {};  // bit d: slot d of the level is not empty
    std::array<slot, level_count * slots_per_level> slots_;
    std::vector<detail::timer_entry> due_;
    std::vector<detail::timer_entry> scratch_;
};

}  // namespace loopbench::loop
