// What the adapters of callback libraries share: our tasks and their ready queue, driven by the library's
// callbacks.
//
// Neither library knows coroutines, so an adapter keeps the queue of what is ready (as uvloop does over
// libuv) and the library says when to run it: every callback queues the coroutine that it wakes and runs the
// queue once. What is ready after that waits for the library's own way to be called again soon, so that it
// sees its timers and its sockets.
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

    /// For the library's callbacks: runs what is ready now, once.
    void pass() noexcept {
        if (leaving()) return;  // what is ready is for the next run()
        try {
            take_posted();
            run_ready(without_limit);
        } catch (...) {
            failure_ = std::current_exception();  // not through the library's frames
        }
        if (leaving()) {
            leave();
        } else if (has_ready()) {
            call_soon();
        }
    }

    /// For awaiters that could complete at once, having moved so many bytes: false when this callback has had
    /// its share (loop/operation.hpp, work_budget), and must queue.
    bool may_complete_inline(std::size_t bytes) noexcept {
        const std::size_t units = loop::work_budget::units_of(bytes);
        if (units > 1) units_of_large_transfers_ += units;
        return ready().budget.may_complete_inline(bytes);
    }

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
    /// The library is to call pass() again without waiting.
    virtual void call_soon() noexcept = 0;

    /// Of the work budget, since this was asked for the last time.
    std::size_t take_units_of_large_transfers() noexcept {
        return std::exchange(units_of_large_transfers_, 0);
    }

private:
    bool leaving() const noexcept { return *done_ || failure_; }

    static constexpr bool not_running_ = true;
    const bool* done_ = &not_running_;
    std::exception_ptr failure_;
    std::size_t units_of_large_transfers_ = 0;
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
