// The core of an io_context: the project's loop, the thread that runs the loop, and the count of outstanding
// work.
//
// Threads: in Asio, any thread can start or cancel operations and close descriptors while another thread runs
// the loop. Therefore, a lock protects the timers and the driver. The thread that runs the loop (the running
// thread) holds this lock during its turns, but not while it sleeps and not while handlers run
// (loop/io/io.hpp). In a process with one thread, the lock costs one check of a flag. Only the running thread
// uses the ready queue; other threads post (loop/posting.hpp). Only one thread runs the loop at a time. A
// second thread that calls run() waits until the first thread has left run().
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/detail/handler_tracking.hpp>
#include <boost/asio/detail/thread_context.hpp>
#include <boost/asio/detail/thread_info_base.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "loop/designs.hpp"
#include "loopbench/asio/detail/context_record.hpp"

namespace loopbench::asio {

/// The design of the loop that a context runs on.
enum class design {
    epoll,     // the design loop-epoll
    io_uring,  // the design loop-uring
};

namespace detail {

using boost::system::error_code;
using loop::completion;
using loop::operation;

inline std::string_view name_of(design chosen) noexcept {
    return chosen == design::epoll ? "loop-epoll" : "loop-uring";
}

/// Returns the design that the environment variable LOOPBENCH_ASIO names, or epoll if the variable is unset
/// or empty. Throws std::invalid_argument for an unknown name.
inline design design_from_environment() {
    const char* const named = std::getenv("LOOPBENCH_ASIO");
    const std::string_view name = named == nullptr ? "" : named;
    if (name.empty() || name == "epoll") return design::epoll;
    if (name == "io_uring") return design::io_uring;
    throw std::invalid_argument("LOOPBENCH_ASIO is '" + std::string(name) +
                                "', but the only valid values are 'epoll' and 'io_uring'");
}

/// Creates the loop of a context. Records the first loop of each design in this process, and the first
/// failure (record_context()). A forked child relies on its parent's record. Throws the exceptions of
/// loop::make_loop().
inline std::unique_ptr<loop::event_loop> make_recorded_loop(design chosen) {
    static std::array<std::atomic<bool>, 2> is_recorded{}, has_failed{};
    const auto place = static_cast<std::size_t>(chosen);
    const char* const name = chosen == design::epoll ? "epoll" : "io_uring";
    try {
        auto made = loop::make_loop(name_of(chosen));
        if (!is_recorded[place].exchange(true)) record_context(name);
        return made;
    } catch (const std::exception& failure) {
        if (!has_failed[place].exchange(true)) record_context(name, failure.what());
        throw;
    }
}

/// Converts an errno value into Asio's error type.
inline error_code from_errno(std::int64_t error) noexcept {
    return {static_cast<int>(error), boost::asio::error::get_system_category()};
}

/// An I/O operation with the results that Asio's handlers receive.
struct io_op : loop::io_operation {
    error_code ec;
    std::size_t bytes = 0;
    const void* cancellation_key = nullptr;
    bool is_settled = false;  // true if `ec` and `bytes` were set without the driver

    /// Converts the driver's result into `ec` and `bytes`. `zero_is_end` is true if a transfer of zero bytes
    /// means the end of the stream. Call this function after the operation has completed.
    void settle(bool zero_is_end) noexcept {
        if (is_settled) return;
        if (result < 0) {
            ec = from_errno(-result);
            bytes = 0;
        } else if (call == nullptr) {
            bytes = static_cast<std::size_t>(result);
            if (bytes == 0 && zero_is_end) ec = boost::asio::error::eof;
        }
    }
};

/// True if the program contains a call of a socket's cancel() or release(). An object of type notes_cancel
/// sets it before main() begins, or when a shared library with such a call is loaded.
[[gnu::visibility("default")]] inline std::atomic<bool> program_cancels = false;
struct notes_cancel {
    notes_cancel() noexcept { program_cancels = true; }
};

class core : private boost::asio::detail::thread_context {
public:
    static constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();

    core(boost::asio::execution_context& owner, design chosen)
        : owner_(owner), loop_(make_recorded_loop(chosen)) {
        BOOST_ASIO_HANDLER_TRACKING_INIT;
        loop_->io().share(lock_);
        if (program_cancels) loop_->io().will_cancel();
    }
    core& operator=(core&&) = delete;
    /// Destroys the core. The owner must have called discard().
    ~core() = default;

    boost::asio::execution_context& owner() noexcept { return owner_; }

    /// Destroys every handler that is queued or that waits for an operation.
    void discard() noexcept {
        const running in_here(*this);  // thus destructors of handlers can use the ready queue
        loop_->discard_operations();
    }

    /// Returns true if the calling thread is inside run(), like running_in_this_thread() of Asio's executors.
    bool runs_in_this_thread() const noexcept {
        return thread_call_stack::contains(const_cast<core*>(this)) != nullptr;
    }

    // Work keeps run() from returning. A handler counts as work from the time when it is queued or starts to
    // wait until it has returned.

    /// Counts a handler as work. If the calling thread runs the loop, updates a counter that is not atomic;
    /// this is sufficient, because handlers also end in the thread that runs the loop.
    void handler_started() noexcept {
        runs_in_this_thread() ? void(++own_work_) : void(work_.fetch_add(1, std::memory_order_relaxed));
    }
    /// Counts work that is not a handler and keeps run() from returning, such as a work guard or a pending
    /// operation. Such work might end in another thread while the current handler runs. Therefore, this
    /// function updates the counter that all threads share.
    void work_started() noexcept { work_.fetch_add(1, std::memory_order_relaxed); }
    void work_finished() noexcept {
        if (runs_in_this_thread()) {
            --own_work_;  // added to work_ when the current handler ends
        } else if (work_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            stop();
        }
    }

    /// Ends the work of a handler that this context does not run. A context without work stops only if a
    /// thread runs it.
    void handler_left() noexcept {
        if (runs_in_this_thread()) {
            --own_work_;
        } else if (work_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            stop_from_other_thread(/*only_if_run=*/true);
        }
    }

    /// Puts an operation into the ready queue. Its handler must already be counted as work. Any thread can
    /// call this function.
    void push(operation& op) noexcept {
        runs_in_this_thread() ? loop_->ready().push(op) : loop_->push_from_any_thread(op);
    }
    /// Puts an operation into the ready queue and counts its handler as work. Any thread can call this
    /// function.
    void post(operation& op) noexcept {
        if (runs_in_this_thread()) {
            ++own_work_;
            loop_->ready().push(op);
        } else {
            work_.fetch_add(1, std::memory_order_relaxed);
            loop_->push_from_any_thread(op);
        }
    }
    /// A scope around the call of a handler. The destructor records that the handler has run, even if the
    /// handler threw an exception.
    class handler_scope {
    public:
        explicit handler_scope(core& of) noexcept : core_(of) {}
        handler_scope& operator=(handler_scope&&) = delete;
        ~handler_scope() {
            ++core_.executed_;
            --core_.own_work_;
            core_.settle_work();
            if (core_.stopped()) core_.loop_->end_step();
        }

    private:
        core& core_;
    };

    /// Stores the exception of a function that execute() has called directly. run() throws the exception
    /// after the current handler has returned.
    void keep_exception() noexcept {
        kept_exception_ = kept_exception_ ? kept_exception_ : std::current_exception();
    }
    void throw_kept_exception() {
        if (kept_exception_) [[unlikely]]
            std::rethrow_exception(std::exchange(kept_exception_, nullptr));
    }

    // The functions below are for timers and I/O. Any thread can call them.

    /// A scope in which a thread other than the running thread uses the context without the lock, although a
    /// handler can end run() and destroy the context meanwhile: the destructor of the context waits for the
    /// end of this scope. The thread must hold the lock when it creates this object.
    class use_by_other_thread {
    public:
        explicit use_by_other_thread(core& of) noexcept : core_(of) { ++of.uses_begun_; }
        use_by_other_thread& operator=(use_by_other_thread&&) = delete;
        ~use_by_other_thread() { core_.uses_ended_.fetch_add(1, std::memory_order_release); }

    private:
        core& core_;
    };

    /// A change of the timers or the driver, in any thread. Holds the lock on them until the end of its
    /// scope. Then puts the operations in `ended` into the ready queue and, if `wakes` is true, wakes the
    /// running thread, so that it checks its timers and its driver again.
    class change {
    public:
        // Inlined, because each operation makes several changes, most of which end nothing.
        [[gnu::always_inline]] explicit change(core& of) noexcept : core_(of) { of.lock_.lock(); }
        change(core& locked, std::adopt_lock_t) noexcept : core_(locked) {}
        change& operator=(change&&) = delete;
        [[gnu::always_inline]] ~change() {
            if (ended.empty() && !wakes) {
                core_.lock_.unlock();
            } else if (core_.runs_in_this_thread()) {
                core_.lock_.unlock();
                while (!ended.empty()) core_.loop_->ready().push(ended.pop());
            } else {
                end_in_other_thread();
            }
        }

        loop::io_queue ended;
        bool wakes = false;

    private:
        [[gnu::noinline]] void end_in_other_thread() noexcept {
            const use_by_other_thread used(core_);
            core_.lock_.unlock();
            while (!ended.empty()) core_.loop_->push_from_any_thread(ended.pop());
            if (wakes) core_.loop_->wake_from_any_thread();
        }

        core& core_;
    };

    /// Waits until other threads no longer use the context. Called in the destructor of the context.
    void await_other_threads() noexcept {
        const auto begun = [this] {
            const std::lock_guard lock(lock_);
            return uses_begun_;
        };
        while (uses_ended_.load(std::memory_order_acquire) != begun())
            std::this_thread::sleep_for(std::chrono::microseconds(10));
    }

    loop::event_loop& loop() noexcept { return *loop_; }

    /// Starts an operation. Its handler must already be counted as work. The operation completes
    /// through the ready queue.
    void start(io_op& op) noexcept {
        lock_.lock();
        const bool done = try_to_start(op);
        if (runs_in_this_thread()) [[likely]] {
            lock_.unlock();
            if (done) loop_->ready().push(op);
            return;
        }
        change starting(*this, std::adopt_lock);
        if (done) {
            starting.ended.push(op);
        } else {
            starting.wakes = !loop_->io().runs_in_this_thread();
        }
    }

    /// Starts an operation like start(). If the operation ends immediately, returns true and leaves its
    /// completion to the caller.
    bool start_unless_ended(io_op& op) noexcept {
        change starting(*this);
        if (try_to_start(op)) return true;
        starting.wakes = !loop_->io().runs_in_this_thread();
        return false;
    }

    /// Removes a pending operation from the driver. Afterwards, the operation is neither pending nor queued.
    void discard(io_op& op) noexcept {
        const change discarding(*this);
        loop_->io().discard(op);
        loop_->io().unwatch(op.fd);
    }

    void cancel(int fd, loop::io_choice choice = {}) noexcept {
        change cancelling(*this);
        loop_->io().will_cancel();  // in case that program_cancels was set after the run began
        loop_->io().cancel_some(fd, choice, cancelling.ended);
        cancelling.wakes = !loop_->io().runs_in_this_thread();
    }
    void cancel_by_key(int fd, const void* key) noexcept {
        const auto has_key = [](const loop::io_operation& op, const void* wanted) noexcept {
            return static_cast<const io_op&>(op).cancellation_key == wanted;
        };
        cancel(fd, {has_key, key});
    }

    /// Cancels the pending operations on the descriptor and closes the descriptor with close_now(fd, ec).
    /// `is_shared` means that other descriptors of the same file might exist.
    template <class Close>
    void close(int fd, bool is_shared, error_code& ec, Close close_now) noexcept {
        let_go(fd, is_shared, /*closes=*/true);
        close_now(fd, ec);  // without the lock, because a lingering close (SO_LINGER) takes time
    }

    /// Cancels the pending operations on the descriptor and makes the driver forget the descriptor. Does not
    /// close the descriptor.
    void release(int fd) noexcept { let_go(fd, /*is_shared=*/true, /*closes=*/false); }

    void begin_anew_in_child() {
        const std::lock_guard lock(lock_);
        loop_->io().begin_anew_in_child();
        loop_->forget_other_threads();
        uses_ended_.store(uses_begun_, std::memory_order_relaxed);
    }

    // The functions below run and stop the loop.

    /// Runs handlers, and returns their number. Returns after `handlers_max` handlers, at the time `until`,
    /// when there is no work, or after stop(). If `until` is loop::do_not_wait, the function never waits. If
    /// a handler throws an exception, run() throws this exception.
    std::size_t run(std::size_t handlers_max, loop::time_point until) {
        const bool for_long = handlers_max == without_limit && until == loop::never;
        const running in_here(*this, for_long, until);
        if (!in_here.is_inside()) return 0;
        if (work_.load(std::memory_order_acquire) + own_work_ == 0) stop();
        const auto count = [&] { return executed_ - in_here.executed_before(); };
        const bool is_timed = until != loop::never && until != loop::do_not_wait;
        loop::time_point wake_by = is_timed ? whole_milliseconds_later(until) : until;
        unsigned steps = 0;
        while (!stopped() && count() < handlers_max) {
            const std::size_t count_before = count();
            const bool looks_at_kernel = !loop_->has_ready();
            loop_->step(until == loop::never ? handlers_max - count_before : 1, wake_by);
            settle_work();
            if (++steps % steps_between_looks == 0) refuse_stock_scheduler();
            if (until == loop::never) continue;
            if (is_timed) {
                if (std::chrono::steady_clock::now() >= until) break;
                continue;
            }
            // A step of the loop that ran no handler might have run an internal operation that made a handler
            // ready. Therefore poll() continues after such a step if anything is ready.
            if (looks_at_kernel && count() == count_before && !loop_->has_ready()) break;
        }
        refuse_stock_scheduler();
        return count();
    }

    void stop() noexcept {
        if (runs_in_this_thread()) {
            stopped_.store(true, std::memory_order_seq_cst);
            return loop_->end_step();
        }
        stop_from_other_thread(/*only_if_run=*/false);
    }
    bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
    void restart() noexcept { stopped_.store(false, std::memory_order_relaxed); }

    /// Returns true if an object with Asio's own services was created on this context. Without a check, such
    /// an object would silently run in one of Asio's own threads. io_context.hpp defines this function and
    /// refuse_stock_scheduler().
    bool has_stock_scheduler() const noexcept;
    /// Throws std::logic_error if has_stock_scheduler() returns true.
    void refuse_stock_scheduler() const;

private:
    static constexpr unsigned steps_between_looks = 256;

    /// A scope in which the calling thread runs the loop or discards handlers. Asio finds the thread's
    /// recycled memory through this scope.
    class running {
    public:
        explicit running(core& here) noexcept : core_(here) { enter(); }

        running(core& here, bool for_long, loop::time_point until) : core_(here) {
            if (here.runs_in_this_thread()) {  // run() was called inside a handler
                executed_before_ = here.executed_;
                return;
            }
            runner_ = std::unique_lock(here.runner_, std::defer_lock);
            if (until == loop::never) {
                runner_.lock();
            } else if (until == loop::do_not_wait ? !runner_.try_lock() : !runner_.try_lock_until(until)) {
                is_inside_ = false;
                return;
            }
            here.refuse_stock_scheduler();
            {
                const std::lock_guard lock(here.lock_);
                if (program_cancels) here.loop_->io().will_cancel();  // set after the context was created
                here.loop_->io().enter_thread(for_long);
                here.is_run_ = true;
            }
            is_outermost_ = true;
            is_for_long_ = for_long;
            enter();
        }
        running& operator=(running&&) = delete;
        ~running() {
            if (!is_inside_) return;
            core_.executed_ = executed_before_;
            if (!is_outermost_) return;
            const std::lock_guard lock(core_.lock_);
            core_.loop_->io().leave_thread(is_for_long_ || core_.stopped());
            core_.is_run_ = false;
        }

        /// Returns false if another thread ran the loop until the time limit of this thread expired.
        bool is_inside() const noexcept { return is_inside_; }
        std::size_t executed_before() const noexcept { return executed_before_; }

    private:
        void enter() {
            entry_.emplace(static_cast<thread_context*>(&core_), core_.memory_);
            executed_before_ = core_.executed_;
        }

        core& core_;
        std::unique_lock<std::timed_mutex> runner_;
        std::optional<thread_call_stack::context> entry_;
        bool is_outermost_ = false;  // false if run() was called inside a handler
        bool is_for_long_ = false;
        bool is_inside_ = true;
        std::size_t executed_before_ = 0;
    };

    // Starts an operation. Returns true if it has completed immediately, or if the driver has refused it.
    bool try_to_start(io_op& op) noexcept {
        try {
            return loop_->io().start(op);
        } catch (const std::system_error& refused) {
            op.result = -refused.code().value();
        } catch (const std::bad_alloc&) {
            op.result = -ENOMEM;
        }
        return true;
    }

    void stop_from_other_thread(bool only_if_run) noexcept {
        std::optional<use_by_other_thread> used;
        {
            const std::lock_guard lock(lock_);
            if (only_if_run && !is_run_) return;
            used.emplace(*this);
            stopped_.store(true, std::memory_order_seq_cst);
        }
        if (!nudged_.exchange(true)) loop_->push_from_any_thread(nudge_);
    }

    void let_go(int fd, bool is_shared, bool closes) noexcept {
        std::optional<use_by_other_thread> used;  // ends after the change
        change closing(*this);
        loop_->io().cancel_some(fd, {}, closing.ended);
        if (closes) loop_->io().drop_received(fd);
        try_take_over_driver();
        if (is_shared) loop_->io().unwatch(fd);
        loop_->io().close(fd);
        if (!is_run_ || runs_in_this_thread()) return;
        used.emplace(*this);
        loop_->io().await_close(fd);
    }
    // If no thread runs the loop, takes over the driver from the thread that ran the loop last, because that
    // thread might never run the loop again. (A driver on io_uring then replaces its ring.) The caller must
    // hold the lock.
    void try_take_over_driver() noexcept {
        // A thread in runs_in_this_thread() discards handlers.
        if (is_run_ || runs_in_this_thread() || loop_->io().runs_in_this_thread()) return;
        try {
            loop_->io().enter_thread(/*for_long=*/false);
        } catch (const std::exception&) {
            // The ring cannot be replaced now. The next thread that runs the loop replaces it.
        }
    }

    // An operation that ends the sleep of the running thread and, if the context was stopped, the current
    // step.
    struct nudge : operation {
        explicit nudge(core& of) noexcept : operation{nullptr, &run}, owner(of) {}
        static void run(operation* op, completion) {
            core& self = static_cast<nudge*>(op)->owner;
            self.nudged_.store(false, std::memory_order_seq_cst);
            // Sequentially consistent, like the two writes of stop(): either this thread sees that the
            // context is stopped, or stop() sees that the nudge is over and pushes it again.
            if (self.stopped_.load(std::memory_order_seq_cst)) self.loop_->end_step();
        }
        core& owner;
    };

    // Returns the time until which a run that ends at `until` waits. Like Asio, it waits for whole
    // milliseconds; thus it also runs the handler of a timer that expires less than a millisecond later.
    static loop::time_point whole_milliseconds_later(loop::time_point until) noexcept {
        const auto now = std::chrono::steady_clock::now();
        return now + std::chrono::ceil<std::chrono::milliseconds>(until - now);
    }

    // Adds own_work_ to work_. own_work_ is the work that the running thread has started minus the work that
    // it has finished. If each handler starts one other handler, own_work_ is 0, and the atomic counter is
    // not touched.
    void settle_work() noexcept {
        const long growth = std::exchange(own_work_, 0);
        if (growth != 0 && work_.fetch_add(growth, std::memory_order_acq_rel) + growth == 0) stop();
    }

    boost::asio::execution_context& owner_;
    // No handler runs while the lock is held, but the clock of a timer can be read meanwhile; a program's
    // own clock must therefore not create threads, and must not wait for other threads.
    loop::loop_lock lock_;
    const std::unique_ptr<loop::event_loop> loop_;
    boost::asio::detail::thread_info_base memory_;
    std::timed_mutex runner_;
    std::exception_ptr kept_exception_;
    std::size_t executed_ = 0;  // handlers run so far by the innermost run()
    long own_work_ = 0;         // the running thread's work that is not yet in work_
    nudge nudge_{*this};
    bool is_run_ = false;                    // between enter_thread() and leave_thread(); protected by lock_
    std::size_t uses_begun_ = 0;             // by other threads; protected by lock_
    alignas(64) std::atomic<long> work_{0};  // other threads write it, too
    std::atomic<bool> stopped_{false};
    std::atomic<bool> nudged_{false};
    std::atomic<std::size_t> uses_ended_{0};
};

}  // namespace detail
}  // namespace loopbench::asio
