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
#include <utility>
#include <vector>

#include "loop/timers/deadline_sort.hpp"
#include "loop/timers/timer.hpp"
#include "loop/timers/timer_bag.hpp"

namespace loopbench::loop {

/// Expires in the order of deadlines; equal ones in any order. earliest() may be too early after an erase().
/// Memory is kept for as many timers as there ever were at once; when there is none to be had, insert()
/// throws std::bad_alloc, and expire() ends the program.
class wheel_timers {
public:
    static constexpr bool ordered = true;

    void insert(timer& t) {
        const ticks deadline = detail::to_ticks(t.deadline);
        place({deadline, &t});
        t.armed = true;
        soonest_ = std::min(soonest_, deadline);
    }

    /// What time it is, for a wheel that is empty and may not have been looked at for long (a new one never
    /// was): timers are placed by their distance from the last time that it knows, and from one long ago all
    /// would fall into one wide slot, to be placed again when the first of them is due.
    void start_at(time_point now) noexcept {
        if (empty()) base_ = std::max(base_, detail::to_ticks(now));
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        const ticks deadline = detail::to_ticks(t.deadline);
        slot& s = slots_[t.place.stored.slot];
        s.timers.remove(t, pool_);
        if (s.timers.empty()) mark_empty(t.place.stored.slot);
        if (s.floor == deadline) s.floor_erased = true;
        if (soonest_ == deadline) soonest_erased_ = true;
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
                empty_slot(first);
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

    void place(detail::timer_entry e) {
        const ticks time = std::max(e.deadline, base_);  // the past is due at once: at the base
        const unsigned level = level_of(time);
        const auto digit = static_cast<unsigned>(slot_number(time, level) % slots_per_level);
        const std::size_t index = level * slots_per_level + digit;
        slot& s = slots_[index];
        const bool was_empty = s.timers.empty();
        s.timers.add(e, pool_);
        e.subject->place.stored.slot = index;
        if (was_empty) {
            occupied_slots_[level] |= std::uint64_t{1} << digit;
            occupied_levels_ |= std::uint64_t{1} << level;
            s.floor_erased = false;
        }
        s.floor = was_empty ? e.deadline : std::min(s.floor, e.deadline);
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

    /// Puts what is due by the base into due_, and the rest elsewhere.
    void empty_slot(std::size_t index) noexcept {
        detail::timer_chunk* chunk = std::exchange(slots_[index].timers.newest, nullptr);
        mark_empty(index);
        while (chunk != nullptr) {
            for (std::size_t i = 0; i < chunk->used; ++i) {
                const detail::timer_entry& e = chunk->entries[i];
                if (e.deadline <= base_) {
                    due_.push_back(e);
                } else {
                    place(e);
                }
            }
            pool_.give_back(*std::exchange(chunk, chunk->next));
        }
    }

    void release_due(operation_queue& ready) noexcept {
        for (std::size_t i = 0; i < due_.size(); ++i) {
            if (i + prefetch_distance < due_.size())
                __builtin_prefetch(due_[i + prefetch_distance].subject, 1);
            timer& t = *due_[i].subject;
            t.armed = false;
            ready.push(t);
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
