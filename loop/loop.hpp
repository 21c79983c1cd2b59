// The loop as a program uses it: the scheduler with time and I/O. Which driver, timer queue and wait policy
// are behind it is the design's (turn.hpp, designs.hpp), and no matter to a program.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string_view>
#include <utility>

#include "loop/calls.hpp"
#include "loop/io/io.hpp"
#include "loop/operation.hpp"
#include "loop/scheduler.hpp"
#include "loop/timers/clock.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

class endpoint;
class event;
class listener;
class stream;
struct pipe_ends;

/// One thread's loop; made by make_loop() (designs.hpp). Only post_from_any_thread() and
/// stop_from_any_thread() may be called from another thread. It may be made in one thread and run in another,
/// but in no third one.
class event_loop : public scheduler {
public:
    template <class T = void>
    using task = loop::task<T>;
    using event = loop::event;
    using stream = loop::stream;
    using listener = loop::listener;
    using unix_stream = loop::stream;
    using unix_listener = loop::listener;

    virtual ~event_loop() = default;

    /// The design's.
    std::string_view name() const noexcept { return name_; }

    time_point now() noexcept {
        return last_now_ = clock_ == nullptr ? std::chrono::steady_clock::now() : clock_->now();
    }

    class sleep_awaiter;
    /// Completes when now() has reached `when`, and never before; a time that has passed goes through the
    /// queue.
    sleep_awaiter sleep_until(time_point when) noexcept;
    sleep_awaiter sleep_for(nanoseconds delay) noexcept;

    /// f() runs on the next turn, after what is queued already, unless it is cancelled before.
    /// `where` is its name in debug mode.
    call_handle call_soon(std::function<void()> function,
                          const std::source_location& where = std::source_location::current());

    /// f() runs when now() has reached `when`, never before, unless it is cancelled.
    call_handle call_at(time_point when, std::function<void()> function,
                        const std::source_location& where = std::source_location::current());
    call_handle call_later(nanoseconds delay, std::function<void()> function,
                           const std::source_location& where = std::source_location::current());

    /// Call f(), once a turn, while the descriptor is ready for reading (writing), until removed; the newest
    /// f counts. Throws std::system_error for a descriptor that cannot be watched.
    void add_reader(int fd, std::function<void()> function) { readers_.add(fd, std::move(function)); }
    void add_writer(int fd, std::function<void()> function) { writers_.add(fd, std::move(function)); }
    /// True when there was a callback.
    bool remove_reader(int fd) noexcept;
    bool remove_writer(int fd) noexcept;

    /// Runs until stop() is called.
    void run_forever();

    /// Runs until nothing is left that could make anything happen: no callback, no timer, no pending I/O; or
    /// until stop() is called. A sleep until `never` is no timer. The founding scheduler's run() and Asio's.
    void run_until_idle();

    /// Ends run_forever() and run_until_idle() after the present turn.
    void stop() noexcept { stopping_ = true; }
    /// The same, from any thread; the loop is woken when it sleeps. Asked before the loop runs, it ends the
    /// next run_forever() or run_until_idle() after its first turn.
    void stop_from_any_thread() {
        post_from_any_thread([this] { stop(); });
    }

    /// One turn, for who has a loop of his own around it. Throws std::logic_error inside another turn.
    void turn();

    // The network (net/stream.hpp, net/pipe.hpp).

    /// Throws std::system_error naming the endpoint.
    loop::listener listen(const endpoint& local);
    /// On 127.0.0.1, on a port that the kernel chooses.
    loop::listener listen();
    /// Awaitable, gives a stream; throws std::system_error naming the peer.
    loop::task<loop::stream> connect(endpoint peer);
    loop::task<loop::stream> connect(std::uint16_t port);
    /// The path must not exist, and stays when the listener is closed.
    loop::listener listen_unix(std::string_view path);
    loop::task<loop::stream> connect_unix(std::string_view path);
    /// Both ends of a new pipe.
    pipe_ends open_pipe();

    // For awaiters, streams and wait policies.

    driver& io() noexcept { return *io_; }
    /// For descriptors that are written to with write(2), which has no flag against SIGPIPE: from now on the
    /// signal is blocked in the loop's thread while the loop runs, and what a write has raised is taken away.
    /// The process's disposition stays what it is. In the loop's thread, or before it runs.
    void block_sigpipe() noexcept;
    /// While it lives, the loop is in a run: its own, or one of what may carry a pending write out by ending
    /// it.
    class run_guard;
    /// Throws std::bad_alloc; then the timer is not armed.
    virtual void arm(timer& t) = 0;
    /// The timer is armed.
    virtual void disarm(timer& t) noexcept = 0;

protected:
    using make_driver_fn = std::unique_ptr<driver> (*)(ready_queue& ready);

    event_loop(std::string_view name, make_driver_fn make_driver, clock* other_clock, bool polls);

    /// See scheduler::close(); and the descriptors' callbacks before.
    void close() noexcept;

    void wake() noexcept override {
        if (asleep_.load(std::memory_order_seq_cst)) io_->wake();
    }
    time_point time_of_callbacks() noexcept override { return now(); }
    virtual bool has_timers() const noexcept = 0;

    void begin_run() noexcept;
    void end_run() noexcept;

    const std::string_view name_;
    const std::unique_ptr<driver> io_;
    clock* const clock_;   // null: the kernel's
    time_point last_now_;  // the clock has reached this
    // The loop says that it sleeps before it looks for posts a last time; others post before they look
    // whether it sleeps. In the one order of sequentially consistent operations, one of them sees the other.
    alignas(64) std::atomic<bool> asleep_{false};

private:
    bool stopping_ = false;
    bool in_run_ = false;
    bool writes_to_pipes_ = false;
    bool guards_sigpipe_ = false;       // in the present run
    bool sigpipe_was_blocked_ = false;  // before that: then it stays so
    bool sigpipe_was_pending_ = false;  // likewise: then it is somebody else's
    fd_callbacks readers_;
    fd_callbacks writers_;
};

class event_loop::run_guard {
public:
    explicit run_guard(event_loop& loop) noexcept : outermost_(loop.in_run_ ? nullptr : &loop) {
        if (outermost_ != nullptr) outermost_->begin_run();
    }
    run_guard(const run_guard&) = delete;
    run_guard& operator=(const run_guard&) = delete;
    ~run_guard() {
        if (outermost_ != nullptr) outermost_->end_run();
    }

private:
    event_loop* outermost_;
};

inline bool event_loop::remove_reader(int fd) noexcept {
    const run_guard guard(*this);
    return readers_.remove(fd);
}
inline bool event_loop::remove_writer(int fd) noexcept {
    const run_guard guard(*this);
    return writers_.remove(fd);
}

class event_loop::sleep_awaiter : polled_awaiter<timer> {
public:
    sleep_awaiter(event_loop& loop, time_point when) noexcept
        : polled_awaiter<timer>(loop.ready()), loop_(loop) {
        deadline = when;
    }
    ~sleep_awaiter() {
        if (armed) loop_.disarm(*this);
    }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) {
        return suspend(coroutine, loop_.polls() ? nullptr : &cancel) && start();
    }

    void await_resume() { throw_if_cancelled(); }

private:
    // True: the coroutine stays suspended.
    bool start() {
        if (loop_.polls()) {
            poll(&is_over);
        } else if (deadline <= loop_.last_now_) {
            ready().push(*this);
        } else if (deadline != never) {  // or only a cancellation ends it, and it keeps no loop running
            try {
                loop_.arm(*this);
            } catch (...) {
                stay_running();
                throw;
            }
        }
        return true;
    }

    static void cancel(suspension* place) noexcept {
        auto& self = *static_cast<sleep_awaiter*>(place);
        if (self.armed) {
            self.loop_.disarm(self);
        } else if (self.deadline != never) {
            return;  // it has expired and is queued
        }
        self.ready().push(self);
    }

    // Document 001's sleep: it looks at the clock each time that it is asked.
    static bool is_over(polled_awaiter<timer>& asked) {
        auto& self = static_cast<sleep_awaiter&>(asked);
        return self.cancel_requested() || self.loop_.now() >= self.deadline;
    }

    event_loop& loop_;
};

inline event_loop::sleep_awaiter event_loop::sleep_until(time_point when) noexcept {
    return {*this, when};
}
inline event_loop::sleep_awaiter event_loop::sleep_for(nanoseconds delay) noexcept {
    return {*this, deadline_after(now(), delay)};
}

}  // namespace loopbench::loop
