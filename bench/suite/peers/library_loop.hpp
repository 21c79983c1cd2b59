// The common part of the adapters of callback libraries. The libraries do not know coroutines, so the adapter
// keeps the queue of ready coroutines, as uvloop does on libuv. Every callback queues the coroutine that it
// wakes, and then runs the queue.
//
// A callback also runs the coroutines that become ready meanwhile, until the work budget is used up. The
// budget is as large as in one turn of a flagship (loop/operation.hpp). The library then checks its sockets
// and timers.
//
// A flagship skips the check of its sockets if nothing waits for I/O, but a library's check is always a
// system call. The library decides how many callbacks follow one check: up to 1024 events in libuv, and the
// configured 64 in libevent. (Asio runs all ready handlers between two checks, so each callback has its own
// budget on Asio: asio_ref/tuned/scheduler.hpp.)
#pragma once

#include <cstddef>
#include <exception>
#include <utility>

#include "loop/coro/task.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::bench::peers {

/// A runtime's queue of ready coroutines on a callback library. Only the loop's thread can call these
/// functions, except post_from_any_thread().
class library_loop : public loop::scheduler {
public:
    /// Queues an operation whose wait has ended, and runs the queue. The library's callbacks call this
    /// function.
    void complete(loop::operation& woken) noexcept {
        ready().push(woken);
        pass();
    }

    /// Runs ready coroutines until the budget is used up. The library's callbacks call this function.
    void pass() noexcept {
        if (leaving()) return;  // the next call of run() runs the ready coroutines
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

    /// Returns true if an operation can complete without going through the queue, and false if the budget is
    /// used up.
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

    virtual void run_library() = 0;
    virtual void leave() noexcept = 0;
    /// Makes the library check its sockets and timers without waiting, and then call pass() again.
    virtual void call_soon() noexcept = 0;

private:
    // The limit with which pass() calls run_ready(). With this limit, all operations of a callback share one
    // budget. (With work_budget::without_limit, each operation would have its own budget.)
    static constexpr std::size_t all_that_is_ready = loop::work_budget::without_limit - 1;

    bool leaving() const noexcept { return *done_ || failure_; }

    static constexpr bool not_running_ = true;
    const bool* done_ = &not_running_;
    std::exception_ptr failure_;
};

class callback_awaiter : protected loop::awaiter<> {
public:
    explicit callback_awaiter(library_loop& owner) noexcept : owner_(owner) {}

    bool await_ready() const noexcept { return false; }

    void completed() noexcept { owner_.complete(*this); }

    void queue() noexcept { owner_.ready().push(*this); }

protected:
    ~callback_awaiter() = default;

    /// Suspends the coroutine `waiter`. Cancellation is not supported, because tasks of the suite are never
    /// cancelled.
    template <class Promise>
    void wait(std::coroutine_handle<Promise> waiter) noexcept {
        static_cast<void>(suspend(waiter, nullptr));
    }

    library_loop& owner() const noexcept { return owner_; }

private:
    library_loop& owner_;
};

}  // namespace loopbench::bench::peers
