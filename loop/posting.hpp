// The protocol makes sure that a post by another thread reaches a loop that sleeps or is about to sleep. The
// posting thread posts, and then checks whether the loop sleeps; the loop announces its sleep, and then
// checks for posts. These four operations are sequentially consistent, so that at least one of the two checks
// sees the other thread's write.
//
// The template parameter `Atomic` is std::atomic, except in tests/race, where it is a type that tries every
// execution that the memory model allows.
#pragma once

#include <atomic>
#include <utility>

#include "loop/operation.hpp"

namespace loopbench::loop {

/// Pushes the operations of a chain, which is linked from the newest to the oldest operation, to `queue`. The
/// oldest is pushed first.
template <class Queue>
void push_oldest_first(operation* newest, Queue& queue) noexcept {
    operation* oldest = nullptr;
    while (newest != nullptr) {
        operation* const older = std::exchange(newest->next, oldest);
        oldest = std::exchange(newest, older);
    }
    while (oldest != nullptr) queue.push(*std::exchange(oldest, oldest->next));
}

/// The operations that other threads have posted. Any thread may push an operation, without a lock. Only one
/// thread takes the operations, all at once.
template <template <class> class Atomic>
class basic_operation_stack {
public:
    /// Pushes an operation. Returns true if the stack was empty; then the loop might need a wake-up.
    bool push(operation& op) noexcept {
        operation* newest = newest_.load(std::memory_order_relaxed);
        do {
            op.next = newest;
        } while (!newest_.compare_exchange_weak(newest, &op, std::memory_order_seq_cst,
                                                std::memory_order_relaxed));
        return newest == nullptr;
    }

    bool empty() const noexcept { return newest_.load(std::memory_order_seq_cst) == nullptr; }

    bool take_all(ready_queue& queue) noexcept {
        if (newest_.load(std::memory_order_relaxed) == nullptr) [[likely]]
            return false;
        push_oldest_first(newest_.exchange(nullptr, std::memory_order_seq_cst), queue);
        return true;
    }

private:
    Atomic<operation*> newest_{nullptr};
};

template <template <class> class Atomic>
class basic_sleep_notice {
public:
    /// Returns true if the loop needs a wake-up. Any thread may call is_up(), after a push to an empty stack.
    /// If the loop wakes up in the meantime, the thread's wake-up ends the loop's next wait instead.
    bool is_up() const noexcept { return up_.load(std::memory_order_seq_cst); }

    /// Shows other threads that the loop sleeps, calls wait(has_posted()), and then removes the notice. If
    /// has_posted() returns true, wait() must not sleep. Call this function only in the loop's thread.
    template <class HasPosted, class Wait>
    void sleep(HasPosted has_posted, Wait wait) {
        up_.store(true, std::memory_order_seq_cst);
        wait(has_posted());
        up_.store(false, std::memory_order_relaxed);
    }

private:
    Atomic<bool> up_{false};
};

/// A short spin that polls for the next post before the loop sleeps, because a sleeping core needs several
/// times as long to notice the post, especially in a virtual machine. Spins are useless if the threads share
/// a core or if posts are rare. Therefore, after `vain_max` unsuccessful spins in a row, only one in every
/// `tried_once_in` calls of until() spins. Use this class only in the loop's thread.
class adaptive_spin {
public:
    static constexpr int looks_max = 100;  // checks per spin; a spin takes one to five microseconds on x86-64
    static constexpr unsigned vain_max = 4, tried_once_in = 1024;

    template <class IsOver>
    bool until(IsOver is_over) noexcept {
        if (is_over()) return true;
        if (vain_ >= vain_max && ++skippable_ % tried_once_in != 0) return false;
        for (int look = 1; look < looks_max; ++look) {
            pause();
            if (is_over()) {
                vain_ = 0;
                return true;
            }
        }
        ++vain_;
        return false;
    }

private:
    // Pauses the core for a moment. On x86-64, the pause gives the core's resources to its other hardware
    // thread, on which the posting thread may run.
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    unsigned vain_ = 0;
    unsigned skippable_ = 0;
};

using operation_stack = basic_operation_stack<std::atomic>;
using sleep_notice = basic_sleep_notice<std::atomic>;

}  // namespace loopbench::loop
