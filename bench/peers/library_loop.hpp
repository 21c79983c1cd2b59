// What the adapters of callback libraries share: our tasks and their ready queue, driven by the library's
// callbacks.
//
// Neither library knows coroutines, so an adapter keeps the queue of what is ready (as uvloop does over
// libuv) and the library says when to run it: every callback queues the coroutine that it wakes and runs the
// queue once. What is ready after that waits for the library's own way to be called again soon, so that it
// sees its timers and its sockets.
#pragma once

#include <exception>
#include <utility>

#include "loop/loop_core.hpp"
#include "loop/run_guard.hpp"
#include "loop/task.hpp"

namespace loopbench::bench::peers {

/// Everything but post_from_any_thread() is for the loop's thread alone.
class library_loop : public loop::loop_core {
public:
    /// As event_loop::run(): see bench/runtime.hpp.
    template <class T>
    T run(loop::task<T> main) {
        const loop::run_guard running(running_, "run() was called inside of run(): await the task instead");
        main_done_ = false;
        auto& promise = main.frame().promise();
        promise.become_root(main.frame(), &on_main_done, this);
        ready().push(promise.root);
        try {
            call_soon();
            run_library();
            if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        } catch (...) {
            if (!main.done()) adopt_running(main);
            throw;
        }
        return promise.take();
    }

    template <class F>
    void post_from_any_thread(F&& function) {
        push_from_any_thread(loop::make_callback(std::forward<F>(function)));
        wake();
    }

    /// For the library's callbacks: `woken` has what it waited for.
    void complete(loop::operation& woken) noexcept {
        ready().push(woken);
        pass();
    }

    /// For the library's callbacks: runs what is ready now, once.
    void pass() noexcept {
        if (leaving()) return;  // what is ready is for the next run()
        try {
            take_posted(ready());
            run_ready([](loop::operation& op) { op.complete(&op, loop::completion::run); });
        } catch (...) {
            failure_ = std::current_exception();  // not through the library's frames
        }
        if (leaving()) {
            leave();
        } else if (!ready().empty()) {
            call_soon();
        }
    }

protected:
    library_loop() = default;
    ~library_loop() = default;

    /// Runs the library's loop until leave().
    virtual void run_library() = 0;
    /// Ends run_library() after the callback that is under way.
    virtual void leave() noexcept = 0;
    /// The library is to call pass() again without waiting.
    virtual void call_soon() noexcept = 0;
    /// Any thread: the library is to call pass(), and to wake up for it.
    virtual void wake() noexcept = 0;

private:
    static void on_main_done(loop::detail::promise_base& main) noexcept {
        static_cast<library_loop*>(main.root.owner)->main_done_ = true;
    }

    bool leaving() const noexcept { return main_done_ || failure_; }

    std::exception_ptr failure_;
    bool running_ = false;
    bool main_done_ = false;
};

/// A coroutine that waits for a library's callback: the base of the adapters' awaiters, and the callback's
/// user data.
class callback_awaiter : public loop::operation, loop::suspension {
public:
    explicit callback_awaiter(library_loop& owner) noexcept
        : loop::operation{nullptr, &resume_when_run}, owner_(owner) {}

    bool await_ready() const noexcept { return false; }

    /// For the library's callbacks: the wait is over.
    void completed() noexcept { owner_.complete(*this); }

    /// The wait is over, but its coroutine goes on from the queue: for when another coroutine is running.
    void queue() noexcept { owner_.ready().push(*this); }

protected:
    ~callback_awaiter() = default;

    /// Tasks of the suite's vocabulary cannot be cancelled, so nothing withdraws a wait.
    template <class Promise>
    void wait(std::coroutine_handle<Promise> waiter) noexcept {
        static_cast<void>(suspend(waiter, nullptr));
    }

    library_loop& owner() const noexcept { return owner_; }

private:
    static void resume_when_run(loop::operation* op, loop::completion how) {
        if (how == loop::completion::run) static_cast<callback_awaiter*>(op)->resume();
    }

    library_loop& owner_;
};

}  // namespace loopbench::bench::peers
