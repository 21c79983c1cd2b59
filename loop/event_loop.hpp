// The turn of the loop.
//
// A loop is a composition: a driver (how I/O completes), a timer queue (how deadlines are kept), a wait
// policy (what is done when nothing is ready) and a clock. The parts are chosen at compile time;
// loop/designs.hpp lists the compositions that have a name.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <limits>
#include <source_location>
#include <utility>

#include "loop/clock.hpp"
#include "loop/drivers/driver.hpp"
#include "loop/fd_callbacks.hpp"
#include "loop/loop_core.hpp"
#include "loop/resumption.hpp"
#include "loop/run_guard.hpp"
#include "loop/scheduled_call.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// What a composition says. `callbacks_between_polls`: while the queue is never empty, the kernel and the
/// clock are looked at after so many callbacks, even in the middle of what was ready when a turn began; 0 is
/// on every turn, which then runs all that was.
template <class D>
concept Design = requires {
    requires Driver<typename D::driver>;
    requires TimerQueue<typename D::timers>;
    typename D::wait;
    typename D::clock;
    { D::callbacks_between_polls } -> std::convertible_to<std::size_t>;
};

/// One thread's loop. Only post_from_any_thread() and stop_from_any_thread() may be called from another
/// thread.
template <Design D>
class event_loop : public loop_core {
public:
    using driver_type = typename D::driver;
    using timer_queue = typename D::timers;
    using clock_type = typename D::clock;

    /// Throws std::system_error when the driver is refused by the kernel.
    event_loop() : driver_(ready()) {}
    ~event_loop() {
        readers_.clear();  // before the frames: they may close what is watched
        writers_.clear();
        close();
        // What is still armed now belongs to no frame: scheduled calls, which own themselves.
        operation_queue calls;
        timers_.expire(never - nanoseconds(1), calls);
        while (!calls.empty()) {
            operation& call = calls.pop();
            call.complete(&call, completion::discard);
        }
    }

    /// Runs until `main` is done; gives its value or throws its exception. When another task or callback
    /// throws, that leaves run() instead, and `main` goes on as a spawned task. Throws std::logic_error
    /// inside run(). `where` is its name in debug mode.
    template <class T>
    T run(task<T> main, const std::source_location& where = std::source_location::current()) {
        const run_guard running = enter();
        auto& promise = main.frame().promise();
        note_start(promise, where);
        promise.become_root(main.frame(), &on_main_done, this);
        ready().push(promise.root);
        try {
            while (!main.done()) take_turn();
        } catch (...) {
            if (!main.done()) adopt_running(main);
            throw;
        }
        return promise.take();
    }

    /// f() runs on a later turn of the loop, which is woken when it sleeps. Any thread. The loop must outlive
    /// the call, and not only f: it is looked at once more when f may have run already and ended run().
    template <class F>
    void post_from_any_thread(F&& function) {
        push_from_any_thread(make_callback<heap_memory>(std::forward<F>(function)));
        // The loop says that it sleeps before it looks for posts a last time; we post before we look whether
        // it sleeps. In the one order of sequentially consistent operations, one of us sees the other.
        if (asleep_.load(std::memory_order_seq_cst)) driver_.wake();
    }

    time_point now() noexcept { return last_now_ = clock_.now(); }

    class sleep_awaiter;
    /// Completes when now() has reached `when`, and never before; a time that has passed goes through the
    /// queue.
    sleep_awaiter sleep_until(time_point when) noexcept { return sleep_awaiter(*this, when); }
    sleep_awaiter sleep_for(nanoseconds delay) noexcept { return sleep_until(deadline_after(now(), delay)); }

    /// f() runs on the next turn, after what is queued already, unless it is cancelled before.
    /// `where` is its name in debug mode.
    call_handle<event_loop> call_soon(std::function<void()> function,
                                      const std::source_location& where = std::source_location::current()) {
        if (closing()) [[unlikely]]
            return {};
        auto call = make_call(std::move(function), where);
        ready().push(*call);
        return {*this, std::move(call)};
    }

    /// f() runs when now() has reached `when`, never before, unless it is cancelled.
    call_handle<event_loop> call_at(time_point when, std::function<void()> function,
                                    const std::source_location& where = std::source_location::current()) {
        if (when == never) return {};
        auto call = make_call(std::move(function), where);
        call->deadline = when;
        insert(*call);
        return {*this, std::move(call)};
    }

    call_handle<event_loop> call_later(nanoseconds delay, std::function<void()> function,
                                       const std::source_location& where = std::source_location::current()) {
        return call_at(deadline_after(now(), delay), std::move(function), where);
    }

    /// Call f(), once a turn, while the descriptor is ready for reading (writing), until removed; the newest
    /// f counts.
    void add_reader(int fd, std::function<void()> function) { readers_.add(fd, std::move(function)); }
    void add_writer(int fd, std::function<void()> function) { writers_.add(fd, std::move(function)); }
    /// True when there was a callback.
    bool remove_reader(int fd) { return readers_.remove(fd); }
    bool remove_writer(int fd) { return writers_.remove(fd); }

    /// Runs until stop() is called.
    void run_forever() {
        const run_guard running = enter();
        stopping_ = false;
        while (!stopping_) take_turn();
    }

    /// Runs until nothing is left that could make anything happen: no callback, no timer, no pending I/O; or
    /// until stop() is called. A sleep until `never` is no timer. The founding scheduler's run() and Asio's.
    void run_until_idle() {
        const run_guard running = enter();
        stopping_ = false;
        while (!stopping_ && (has_ready() || has_posted() || !timers_.empty() || driver_.in_flight() != 0))
            take_turn();
    }

    /// Ends run_forever() and run_until_idle() after the present turn.
    void stop() noexcept { stopping_ = true; }
    /// The same, from any thread; the loop is woken when it sleeps. Asked before the loop runs, it ends the
    /// next run_forever() or run_until_idle() after its first turn.
    void stop_from_any_thread() {
        post_from_any_thread([this] { stop(); });
    }

    /// One turn, for who has a loop of his own around it. Throws std::logic_error inside another turn: what
    /// that one is busy with would be run by this one.
    void turn() {
        const run_guard running = enter();
        take_turn();
    }

    /// Debug mode: `warn` is called, between callbacks, with the duration of every callback or task step that
    /// took `limit` or longer (asyncio's is 100 ms), and with who that was: a task by the place that spawned
    /// it and by its coroutine, a function by its type. Tasks that were started before this was called have
    /// no place. An empty function ends it.
    void warn_of_slow_callbacks(nanoseconds limit, debug_mode::slow_warning warn) {
        debug().slow_limit = limit;
        debug().on_slow = std::move(warn);
    }

    // For wait policies and awaiters.
    bool has_ready() noexcept { return !ready().empty(); }
    time_point next_deadline() noexcept { return timers_.earliest(); }
    driver_type& driver() noexcept { return driver_; }
    timer_queue& timers() noexcept { return timers_; }
    clock_type& clock() noexcept { return clock_; }

    /// Sleeps in the driver until `deadline`, I/O or a post.
    void sleep_until_event(time_point deadline) {
        asleep_.store(true, std::memory_order_seq_cst);
        driver_.wait(has_posted() ? do_not_wait : deadline);
        asleep_.store(false, std::memory_order_relaxed);
    }

private:
    // How many callbacks may run between two polls.
    static constexpr std::size_t batch_max = D::callbacks_between_polls == 0
                                                 ? std::numeric_limits<std::size_t>::max()
                                                 : D::callbacks_between_polls;

    run_guard enter() { return {running_, "run() or turn() was called inside a turn of the same loop"}; }

    // One turn: wait, then time, then run what is ready. Everything the loop does, it does here.
    void take_turn() {
        if constexpr (batch_max != std::numeric_limits<std::size_t>::max())
            callbacks_since_poll_ += take_callbacks_worth_of_bytes();
        if (!has_ready() || callbacks_since_poll_ >= D::callbacks_between_polls) {
            callbacks_since_poll_ = 0;
            wait_(*this);
            if (!timers_.empty()) timers_.expire(now(), ready());
        }
        take_posted(ready());
        if (debug_if_on() != nullptr) [[unlikely]] {
            run_ready(callbacks_since_poll_, batch_max, [this](operation& op) { run_timed(op); });
        } else {
            run_ready(callbacks_since_poll_, batch_max,
                      [](operation& op) { op.complete(&op, completion::run); });
        }
    }

    void run_timed(operation& op) {
        const debug_mode& mode = debug();
        if (!mode.on_slow) return op.complete(&op, completion::run);
        const culprit running = mode.identify(op);
        const time_point start = now();
        op.complete(&op, completion::run);
        const nanoseconds duration = now() - start;
        if (!mode.on_slow || duration < mode.slow_limit) return;
        const auto warn = mode.on_slow;  // it may put another in its place, or none
        warn(duration, running.who());
    }

    // Without a look at the clock: the last one is near enough for a queue that only has to know roughly.
    void insert(timer& t) {
        if constexpr (requires { timers_.start_at(last_now_); }) {
            if (timers_.empty()) timers_.start_at(last_now_);
        }
        timers_.insert(t);
    }

    static void on_main_done(detail::promise_base& main) noexcept {
        static_cast<event_loop*>(main.root.owner)->note_end(main);
    }

    shared_state<detail::scheduled_call> make_call(std::function<void()> function,
                                                   const std::source_location& where) {
        auto call = shared_state<detail::scheduled_call>::make(std::move(function), where);
        ++call->references;  // the queue's
        return call;
    }

    clock_type clock_;
    timer_queue timers_;
    driver_type driver_;
    fd_callbacks<driver_type> readers_{driver_, ready(), io_kind::readable};
    fd_callbacks<driver_type> writers_{driver_, ready(), io_kind::writable};
    typename D::wait wait_;
    time_point last_now_ = clock_.now();  // the clock has reached this
    std::size_t callbacks_since_poll_ = 0;
    bool running_ = false;
    bool stopping_ = false;
    alignas(64) std::atomic<bool> asleep_{false};
};

template <Design D>
class event_loop<D>::sleep_awaiter : resumption<timer> {
public:
    sleep_awaiter(event_loop& loop, time_point when) noexcept : loop_(loop) { deadline = when; }
    ~sleep_awaiter() {
        if (armed) loop_.timers_.erase(*this);
    }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) {
        if (!suspend(waiter, &withdraw)) return false;
        if (deadline <= loop_.last_now_) {
            loop_.ready().push(*this);
        } else if (deadline != never) {  // or only a cancellation ends it, and it keeps no loop running
            loop_.insert(*this);
        }
        return true;
    }

    void await_resume() { throw_if_cancelled(); }

private:
    static void withdraw(suspension* place) {
        auto& self = *static_cast<sleep_awaiter*>(place);
        if (self.armed) {
            self.loop_.timers_.erase(self);
        } else if (self.deadline != never) {
            return;  // it has expired and is queued
        }
        self.loop_.ready().push(self);
    }

    event_loop& loop_;
};

}  // namespace loopbench::loop
