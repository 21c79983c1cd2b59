// A binary heap whose timers know their index, so that one can be erased without a search: the queue of a
// textbook, and of Boost.Asio. O(log n) for everything but earliest().
#pragma once

#include <cstddef>
#include <vector>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// The deadline stands beside the pointer, so that sifting does not touch the timers. Equal deadlines expire
/// in any order.
class heap_timers {
public:
    static constexpr bool ordered = true;

    void insert(timer& t, time_point) {
        entries_.push_back({t.deadline, &t});
        t.armed = true;
        sift_up(entries_.size() - 1);
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        const std::size_t hole = t.place.index;
        const entry last = entries_.back();
        entries_.pop_back();
        if (hole == entries_.size()) return;
        put(hole, last);
        sift_up(hole);
        sift_down(last.subject->place.index);
    }

    bool empty() const noexcept { return entries_.empty(); }
    time_point earliest() const noexcept { return entries_.empty() ? never : entries_.front().deadline; }

    void expire(time_point now, operation_queue& ready) noexcept {
        while (!entries_.empty() && entries_.front().deadline <= now && entries_.front().deadline != never) {
            timer& due = *entries_.front().subject;
            erase(due);
            ready.push(due);
        }
    }

private:
    struct entry {
        time_point deadline;
        timer* subject;
    };

    void put(std::size_t index, const entry& e) noexcept {
        entries_[index] = e;
        e.subject->place.index = index;
    }

    void sift_up(std::size_t index) noexcept {
        const entry moving = entries_[index];
        while (index > 0) {
            const std::size_t parent = (index - 1) / 2;
            if (entries_[parent].deadline <= moving.deadline) break;
            put(index, entries_[parent]);
            index = parent;
        }
        put(index, moving);
    }

    void sift_down(std::size_t index) noexcept {
        const entry moving = entries_[index];
        for (;;) {
            std::size_t child = 2 * index + 1;
            if (child >= entries_.size()) break;
            if (child + 1 < entries_.size() && entries_[child + 1].deadline < entries_[child].deadline)
                ++child;
            if (moving.deadline <= entries_[child].deadline) break;
            put(index, entries_[child]);
            index = child;
        }
        put(index, moving);
    }

    std::vector<entry> entries_;
};

static_assert(TimerQueue<heap_timers>);

}  // namespace loopbench::loop
