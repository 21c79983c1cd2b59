// What the adapters of callback libraries share: our tasks and their ready queue, driven by the library's
// callbacks.
//
// Neither library knows coroutines, so an adapter keeps the queue of what is ready (as uvloop does over
// libuv) and the library says when to run it: every callback queues the coroutine that it wakes and runs the
// queue.
//
// How much is done until the sockets and timers are looked at again: a callback runs all that is ready, and
// what that makes ready as long as the work budget of a flagship's turn lasts (loop/operation.hpp), be it in
// steps of a queue that never gets empty or in operations that complete at once; then the library looks. A
// flagship ends its turn in the middle of what was ready, too; but it looks only when it waits for something,
// and a library's look is a system call each time. How many callbacks come of one look is the library's own
// affair: libuv makes all of up to 1024 events, libevent the 64 that it is told. (Asio runs all that was
// ready and then looks, so there each callback has a budget of its own: asio_ref/tuned/scheduler.hpp.)
#pragma once

#include <cstddef>
#include <exception>
#include <utility>

#include "loop/coro/task.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::bench::peers {

/// Everything but post_from_any_thread() is for the loop's thread alone.
class library_loop : public loop::scheduler {
public:
    /// For the library's callbacks: `woken` has what it waited for.
    void complete(loop::operation& woken) noexcept {
        ready().push(woken);
        pass();
    }

    /// For the library's callbacks: runs what is ready, and what that makes ready while the budget lasts.
    void pass() noexcept {
        if (leaving()) return;  // what is ready is for the next run()
        ready().budget.refill();
        try {
            take_posted();
            do run_ready(all_that_is_ready);
            while (has_ready() && ready().budget.used() < loop::work_budget::units_max && !leaving());
        } catch (...) {
            failure_ = std::current_exception();  // not through the library's frames
        }
        if (leaving()) {
            leave();
        } else if (has_ready()) {
            call_soon();
        }
    }

    /// For awaiters that could complete at once, having moved so many bytes: false when the budget is used
    /// up, and the operation must queue.
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
    /// Ends run_library() after the callback that is under way.
    virtual void leave() noexcept = 0;
    /// The library is to look at its sockets and timers, without waiting, and then to call pass() again.
    virtual void call_soon() noexcept = 0;

private:
    // Of one budget. (Without a limit each operation would have its own.)
    static constexpr std::size_t all_that_is_ready = without_limit - 1;

    bool leaving() const noexcept { return *done_ || failure_; }

    static constexpr bool not_running_ = true;
    const bool* done_ = &not_running_;
    std::exception_ptr failure_;
};

/// A coroutine that waits for a library's callback: the base of the adapters' awaiters, and the callback's
/// user data.
class callback_awaiter : protected loop::awaiter<> {
public:
    explicit callback_awaiter(library_loop& owner) noexcept : owner_(owner) {}

    bool await_ready() const noexcept { return false; }

    /// For the library's callbacks: the wait is over.
    void completed() noexcept { owner_.complete(*this); }

    /// The wait is over, but its coroutine goes on from the queue: for when another coroutine is running.
    void queue() noexcept { owner_.ready().push(*this); }

protected:
    ~callback_awaiter() = default;

    /// Tasks of the suite's vocabulary are not cancelled.
    template <class Promise>
    void wait(std::coroutine_handle<Promise> waiter) noexcept {
        static_cast<void>(suspend(waiter, nullptr));
    }

    library_loop& owner() const noexcept { return owner_; }

private:
    library_loop& owner_;
};

}  // namespace loopbench::bench::peers
