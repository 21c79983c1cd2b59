// Asio's scheduler with our tasks on it: post, spawn and their helpers.
//
// Everything goes through Asio's queue, except the first step of run()'s task and functions that other
// threads post: those come in a queue of ours (loop/scheduler.hpp), which one handler of Asio's runs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "asio_ref/tuned/handler_memory.hpp"
#include "asio_ref/tuned/wakeup.hpp"
#include "loop/coro/task.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::asio_ref::tuned {

/// A scheduler. Everything but post_from_any_thread() is for the loop's thread alone.
class scheduler : loop::scheduler {
public:
    using executor = boost::asio::io_context::executor_type;

    using loop::scheduler::post_from_any_thread;
    using loop::scheduler::run;

    scheduler() = default;

    executor get_executor() noexcept { return context_.get_executor(); }
    /// Returns true while everything is being freed: handlers whose memory is in a frame must then not be
    /// queued.
    bool closing() noexcept { return ready().closed(); }

    template <class Function>
    void post(Function&& function) {
        boost::asio::post(get_executor(),
                          posted_function<std::decay_t<Function>>{this, std::forward<Function>(function)});
    }

    void spawn(loop::task<void> detached) {
        boost::asio::post(get_executor(), first_step{this, roots().adopt(std::move(detached)).frame});
    }

    /// Resumes a coroutine, inside Asio's call of a handler; throws the exception of a spawned task that
    /// failed meanwhile.
    void step(std::coroutine_handle<> frame) {
        ready().budget.refill();
        frame.resume();
        after_step();
    }

    /// Runs after every handler: looks for functions from other threads, and throws a failed spawned task's
    /// exception.
    void after_step() {
        if (has_posted()) [[unlikely]]
            see_to_posted();
        if (roots().has_failure()) [[unlikely]]
            std::rethrow_exception(roots().take_failure());
    }

    /// Returns true if an awaiter that has moved `bytes` bytes can complete at once; false if this step has
    /// used up its share (loop/operation.hpp, work_budget), so that the awaiter must go through the queue.
    bool may_complete_inline(std::size_t bytes) noexcept { return ready().budget.may_complete_inline(bytes); }

    /// Opens the wake-up. Called by every function that makes Asio set up its reactor. Throws
    /// std::system_error.
    void reactor_is_needed() {
        if (!wakeup_.is_open()) [[unlikely]]
            open_wakeup();
    }

    // Called by Asio and for the eventfd: runs our queue, including functions that other threads have posted.
    void completed() {
        pass_is_queued_ = false;
        on_wake();
    }
    void on_wake() {
        take_posted();
        try {
            run_ready(loop::work_budget::without_limit);
        } catch (...) {
            pass_soon();  // for the rest of the queue
            throw;
        }
    }
    operation_storage<48> storage;

protected:
    ~scheduler() {
        // Pending operations are stored in frames, so they are destroyed first; the sockets and timers in the
        // frames need their services, so the context is destroyed last.
        ready().close();
        context_.drop_operations();
        close();
    }

private:
    struct context : boost::asio::io_context {
        // No lock is taken anywhere, so only one thread can use it; post() is no exception.
        context() : io_context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE) {}

        /// Destroys every queued and pending operation; sockets and timers can still be destroyed afterwards.
        void drop_operations() { shutdown(); }
    };

    struct in_pool {
        using allocator_type = pool_allocator<>;
        allocator_type get_allocator() const noexcept { return {}; }
    };

    template <class Function>
    struct posted_function : in_pool {
        posted_function(scheduler* owner, Function what) : on(owner), function(std::move(what)) {}
        void operator()() {
            scheduler& after = *on;
            function();
            after.after_step();
        }
        scheduler* on;
        Function function;
    };

    struct first_step : in_pool {
        first_step(scheduler* owner, std::coroutine_handle<> of) noexcept : on(owner), frame(of) {}
        void operator()() const { on->step(frame); }
        scheduler* on;
        std::coroutine_handle<> frame;
    };

    void take_turns(const bool& done) final {
        pass_soon();
        context_.restart();
        while (!done) {
            context_.run();
            if (done) return;
            // Nothing is queued or pending: only another thread can add work now.
            reactor_is_needed();
            context_.restart();
        }
    }
    void main_ended() noexcept final { context_.stop(); }

    // Called when the queue for other threads was empty before. If the loop is awake, it would see the
    // function without a system call; but Asio does not show when it goes to sleep, and marking the loop as
    // awake before and after every handler costs more than a rare write.
    void wake() noexcept final { wakeup_.ring(); }

    /// Queues a pass over our queue. Allocates nothing, so that nothing is lost when there is no memory.
    void pass_soon() {
        if (std::exchange(pass_is_queued_, true)) return;
        boost::asio::post(get_executor(), completion_handler<scheduler>{this});
    }

    // An open eventfd will call on_wake(); without one, a pass must be queued.
    void see_to_posted() {
        if (!wakeup_.is_open()) pass_soon();
    }

    void open_wakeup() {
        wakeup_.open(get_executor());
        if (has_posted()) pass_soon();
    }

    context context_;
    wakeup<scheduler> wakeup_{*this};
    bool pass_is_queued_ = false;
};

}  // namespace loopbench::asio_ref::tuned
