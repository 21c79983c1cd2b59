// The sleep of the threads of floor-stealing-queue.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace loopbench::bench::floors {

/// Threads that sleep until they have work. A thread that adds work calls wake_one() afterwards, which costs
/// one load while no thread sleeps. The work must be added with a sequentially consistent store, and
/// is_needed() must read it with a sequentially consistent load. Then either wake_one() sees the thread that
/// goes to sleep, or this thread sees the work. Any thread can call these functions. `Atomic`, `Mutex` and
/// `Event` are those of the C++ library, except in tests/race.
template <template <class> class Atomic, class Mutex, class Event>
class basic_parked_threads {
public:
    /// Sleeps until is_needed() returns true. Calls is_needed() before the sleep and after each wake-up.
    template <class IsNeeded>
    void sleep_until(IsNeeded is_needed) {
        std::unique_lock lock(mutex_);
        sleeping_.fetch_add(1, std::memory_order_seq_cst);
        while (!is_needed()) changed_.wait(lock);
        sleeping_.fetch_sub(1, std::memory_order_relaxed);
    }

    void wake_one() {
        if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
        const std::lock_guard lock(mutex_);
        changed_.notify_one();
    }
    void wake_all() {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }

private:
    Mutex mutex_;
    Event changed_;
    Atomic<std::size_t> sleeping_{0};
};

using parked_threads = basic_parked_threads<std::atomic, std::mutex, std::condition_variable>;

}  // namespace loopbench::bench::floors
