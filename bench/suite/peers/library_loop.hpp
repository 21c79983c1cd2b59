// The common part of the adapters of callback libraries: our tasks and their ready queue, driven by the
// library's callbacks.
//
// Neither library knows coroutines, so an adapter keeps the queue of ready coroutines (as uvloop does over
// libuv), and the library decides when it runs: every callback queues the coroutine that it wakes, and runs
// the queue.
//
// How much runs before the library looks at its sockets and timers again: a callback runs all ready
// coroutines, and then those that these make ready, while the work budget of a flagship's turn lasts
// (loop/operation.hpp). Both the steps of a queue that never gets empty and operations that complete at once
// use up this budget. Then the library looks. A flagship's turn also ends before all ready coroutines have
// run; but a flagship looks only if it waits for something, while a library's look is always a system call.
// The library decides how many callbacks follow one look: up to 1024 events in libuv, the configured 64 in
// libevent. (Asio runs all ready handlers and then looks, so there each callback has its own budget:
// asio_ref/tuned/scheduler.hpp.)
#pragma once

#include <cstddef>
#include <exception>
#include <utility>

#include "loop/coro/task.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::bench::peers {

/// A loop over a callback library. Everything but post_from_any_thread() is for the loop's thread alone.
class library_loop : public loop::scheduler {
public:
    /// Queues an operation whose wait is over, and runs the queue. For the library's callbacks.
    void complete(loop::operation& woken) noexcept {
        ready().push(woken);
        pass();
    }

    /// Runs all ready coroutines, and those that they make ready while the budget lasts. For the library's
    /// callbacks.
    void pass() noexcept {
        if (leaving()) return;  // the ready coroutines are for the next run()
        ready().budget.refill();
        try {
            take_posted();
            do run_ready(all_that_is_ready);
            while (has_ready() && ready().budget.used() < loop::work_budget::units_max && !leaving());
        } catch (...) {
            failure_ = std::current_exception();  // exceptions must not pass through the library's frames
        }
        if (leaving()) {
            leave();
        } else if (has_ready()) {
            call_soon();
        }
    }

    /// Returns true if an awaiter that has moved `bytes` bytes can complete at once; false if the budget is
    /// used up, so that the operation must go through the queue.
    bool may_complete_inline(std::size_t bytes) noexcept { return ready().budget.may_complete_inline(bytes); }

protected:
    library_loop() = default;
    ~library_loop() = default;

    void take_turns(const bool& done) final {
        done_ = &done;
        call_soon();
        run_library();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

    /// Runs the library's loop until leave().
    virtual void run_library() = 0;
    /// Ends run_library() after the current callback.
    virtual void leave() noexcept = 0;
    /// Makes the library look at its sockets and timers, without waiting, and then call pass() again.
    virtual void call_soon() noexcept = 0;

private:
    // All callbacks share one budget. (With work_budget::without_limit, each operation would have its own.)
    static constexpr std::size_t all_that_is_ready = loop::work_budget::without_limit - 1;

    bool leaving() const noexcept { return *done_ || failure_; }

    static constexpr bool not_running_ = true;
    const bool* done_ = &not_running_;
    std::exception_ptr failure_;
};

/// A coroutine that waits for a library's callback: the base of the adapters' awaiters, and the user data of
/// the callback.
class callback_awaiter : protected loop::awaiter<> {
public:
    explicit callback_awaiter(library_loop& owner) noexcept : owner_(owner) {}

    bool await_ready() const noexcept { return false; }

    /// Ends the wait, from the library's callback.
    void completed() noexcept { owner_.complete(*this); }

    /// Ends the wait while another coroutine runs: the waiting coroutine continues from the queue.
    void queue() noexcept { owner_.ready().push(*this); }

protected:
    ~callback_awaiter() = default;

    /// Starts the wait. Tasks of the suite are never cancelled.
    template <class Promise>
    void wait(std::coroutine_handle<Promise> waiter) noexcept {
        static_cast<void>(suspend(waiter, nullptr));
    }

    library_loop& owner() const noexcept { return owner_; }

private:
    library_loop& owner_;
};

}  // namespace loopbench::bench::peers
