// The protocol with which posts by other threads reach a loop that sleeps or is about to sleep.
//
// The posting thread first posts, and then checks whether the loop sleeps. The loop first announces that it
// will sleep, and then checks whether anything was posted. All four operations are sequentially consistent,
// so that all threads see them in the same order. In this order, either the posting thread's check follows
// the loop's announcement, and the posting thread wakes the loop; or the loop's check follows the post, and
// the loop does not sleep.
//
// The template parameter `Atomic` is std::atomic, except in tests/race. There, it is a type that tries every
// execution that the memory model allows. The test reports a lost wake-up if the loop's check is removed, or
// if the memory order of any of the four operations is weakened.
#pragma once

#include <atomic>
#include <utility>

#include "loop/operation.hpp"

namespace loopbench::loop {

/// The operations that other threads have posted. Any thread may push an operation, without a lock; one
/// thread takes all operations at once.
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

    /// Moves all operations to the end of `queue`, in the order of pushing. Returns false if the stack was
    /// empty.
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

/// A notice to other threads that the loop sleeps or is about to sleep.
template <template <class> class Atomic>
class basic_sleep_notice {
public:
    /// Returns true if the loop needs a wake-up. Any thread may call this function; call it after a push to
    /// an empty stack. The loop might wake up between this check and the wake-up; then the wake-up ends the
    /// loop's next wait.
    bool is_up() const noexcept { return up_.load(std::memory_order_seq_cst); }

    /// Shows the notice, checks whether anything has been posted, and calls wait() with the result of this
    /// check. If the result is true, wait() must not sleep; otherwise, it may sleep until a wake-up.
    /// Afterwards, removes the notice. Call this function only in the loop's thread.
    template <class HasPosted, class Wait>
    void sleep(HasPosted has_posted, Wait wait) {
        up_.store(true, std::memory_order_seq_cst);
        wait(has_posted());
        up_.store(false, std::memory_order_relaxed);
    }

private:
    Atomic<bool> up_{false};
};

/// A short spin that polls for the next post before the loop sleeps. A thread often posts again as soon as
/// its previous post has run; then the spin is successful. Waking a sleeping core takes several times as long
/// as this spin, especially in a virtual machine. Spins are unsuccessful if the threads share a core or if
/// posts are rare. After `vain_max` unsuccessful spins in a row, only one in every `tried_once_in` calls
/// spins. Use this class only in the loop's thread.
class adaptive_spin {
public:
    static constexpr int looks_max = 100;  // checks per spin; a spin takes one to five microseconds on x86-64
    static constexpr unsigned vain_max = 4, tried_once_in = 1024;

    /// Calls is_over() until it returns true or the spin ends. Returns true if is_over() returned true.
    template <class IsOver>
    bool until(IsOver is_over) noexcept {
        if (is_over()) return true;  // the post came before the spin, so vain_ does not change
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
    // Pauses for a moment. On x86-64, the core's other hardware thread, on which the posting thread may run,
    // gets the core's resources meanwhile. C++ has no portable function for a pause.
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    unsigned vain_ = 0;       // unsuccessful spins since the last successful one
    unsigned skippable_ = 0;  // calls that may be skipped, after vain_max unsuccessful spins
};

using operation_stack = basic_operation_stack<std::atomic>;
using sleep_notice = basic_sleep_notice<std::atomic>;

}  // namespace loopbench::loop
