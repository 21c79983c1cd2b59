// How other threads' posts reach a loop that might be asleep, or falling asleep.
//
// A thread posts, and then checks if the loop sleeps. The loop announces that it sleeps, and then checks if
// anything was posted. All four operations are sequentially consistent, so they have a single order. In this
// order, either the thread's check comes after the loop's announcement, and the thread wakes the loop; or the
// loop's check comes after the post, and the loop does not sleep.
//
// `Atomic` is std::atomic. tests/race replaces it with a type that tries everything that the memory model
// allows. It finds a lost wake-up if the loop's check is removed, or if the ordering of any of the four
// operations is weakened.
#pragma once

#include <atomic>
#include <utility>

#include "loop/operation.hpp"

namespace loopbench::loop {

/// The operations that other threads have posted. Any thread pushes, without a lock; one thread takes all of
/// them at once.
template <template <class> class Atomic>
class basic_operation_stack {
public:
    /// Returns true if the stack was empty, as for the first push after take_all(): then the loop might have
    /// to be woken.
    bool push(operation& op) noexcept {
        operation* newest = newest_.load(std::memory_order_relaxed);
        do {
            op.next = newest;
        } while (!newest_.compare_exchange_weak(newest, &op, std::memory_order_seq_cst,
                                                std::memory_order_relaxed));
        return newest == nullptr;
    }

    bool empty() const noexcept { return newest_.load(std::memory_order_seq_cst) == nullptr; }

    /// Moves all operations to the end of `queue`, in the order of pushing. Returns false if there were none.
    bool take_all(ready_queue& queue) noexcept {
        if (newest_.load(std::memory_order_relaxed) == nullptr) [[likely]]
            return false;
        operation* newest = newest_.exchange(nullptr, std::memory_order_seq_cst);
        operation* oldest = nullptr;
        while (newest != nullptr) {
            operation* const older = std::exchange(newest->next, oldest);
            oldest = std::exchange(newest, older);
        }
        while (oldest != nullptr) queue.push(*std::exchange(oldest, oldest->next));
        return true;
    }

private:
    Atomic<operation*> newest_{nullptr};
};

/// The loop's notice to other threads that it sleeps or is about to sleep.
template <template <class> class Atomic>
class basic_sleep_notice {
public:
    /// Returns true if the loop has to be woken. Call it after a push that found the stack empty. Any thread.
    /// The loop might have woken up since then; a wake-up then ends its next wait immediately.
    bool is_up() const noexcept { return up_.load(std::memory_order_seq_cst); }

    /// Calls wait(false), which may sleep until the loop is woken, or wait(true), which must not sleep,
    /// because something was posted when the notice was already up. Loop's thread only.
    template <class HasPosted, class Wait>
    void sleep(HasPosted has_posted, Wait wait) {
        up_.store(true, std::memory_order_seq_cst);
        wait(has_posted());
        up_.store(false, std::memory_order_relaxed);
    }

private:
    Atomic<bool> up_{false};
};

/// A short spin that polls for the next post before the loop sleeps, while that pays. Often a thread posts
/// again as soon as its post has run. Waking a sleeping core takes several times as long as polling here,
/// especially in a virtual machine. After several unsuccessful tries (the threads share a core, or posts are
/// rare), it tries only once in `tried_once_in` times. Loop's thread only.
class adaptive_spin {
public:
    static constexpr int looks_max = 100;  // one to five microseconds on x86-64
    static constexpr unsigned vain_max = 4, tried_once_in = 1024;

    /// Returns true if is_over() returned true.
    template <class IsOver>
    bool until(IsOver is_over) noexcept {
        if (is_over()) return true;  // it came before the spin, so it does not show if spinning pays
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
    // Pauses for a moment. On x86-64, the core's other hardware thread can use this moment; it may be the
    // thread that posts. There is no portable way to do this.
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    unsigned vain_ = 0;       // unsuccessful tries since the last successful one
    unsigned skippable_ = 0;  // calls that came after too many of them
};

using operation_stack = basic_operation_stack<std::atomic>;
using sleep_notice = basic_sleep_notice<std::atomic>;

}  // namespace loopbench::loop
