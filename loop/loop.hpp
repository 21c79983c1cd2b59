// The loop as a program uses it: the scheduler with time and I/O. Which driver, timer queue and wait policy
// are behind it is the design's (turn.hpp, designs.hpp), and no matter to a program.
#pragma once

#include "loop/calls.hpp"
#include "loop/net/sockets.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::loop {

class event;
class listener;
class stream;
struct pipe_ends;

/// One thread's loop; made by make_loop() (designs.hpp) there or in another one, and run in no third. Only
/// post_from_any_thread() and stop_from_any_thread() may be called from any.
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
    /// Completes when now() has reached `when`, never before, and through the queue when it has passed.
    sleep_awaiter sleep_until(time_point when) noexcept { return {*this, when}; }
    sleep_awaiter sleep_for(nanoseconds delay) noexcept { return sleep_until(deadline_after(now(), delay)); }

    /// f() runs on the next turn, after what is queued already, unless it is cancelled before.
    /// `where` is its name in debug mode.
    call_handle call_soon(std::function<void()> function,
                          const std::source_location& where = std::source_location::current());

    /// f() runs when now() has reached `when`, never before, unless it is cancelled.
    call_handle call_at(time_point when, std::function<void()> function,
                        const std::source_location& where = std::source_location::current());
    call_handle call_later(nanoseconds delay, std::function<void()> function,
                           const std::source_location& where = std::source_location::current()) {
        return call_at(deadline_after(now(), delay), std::move(function), where);
    }

    /// Call f(), once a turn, while the descriptor is ready for reading (writing), until removed; the newest
    /// f counts. Throws std::system_error for a descriptor that cannot be watched.
    void add_reader(int fd, std::function<void()> function) {
        callbacks_.add(fd, io_kind::readable, std::move(function));
    }
    void add_writer(int fd, std::function<void()> function) {
        callbacks_.add(fd, io_kind::writable, std::move(function));
    }
    /// True when there was a callback.
    bool remove_reader(int fd) noexcept { return remove(fd, io_kind::readable); }
    bool remove_writer(int fd) noexcept { return remove(fd, io_kind::writable); }

    /// Runs until stop() is called.
    void run_forever();

    /// Runs until nothing is left that could make anything happen: no callback, no timer, no pending I/O, no
    /// expected_post; or until stop() is called. A sleep until `never` is no timer. The founding scheduler's
    /// run() and Asio's.
    void run_until_idle();

    /// While one lives, another thread is going to post something. Loop's thread only.
    class expected_post {
    public:
        expected_post(event_loop& loop) noexcept : loop_(loop) { ++loop_.expected_posts_; }
        expected_post& operator=(expected_post&&) = delete;
        ~expected_post() { --loop_.expected_posts_; }

    private:
        event_loop& loop_;
    };

    /// Ends run_forever() and run_until_idle() after the present turn.
    void stop() noexcept { stopping_ = true; }
    /// The same, from any thread; the loop is woken when it sleeps. Asked before the loop runs, it ends the
    /// next run_forever() or run_until_idle() after its first turn.
    void stop_from_any_thread() {
        post_from_any_thread([this] { stop(); });
    }

    /// One turn, for who has a loop of his own around it. Throws std::logic_error inside another turn.
    void turn();

    /// For who counts what runs: waits when nothing is ready, but not longer than until `wake_by`
    /// (do_not_wait: it only looks), and then runs at most so many callbacks, fewer where end_step() says so
    /// or the work budget is used up. Unlike turn() it may be called inside of a callback. What a callback
    /// throws leaves it, and nothing is lost. Takes the lock of a driver that is shared.
    void step(std::size_t callbacks_max, time_point wake_by) { take_step(callbacks_max, wake_by); }
    /// The present step ends after the present callback. Loop's thread only.
    void end_step() noexcept { ready().budget.use(work_budget::units_max); }
    /// Ends the sleep of a loop that may be asleep: for who has changed its timers or its I/O in another
    /// thread, with the lock of its driver.
    void wake_from_any_thread() noexcept { wake(); }
    /// At the end of a program that keeps its own operations in the loop: discards what is armed, pending or
    /// queued, and what these add while they are discarded.
    virtual void discard_operations() noexcept = 0;

    // The network (net/stream.hpp, net/pipe.hpp).

    /// By default on 127.0.0.1 and a port of the kernel's. Throws std::system_error naming the endpoint.
    loop::listener listen(const endpoint& local = endpoint::loopback(0));
    /// The same at an address of this machine, in digits.
    loop::listener listen_on(std::string_view address);
    /// The path must not exist, and stays when the listener is closed.
    loop::listener listen_unix(std::string_view path);
    /// A stream, TCP_NODELAY set. Throws std::system_error naming the peer.
    loop::task<loop::stream> connect(endpoint peer);
    loop::task<loop::stream> connect(std::uint16_t port) { return connect(endpoint::loopback(port)); }
    loop::task<loop::stream> connect_unix(std::string_view path) {
        return connect(endpoint::unix_path(path));
    }
    /// Both ends of a new pipe.
    pipe_ends open_pipe();

    // For awaiters, streams and wait policies.

    driver& io() noexcept { return *io_; }
    /// For descriptors that are written to with write(2), which has no flag against SIGPIPE: from now on the
    /// signal is blocked in the loop's thread while the loop runs, and what a write has raised is taken away.
    /// The process's disposition stays what it is. In the loop's thread, or before it runs.
    void block_sigpipe() noexcept;
    /// While what it gives lives, that holds: in the loop's runs, and where ending a pending write may carry
    /// it out. Null inside of another one.
    [[nodiscard]] auto guard_writes() noexcept {
        if (std::exchange(guarded_, true)) return write_guard();
        if (writes_to_pipes_) [[unlikely]]
            block_sigpipe();
        return write_guard(this);
    }
    /// Throws std::bad_alloc; then the timer is not armed.
    virtual void arm(timer& t) = 0;
    /// The timer is armed.
    virtual void disarm(timer& t) noexcept = 0;

    class sleep_awaiter : polled_awaiter<timer> {
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
            const bool polls = loop_.polls();
            const bool has_come = deadline <= loop_.last_now_;
            // Without a deadline only a cancellation ends it, and it keeps no loop running. (When arm()
            // throws, the task does not yet point here.)
            if (!polls && !has_come && deadline != never) loop_.arm(*this);
            if (!suspend(coroutine, polls ? nullptr : &cancel)) {
                if (armed) loop_.disarm(*this);
                return false;
            }
            if (polls) {
                poll(&is_over);
            } else if (has_come) {
                ready().push(*this);
            }
            return true;
        }

        void await_resume() { throw_if_cancelled(); }

    private:
        static void cancel(suspension* place) noexcept {
            auto& self = *static_cast<sleep_awaiter*>(place);
            if (self.armed) {
                self.loop_.disarm(self);
                self.place.later = nullptr;
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

protected:
    using make_driver_fn = std::unique_ptr<driver> (*)(ready_queue& ready);

    event_loop(std::string_view name, make_driver_fn make_driver, bool polls, clock* other_clock);

    /// See scheduler::close(); and the descriptors' callbacks before.
    void close() noexcept;

    void wake() noexcept override {
        if (sleep_notice_.is_up()) io_->wake();
    }
    time_point time_of_callbacks() noexcept override { return now(); }
    virtual bool has_timers() const noexcept = 0;
    virtual void take_step(std::size_t callbacks_max, time_point wake_by) = 0;

    const std::string_view name_;
    const std::unique_ptr<driver> io_;
    clock* const clock_;   // null: the kernel's
    time_point last_now_;  // the clock has reached this
    // Read by other threads.
    alignas(64) sleep_notice sleep_notice_;

private:
    bool remove(int fd, io_kind kind) noexcept {
        const auto guard = guard_writes();
        return callbacks_.remove(fd, kind);
    }

    struct end_of_guard {
        void operator()(event_loop* guarded) const noexcept { guarded->end_guard(); }
    };
    using write_guard = std::unique_ptr<event_loop, end_of_guard>;
    void end_guard() noexcept;

    std::size_t expected_posts_ = 0;
    bool stopping_ = false;
    bool writes_to_pipes_ = false;
    bool guarded_ = false;              // a write_guard lives
    bool blocks_sigpipe_ = false;       // for that guard
    bool sigpipe_was_blocked_ = false;  // before that: then it stays so
    bool sigpipe_was_pending_ = false;  // likewise: then it is somebody else's
    fd_callbacks callbacks_;
};

}  // namespace loopbench::loop
