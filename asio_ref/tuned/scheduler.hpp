// Asio's scheduler with our tasks on it: post, spawn, yield and what they need.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "asio_ref/tuned/pool_allocator.hpp"
#include "asio_ref/tuned/wakeup.hpp"
#include "loop/coro/root_list.hpp"
#include "loop/coro/task.hpp"
#include "loop/operation.hpp"

namespace loopbench::asio_ref::tuned {

/// Everything but post_from_any_thread() is for the loop's thread alone.
class scheduler {
public:
    using executor = boost::asio::io_context::executor_type;

    scheduler() = default;
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;
    ~scheduler() {
        // Pending operations live in frames, so they go first; the sockets and timers in the frames need
        // their services, so the context goes last.
        context_.drop_operations();
        roots_.destroy_all();
    }

    executor get_executor() noexcept { return context_.get_executor(); }

    template <class Function>
    void post(Function&& function) {
        boost::asio::post(get_executor(),
                          posted_function<std::decay_t<Function>>{this, std::forward<Function>(function)});
    }

    template <class Function>
    void post_from_any_thread(Function&& function) {
        wakeup_.push(loop::make_callback<loop::heap_memory>(std::forward<Function>(function)));
    }

    void spawn(loop::task<void> detached) { start(roots_.adopt(std::move(detached)).frame); }

    /// The frame's first step, from the queue.
    void start(std::coroutine_handle<> frame) { boost::asio::post(get_executor(), first_step{this, frame}); }

    /// Goes on with a coroutine, inside of Asio's call of a handler; throws what a spawned task threw
    /// meanwhile.
    void step(std::coroutine_handle<> frame) {
        budget_.refill();
        frame.resume();
        after_step();
    }

    /// After every handler: takes in what other threads posted, and throws what a spawned task threw.
    void after_step() {
        if (wakeup_.has_posted()) [[unlikely]]
            queue_posted();
        if (roots_.has_failure()) [[unlikely]]
            std::rethrow_exception(roots_.take_failure());
    }

    /// For awaiters that could complete at once, having moved so many bytes: false when this step has had its
    /// share (loop/operation.hpp, work_budget), and must queue.
    bool may_complete_inline(std::size_t bytes) noexcept { return budget_.may_complete_inline(bytes); }

    /// Called by whatever makes Asio set up its reactor. Throws std::system_error.
    void reactor_is_needed() {
        if (!wakeup_.is_open()) [[unlikely]]
            open_wakeup();
    }

protected:
    /// Runs until stop(); throws what a posted function or a spawned task throws.
    void run_until_stopped(const bool& stopped) {
        context_.restart();
        while (!stopped) {
            context_.run();
            if (stopped) return;
            // Nothing is queued and nothing pending: only another thread can go on from here.
            reactor_is_needed();
            context_.restart();
        }
    }

    void stop() noexcept { context_.stop(); }

    loop::root_list& roots() noexcept { return roots_; }

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
        posted_function(scheduler* owner, Function what) : loop(owner), function(std::move(what)) {}
        void operator()() {
            scheduler& after = *loop;
            function();
            after.after_step();
        }
        scheduler* loop;
        Function function;
    };

    struct first_step : in_pool {
        first_step(scheduler* owner, std::coroutine_handle<> of) noexcept : loop(owner), frame(of) {}
        void operator()() const { loop->step(frame); }
        scheduler* loop;
        std::coroutine_handle<> frame;
    };

    // An operation of another thread on its way through Asio's queue; discarded when the queue is.
    struct posted_operation : in_pool {
        posted_operation(scheduler* owner, loop::operation* what) noexcept : loop(owner), op(what) {}
        posted_operation(posted_operation&& other) noexcept
            : in_pool(), loop(other.loop), op(std::exchange(other.op, nullptr)) {}
        posted_operation& operator=(posted_operation&&) = delete;
        ~posted_operation() {
            if (op != nullptr) op->complete(op, loop::completion::discard);
        }
        void operator()() {
            scheduler& after = *loop;
            loop::operation* const posted = std::exchange(op, nullptr);
            posted->complete(posted, loop::completion::run);
            after.after_step();
        }
        scheduler* loop;
        loop::operation* op;
    };

    void queue_posted() {
        loop::operation_queue posted;
        wakeup_.take_all(posted);
        while (!posted.empty()) boost::asio::post(get_executor(), posted_operation(this, &posted.pop()));
    }

    void open_wakeup() {
        wakeup_.open(get_executor(), [this] { queue_posted(); });
        queue_posted();
    }

    context context_;
    wakeup wakeup_;
    loop::root_list roots_;
    loop::work_budget budget_;
};

}  // namespace loopbench::asio_ref::tuned
