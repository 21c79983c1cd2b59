// How other threads' posts reach a loop that may be asleep, or falling asleep.
//
// A thread posts, and then looks whether the loop sleeps. The loop gives notice that it sleeps, and then
// looks whether anything was posted. All four are sequentially consistent: in their one order either the
// thread's look comes after the loop's notice, and the thread wakes the loop, or the loop's look comes after
// the post, and the loop does not sleep.
//
// `Atomic` is std::atomic. tests/race puts one in its place that tries what the memory model allows: without
// the loop's look, or with any of the four weaker than it is, it finds a wake-up that is lost.
#pragma once

#include <atomic>
#include <utility>

#include "loop/operation.hpp"

namespace loopbench::loop {

/// What other threads have posted. Any thread pushes, without a lock; one thread takes everything at once.
template <template <class> class Atomic>
class basic_operation_stack {
public:
    /// True when it was empty, as for the first push after a taking: then somebody may have to be woken.
    bool push(operation& op) noexcept {
        operation* newest = newest_.load(std::memory_order_relaxed);
        do {
            op.next = newest;
        } while (!newest_.compare_exchange_weak(newest, &op, std::memory_order_seq_cst,
                                                std::memory_order_relaxed));
        return newest == nullptr;
    }

    bool empty() const noexcept { return newest_.load(std::memory_order_seq_cst) == nullptr; }

    /// Moves everything to the end of `queue`, what was pushed first first. False when there was nothing.
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

/// The loop's notice to other threads that it sleeps, or is about to.
template <template <class> class Atomic>
class basic_sleep_notice {
public:
    /// Any thread, after a push that found nothing there: whether the loop has to be woken. It may have woken
    /// up by itself since, and then its next wait is over at once.
    bool is_up() const noexcept { return up_.load(std::memory_order_seq_cst); }

    /// Loop's thread. Calls wait(false), which may sleep until the loop is woken; or wait(true), which must
    /// not, since something was posted when the notice was up.
    template <class HasPosted, class Wait>
    void sleep(HasPosted has_posted, Wait wait) {
        up_.store(true, std::memory_order_seq_cst);
        wait(has_posted());
        up_.store(false, std::memory_order_relaxed);
    }

private:
    Atomic<bool> up_{false};
};

/// Looks for the next post before the loop sleeps, as long as that pays. Often a thread posts again as
/// soon as its post has run, and to wake a core that sleeps takes several times as long as to look here,
/// most of all in a virtual machine. After several tries in vain, as where both threads share a core or
/// posts are rare, it is tried once in a thousand times. Loop's thread only.
class adaptive_spin {
public:
    static constexpr int looks_max = 100;  // one to five microseconds on x86-64
    static constexpr unsigned vain_max = 4, tried_once_in = 1024;

    /// True when is_over() was.
    template <class IsOver>
    bool until(IsOver is_over) noexcept {
        if (is_over()) return true;  // it came before, which says nothing of what pays
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
    // A moment, which on x86-64 the core's other hardware thread has: that may be who posts. There is no
    // portable way.
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    unsigned vain_ = 0;       // tries in vain since the last that was not
    unsigned skippable_ = 0;  // times that came after too many of them
};

using operation_stack = basic_operation_stack<std::atomic>;
using sleep_notice = basic_sleep_notice<std::atomic>;

}  // namespace loopbench::loop
