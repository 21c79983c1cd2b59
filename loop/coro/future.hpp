#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "loop/coro/event.hpp"

namespace loopbench::loop {

template <class T>
class future;

namespace detail {

template <class T>
struct future_state : recycled {
    future_state(scheduler& owner, const std::source_location& where) noexcept
        : loop(owner), done(owner, /*ends_a_task=*/true), made_at(where) {}
    ~future_state() {
        callbacks.discard_all();
        if (exception && !retrieved) [[unlikely]]
            loop.exception_was_not_retrieved(exception, made_at);
    }

    // Queues the waiting tasks and then the callbacks. None of them runs inside set_value().
    void settle() noexcept {
        done.set();
        while (!callbacks.empty()) queue(static_cast<done_callback&>(callbacks.pop()));
    }

    // A callback of a future. It is allocated when it is added, so that settle() does not have to allocate
    // memory.
    struct done_callback : operation {
        explicit done_callback(std::function<void(const future<T>&)> what)
            : operation{nullptr, &run_or_discard}, function(std::move(what)) {}

        static void run_or_discard(operation* op, completion how) {
            const std::unique_ptr<done_callback> self(static_cast<done_callback*>(op));
            if (how == completion::run) self->function(future<T>(self->state));
        }

        std::function<void(const future<T>&)> function;
        shared_state<future_state> state;
    };

    void queue(done_callback& callback) noexcept {
        callback.state = shared_state<future_state>::share(*this);
        loop.ready().push(callback);
    }

    scheduler& loop;
    event done;
    operation_queue callbacks;
    std::optional<kept_value<T>> value;
    std::exception_ptr exception;
    std::source_location made_at;
    unsigned references = 1;
    bool retrieved = false;
};

}  // namespace detail

/// The reading end of a future value. All copies refer to the same value. Use a future only in the loop's
/// thread.
template <class T>
class future {
public:
    using state_type = detail::future_state<T>;

    explicit future(shared_state<state_type> state) noexcept : state_(std::move(state)) {}

    bool done() const noexcept { return state_->done.is_set(); }

    /// Returns a copy of the value, or throws the future's exception. Throws std::logic_error if the future
    /// is not done.
    T result() const {
        if (state_->exception) {
            state_->retrieved = true;
            std::rethrow_exception(state_->exception);
        }
        if (!state_->value)
            throw std::logic_error("the future has no result yet; await the future, or check done() first");
        if constexpr (!std::is_void_v<T>) return *state_->value;
    }

    /// Queues function(future) when the future is done, or immediately if the future is already done.
    void add_done_callback(std::function<void(const future&)> function) const {
        auto* const callback = new typename state_type::done_callback(std::move(function));
        done() ? state_->queue(*callback) : state_->callbacks.push(*callback);
    }

    class wait_awaiter : public event::wait_awaiter {
    public:
        explicit wait_awaiter(const shared_state<state_type>& awaited) noexcept
            : event::wait_awaiter(awaited->done), state_(awaited) {}

        T await_resume() {
            if (!state_->done.is_set()) event::wait_awaiter::await_resume();
            return future(state_).result();
        }

    private:
        shared_state<state_type> state_;
    };
    wait_awaiter operator co_await() const noexcept { return wait_awaiter(state_); }

private:
    shared_state<state_type> state_;
};

/// The single writing end of a future value. If the promise is destroyed without a result, the future
/// receives the exception task_cancelled, so that no task waits for ever.
template <class T>
class promise {
public:
    /// Creates a promise. Waiting tasks resume on `loop`, which must outlive the promise and its futures. In
    /// debug mode, `where` names the promise in warnings.
    explicit promise(scheduler& loop, const std::source_location& where = std::source_location::current())
        : state_(shared_state<detail::future_state<T>>::make(loop, where)) {}
    promise(promise&&) noexcept = default;
    promise& operator=(promise other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~promise() {
        if (state_ && !state_->done.is_set()) set_exception(std::make_exception_ptr(task_cancelled()));
    }

    loop::future<T> get_future() const noexcept { return loop::future<T>(state_); }

    /// Sets the value. Throws std::logic_error if the future is already done.
    template <class... Value>
    void set_value(Value&&... value) {
        unsettled().value.emplace(std::forward<Value>(value)...);
        state_->settle();
    }

    void set_exception(std::exception_ptr exception) {
        unsettled().exception = std::move(exception);
        state_->settle();
    }

private:
    detail::future_state<T>& unsettled() const {
        if (state_->done.is_set())
            throw std::logic_error("the future already has a result; set it only once");
        return *state_;
    }

    shared_state<detail::future_state<T>> state_;
};

/// A handle to a running task. Dropping a handle does not end the task. Use a handle only in the loop's
/// thread, and only while the loop exists.
template <class T>
class task_handle {
public:
    task_handle(future<T> outcome, task_context& context) noexcept
        : outcome_(std::move(outcome)), context_(&context) {}

    bool done() const noexcept { return outcome_.done(); }

    /// Requests that the task ends: its current or next await throws task_cancelled. Does nothing if the task
    /// is done.
    void cancel() const noexcept {
        if (!done()) request_cancel(*context_);
    }

    const future<T>& outcome() const noexcept { return outcome_; }
    auto operator co_await() const noexcept { return outcome_.operator co_await(); }

private:
    future<T> outcome_;
    task_context* context_;  // points into the task's frame, which is destroyed when the task is done
};

namespace detail {

template <class T>
task<void> keep(promise<T> answer, task<T> work) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(work);
            answer.set_value();
        } else {
            answer.set_value(co_await std::move(work));
        }
    } catch (...) {
        answer.set_exception(std::current_exception());
    }
}

}  // namespace detail

/// Starts `work` as an independent task and returns a handle to the task. result() throws the task's
/// exception; if result() is never called, the exception is dropped (debug mode warns). In debug mode,
/// `where` names the task in warnings.
template <class T>
task_handle<T> create_task(scheduler& loop, task<T> work,
                           const std::source_location& where = std::source_location::current()) {
    promise<T> answer(loop, where);
    const auto outcome = answer.get_future();
    task<void> kept = detail::keep(std::move(answer), std::move(work));
    task_context& context = kept.root();
    loop.spawn(std::move(kept), where);
    return {outcome, context};
}

}  // namespace loopbench::loop
