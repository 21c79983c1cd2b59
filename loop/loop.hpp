#pragma once

#include "loop/calls.hpp"
#include "loop/net/sockets.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::loop {

class event;
class listener;
class stream;
struct pipe_ends;

/// The loop of one thread. Any thread may create a loop; afterwards, the loop must always run in the same
/// thread. Other threads may call only post_from_any_thread(), push_from_any_thread(), stop_from_any_thread()
/// and wake_from_any_thread().
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

    std::string_view name() const noexcept { return name_; }

    time_point now() noexcept {
        return last_now_ = clock_ == nullptr ? std::chrono::steady_clock::now() : clock_->now();
    }

    class sleep_awaiter;
    /// Returns an awaitable that completes when now() has reached `when`, never earlier. If `when` has
    /// already passed, the awaitable completes through the ready queue.
    sleep_awaiter sleep_until(time_point when) noexcept { return {*this, when}; }
    sleep_awaiter sleep_for(nanoseconds delay) noexcept { return sleep_until(deadline_after(now(), delay)); }

    /// Runs `function` on the next turn, after all functions that are already queued. In debug mode, `where`
    /// names the call in warnings.
    call_handle call_soon(std::function<void()> function,
                          const std::source_location& where = std::source_location::current());

    call_handle call_at(time_point when, std::function<void()> function,
                        const std::source_location& where = std::source_location::current());
    call_handle call_later(nanoseconds delay, std::function<void()> function,
                           const std::source_location& where = std::source_location::current()) {
        return call_at(deadline_after(now(), delay), std::move(function), where);
    }

    /// Calls `function` once per turn while the descriptor is ready, until the function is removed or
    /// replaced. Throws std::system_error if the descriptor cannot be watched.
    void add_reader(int fd, std::function<void()> function) {
        callbacks_.add(fd, io_kind::readable, std::move(function));
    }
    void add_writer(int fd, std::function<void()> function) {
        callbacks_.add(fd, io_kind::writable, std::move(function));
    }
    bool remove_reader(int fd) noexcept { return remove(fd, io_kind::readable); }
    bool remove_writer(int fd) noexcept { return remove(fd, io_kind::writable); }

    void run_forever();

    /// Runs until stop() is called or the loop is idle. An idle loop has no queued callback, no timer, no
    /// pending I/O and no expected_post. A sleep until `never` does not count as a timer.
    void run_until_idle();

    /// An announcement that another thread will post something; while it exists, run_until_idle() does not
    /// end. Use this class only in the loop's thread.
    class expected_post {
    public:
        expected_post(event_loop& loop) noexcept : loop_(loop) { ++loop_.expected_posts_; }
        expected_post& operator=(expected_post&&) = delete;
        ~expected_post() { --loop_.expected_posts_; }

    private:
        event_loop& loop_;
    };

    /// Makes run_forever() or run_until_idle() return after the current turn.
    void stop() noexcept { stopping_ = true; }
    /// Does the same as stop(), from any thread. If the loop does not run yet, the next run_forever() or
    /// run_until_idle() returns after its first turn.
    void stop_from_any_thread() {
        post_from_any_thread([this] { stop(); });
    }

    /// Runs one turn, for a program that has its own main loop. Throws std::logic_error inside another turn.
    void turn();

    /// Runs one step: waits until an operation is ready, and then runs at most `callbacks_max` callbacks. The
    /// wait ends at `wake_by` at the latest; with do_not_wait, step() only asks the kernel for events. Runs
    /// fewer callbacks if end_step() is called or the work budget is used up. Unlike turn(), step() may be
    /// called inside a callback. If a callback throws, step() throws the same exception, and no operation is
    /// lost. While step() waits, it holds the lock of a shared driver, except while the thread sleeps in the
    /// kernel.
    void step(std::size_t callbacks_max, time_point wake_by) { take_step(callbacks_max, wake_by); }
    /// Ends the current step after the current callback. Call this function only in the loop's thread.
    void end_step() noexcept { ready().budget.use(work_budget::units_max); }
    /// Wakes the loop. Another thread must call this function after it has changed the loop's timers or I/O
    /// under the driver's lock.
    void wake_from_any_thread() noexcept { wake(); }
    /// Discards all armed, pending and queued operations, and those that are added meanwhile. Call this
    /// function at the end of a program that has its own operations in the loop.
    virtual void discard_operations() noexcept = 0;

    /// Listens on `local`; with port 0, the kernel chooses the port. Throws a std::system_error that names
    /// the endpoint.
    loop::listener listen(const endpoint& local = endpoint::loopback(0));
    /// Listens on `address`, which is a numeric address, and on a port that the kernel chooses.
    loop::listener listen_on(std::string_view address);
    /// Listens on a Unix socket. The path must not exist yet; closing the listener does not remove it.
    loop::listener listen_unix(std::string_view path);
    /// Connects to `peer` and sets TCP_NODELAY. Throws a std::system_error that names the peer.
    loop::task<loop::stream> connect(endpoint peer);
    loop::task<loop::stream> connect(std::uint16_t port) { return connect(endpoint::loopback(port)); }
    loop::task<loop::stream> connect_unix(std::string_view path) {
        return connect(endpoint::unix_path(path));
    }
    pipe_ends open_pipe();

    // Only awaiters, streams and wait policies use the following members.

    driver& io() noexcept { return *io_; }
    /// Blocks SIGPIPE in the loop's thread while the loop runs, because write(2) has no flag against this
    /// signal. At the end of each run, a pending SIGPIPE that a write has raised is removed. The process's
    /// signal disposition does not change. Call this function in the loop's thread, or before the loop runs.
    void block_sigpipe() noexcept;
    /// Returns a guard that blocks SIGPIPE (see block_sigpipe()), or a null guard if a guard already exists.
    /// A guard is needed while the loop runs and while pending writes are cancelled, because the kernel might
    /// still execute these writes.
    [[nodiscard]] auto guard_writes() noexcept {
        if (std::exchange(guarded_, true)) return write_guard();
        if (writes_to_pipes_) [[unlikely]]
            block_sigpipe();
        return write_guard(this);
    }
    /// Arms the timer. If arm() throws std::bad_alloc, the timer is not armed.
    virtual void arm(timer& t) = 0;
    virtual void disarm(timer& t) noexcept = 0;

    class sleep_awaiter : woken_awaiter<timer> {
    public:
        sleep_awaiter(event_loop& loop, time_point when) noexcept
            : woken_awaiter<timer>(loop.ready()), loop_(loop) {
            deadline = when;
        }
        ~sleep_awaiter() {
            if (armed) loop_.disarm(*this);
        }

        bool await_ready() const noexcept { return false; }

        template <class Promise>
        bool await_suspend(std::coroutine_handle<Promise> coroutine) {
            return suspend_until(coroutine, &is_over, &cancel, [this] {
                if (deadline <= loop_.last_now_) {
                    ready().push(*this);
                } else if (deadline != never) {
                    // A sleep until `never` is not armed, so that it does not keep the loop from becoming
                    // idle.
                    loop_.arm(*this);
                }
            });
        }

        void await_resume() { throw_if_cancelled(); }

    private:
        static void cancel(suspension* place) noexcept {
            auto& self = *static_cast<sleep_awaiter*>(place);
            if (self.armed) {
                self.loop_.disarm(self);
                self.place.later = nullptr;
            } else if (self.deadline != never) {
                return;
            }
            self.ready().push(self);
        }

        static bool is_over(woken_awaiter<timer>& asked) {
            auto& self = static_cast<sleep_awaiter&>(asked);
            return self.cancel_requested() || self.loop_.now() >= self.deadline;
        }

        event_loop& loop_;
    };

protected:
    using make_driver_fn = std::unique_ptr<driver> (*)(ready_queue& ready);

    event_loop(std::string_view name, make_driver_fn make_driver, clock* other_clock);

    void close() noexcept;

    void wake() noexcept override {
        if (sleep_notice_.is_up()) io_->wake();
    }
    time_point time_of_callbacks() noexcept override { return now(); }
    virtual bool has_timers() const noexcept = 0;
    virtual void take_step(std::size_t callbacks_max, time_point wake_by) = 0;

    const std::string_view name_;
    const std::unique_ptr<driver> io_;
    clock* const clock_;
    time_point last_now_;
    // Other threads read sleep_notice_; therefore it has a cache line of its own.
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
    bool guarded_ = false;
    bool blocks_sigpipe_ = false;
    bool sigpipe_was_blocked_ = false;
    bool sigpipe_was_pending_ = false;
    fd_callbacks callbacks_;
};

}  // namespace loopbench::loop
