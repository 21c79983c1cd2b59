// The scheduler runs the tasks of this project on Asio's scheduler. Almost all work goes through Asio's
// queue. Only the first step of run()'s task, and functions that other threads post, go through the ready
// queue of loop/scheduler.hpp. A handler in Asio's queue runs this ready queue.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "asio_ref/context_options.hpp"
#include "asio_ref/tuned/handler_memory.hpp"
#include "asio_ref/tuned/wakeup.hpp"
#include "loop/coro/task.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::asio_ref::tuned {

/// A scheduler over an io_context. Other threads may call only post_from_any_thread().
class scheduler : loop::scheduler {
public:
    using executor = boost::asio::io_context::executor_type;

    using loop::scheduler::post_from_any_thread;
    using loop::scheduler::run;

    scheduler() = default;

    executor get_executor() noexcept { return context_.get_executor(); }
    /// Returns true while the destructor runs. At that time, handlers whose memory is in a frame must not be
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

    /// Resumes a coroutine while Asio calls a handler. Throws the exception of a spawned task that fails
    /// during this step.
    void step(std::coroutine_handle<> frame) {
        ready().budget.refill();
        frame.resume();
        after_step();
    }

    /// Makes sure that functions posted by other threads run, and throws the exception of a failed spawned
    /// task. Called after every handler.
    void after_step() {
        if (has_posted()) [[unlikely]]
            see_to_posted();
        if (roots().has_failure()) [[unlikely]]
            std::rethrow_exception(roots().take_failure());
    }

    /// Returns false if this step has used up its work budget (loop/operation.hpp); then an awaiter that has
    /// moved `bytes` bytes must go through the queue.
    bool may_complete_inline(std::size_t bytes) noexcept { return ready().budget.may_complete_inline(bytes); }

    /// Opens the wake-up if it is not open. Every function that makes Asio set up its reactor must call this
    /// function first. Throws std::system_error.
    void reactor_is_needed() {
        if (!wakeup_.is_open()) [[unlikely]]
            open_wakeup();
    }

    void completed() {
        pass_is_queued_ = false;
        on_wake();
    }
    void on_wake() {
        take_posted();
        try {
            run_ready(loop::work_budget::without_limit);
        } catch (...) {
            pass_soon();
            throw;
        }
    }
    operation_storage<48> storage;

protected:
    ~scheduler() {
        // Pending operations are destroyed before the frames in which they are stored. The context is
        // destroyed last, because the sockets and timers in the frames need its services.
        ready().close();
        context_.drop_operations();
        close();
    }

private:
    struct context : boost::asio::io_context {
        // Creates a context without locks; therefore only one thread may use the context, even for post().
        context() : io_context(context_argument_of(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE, same_as_unsafe)) {}

        static constexpr const char* same_as_unsafe =
            "scheduler.concurrency_hint=1\nscheduler.locking=0\nreactor.io_locking=0\n"
            "reactor.registration_locking=0";

        /// Destroys all queued and pending operations. Sockets and timers can still be destroyed afterwards.
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
            // run() has returned because no operation is queued or pending. Now only another thread can add
            // work; therefore the wake-up, through which other threads reach this loop, must be open.
            reactor_is_needed();
            context_.restart();
        }
    }
    void main_ended() noexcept final { context_.stop(); }

    // Wakes the loop by a write to an eventfd. A loop that is awake would not need this write, but Asio does
    // not show when it goes to sleep, and marking the loop as awake around every handler would cost more than
    // an occasional unnecessary write.
    void wake() noexcept final { wakeup_.ring(); }

    /// Queues a handler that runs the ready queue of loop/scheduler.hpp, without allocating memory; therefore
    /// no function is lost if memory is short.
    void pass_soon() {
        if (std::exchange(pass_is_queued_, true)) return;
        boost::asio::post(get_executor(), completion_handler<scheduler>{this});
    }

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
