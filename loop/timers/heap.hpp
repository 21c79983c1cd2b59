#pragma once

#include <vector>

#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A timer queue in a heap. Timers with equal deadlines expire in no particular order.
class heap_timers {
public:
    void insert(timer& t, time_point) {
        entries_.push_back({t.deadline, &t});
        t.armed = true;
        sift_up(entries_.size() - 1, entries_.back());
    }

    void erase(timer& t) noexcept {
        t.armed = false;
        remove(t.place.index);
    }

    bool empty() const noexcept { return entries_.empty(); }
    time_point earliest() const noexcept { return entries_.empty() ? never : entries_.front().deadline; }

    void expire(time_point now, operation_queue& ready) noexcept {
        while (earliest() <= last_due(now)) make_ready(take_first(), ready);
    }

protected:
    // An entry of the heap. It contains the deadline, so that a comparison does not access the timer.
    struct entry {
        time_point deadline;
        timer* subject;
    };

    timer& take_first() noexcept {
        timer& first = *entries_.front().subject;
        heap_timers::erase(first);
        return first;
    }

    void remove(std::size_t hole) noexcept {
        const entry last = entries_.back();
        entries_.pop_back();
        if (hole == entries_.size()) return;
        sift_up(hole, last);
        sift_down(last.subject->place.index, last);
    }

    void sift_up(std::size_t index, entry moving) noexcept {
        while (index > 0) {
            const std::size_t parent = (index - 1) / 2;
            if (entries_[parent].deadline <= moving.deadline) break;
            put(index, entries_[parent]);
            index = parent;
        }
        put(index, moving);
    }

    void sift_down(std::size_t index, entry moving) noexcept {
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

private:
    void put(std::size_t index, const entry& e) noexcept {
        entries_[index] = e;
        e.subject->place.index = index;
    }
};

}  // namespace loopbench::loop
