// Asio's scheduler with our tasks on it: post, spawn and what they need.
//
// Everything goes through Asio's queue, except the first step of run()'s task and what other threads post:
// those come in a queue of ours (loop/scheduler.hpp), which one handler of Asio's runs.
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

/// Everything but post_from_any_thread() is for the loop's thread alone.
class scheduler : loop::scheduler {
public:
    using executor = boost::asio::io_context::executor_type;

    using loop::scheduler::post_from_any_thread;
    using loop::scheduler::run;

    scheduler() = default;

    executor get_executor() noexcept { return context_.get_executor(); }
    /// Whether everything is being freed: no handler may be queued any more whose memory is in a frame.
    bool closing() noexcept { return ready().closed(); }

    template <class Function>
    void post(Function&& function) {
        boost::asio::post(get_executor(),
                          posted_function<std::decay_t<Function>>{this, std::forward<Function>(function)});
    }

    void spawn(loop::task<void> detached) {
        boost::asio::post(get_executor(), first_step{this, roots().adopt(std::move(detached)).frame});
    }

    /// Goes on with a coroutine, inside of Asio's call of a handler; throws what a spawned task threw
    /// meanwhile.
    void step(std::coroutine_handle<> frame) {
        ready().budget.refill();
        frame.resume();
        after_step();
    }

    /// After every handler: looks for what other threads have posted, and throws what a spawned task threw.
    void after_step() {
        if (has_posted()) [[unlikely]]
            see_to_posted();
        if (roots().has_failure()) [[unlikely]]
            std::rethrow_exception(roots().take_failure());
    }

    /// For awaiters that could complete at once, having moved so many bytes: false when this step has had its
    /// share (loop/operation.hpp, work_budget), and must queue.
    bool may_complete_inline(std::size_t bytes) noexcept { return ready().budget.may_complete_inline(bytes); }

    /// Called by whatever makes Asio set up its reactor. Throws std::system_error.
    void reactor_is_needed() {
        if (!wakeup_.is_open()) [[unlikely]]
            open_wakeup();
    }

    // For Asio, and the eventfd: runs what is in our queue, and what was posted.
    void completed() {
        pass_is_queued_ = false;
        on_wake();
    }
    void on_wake() {
        take_posted();
        try {
            run_ready(without_limit);
        } catch (...) {
            pass_soon();  // the rest
            throw;
        }
    }
    operation_storage<48> storage;

protected:
    ~scheduler() {
        // Pending operations live in frames, so they go first; the sockets and timers in the frames need
        // their services, so the context goes last.
        ready().close();
        context_.drop_operations();
        close();
    }

private:
    struct context : boost::asio::io_context {
        // No lock is taken anywhere, so one thread may use it, and post() is no exception.
        context() : io_context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE) {}

        /// Destroys every queued and pending operation; sockets and timers may still be destroyed afterwards.
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
            // Nothing is queued and nothing pending: only another thread can go on from here.
            reactor_is_needed();
            context_.restart();
        }
    }
    void main_ended() noexcept final { context_.stop(); }

    // Whenever something comes that nothing was before: the loop may be awake and would see it without a
    // system call, but when it goes to sleep is Asio's secret, and to say before and after every handler that
    // it is awake costs more than a rare write.
    void wake() noexcept final { wakeup_.ring(); }

    /// Allocates nothing, so that nothing is lost when there is no memory.
    void pass_soon() {
        if (std::exchange(pass_is_queued_, true)) return;
        boost::asio::post(get_executor(), completion_handler<scheduler>{this});
    }

    // The eventfd will call; without one nobody does.
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
