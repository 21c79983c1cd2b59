// A task is lazy: it starts when another task awaits it, or when a loop spawns, gathers or runs it. A task
// that a loop starts is called a root. The frame of every task comes from the frame pool and has space for
// everything that a root needs, so that starting a root allocates no further memory.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <source_location>
#include <variant>

#include "loop/coro/frame_pool.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

template <class T>
class task;

namespace detail {

struct promise_base;

class root_owner {
public:
    /// Returns the coroutine to resume after the root has ended. root_ended() or the returned coroutine may
    /// destroy the root's frame.
    virtual std::coroutine_handle<> root_ended(promise_base& root) noexcept = 0;

protected:
    ~root_owner() = default;
};

// The state of a root. It is not initialised in the frames of tasks that other tasks await.
struct root_state : operation, task_context {
    root_state* next_root;
    root_state** previous_link;
    root_owner* owner;
    union {
        std::coroutine_handle<> frame;
    };
    union {
        std::source_location where;  // the place that started the task or, for a gather's child, its parent
    };

    root_state() noexcept {}  // NOLINT: otherwise the unions would be initialised in every frame

    static void start(operation* op, completion how) {
        if (how == completion::run) static_cast<root_state*>(op)->frame.resume();
    }
};

struct promise_base : recycled {
    promise_base() noexcept {}  // NOLINT: the code that starts a frame sets `continuation`

    struct final_awaiter {
        bool await_ready() const noexcept { return false; }

        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
            promise_base& promise = ended.promise();
            if (promise.continuation) [[likely]]
                return promise.continuation;
            return promise.root.owner->root_ended(promise);
        }

        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    final_awaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { exception = std::current_exception(); }

    union {
        std::coroutine_handle<> continuation;  // the coroutine that awaits this frame; null for a root
    };
    task_context* context;
    std::exception_ptr exception;
    root_state root;
};

template <class T>
struct promise_with_value : promise_base {
    template <std::convertible_to<T> Value>
    void return_value(Value&& result) {
        value.emplace(std::forward<Value>(result));
    }

    std::optional<T> value;
};

template <>
struct promise_with_value<void> : promise_base {
    void return_void() const noexcept {}
};

template <class T>
struct task_promise : promise_with_value<T> {
    task<T> get_return_object() noexcept {
        return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
    }

    T take() {
        if (this->exception) [[unlikely]]
            std::rethrow_exception(this->exception);
        if constexpr (!std::is_void_v<T>) return std::move(*this->value);
    }
};

}  // namespace detail

/// A coroutine that returns a T. The task owns its frame: destroying the task frees everything in the frame.
template <class T = void>
class [[nodiscard]] task {
public:
    using promise_type = detail::task_promise<T>;
    using handle_type = std::coroutine_handle<promise_type>;

    task() = default;
    explicit task(handle_type frame) noexcept : frame_(frame) {}
    task(task&& other) noexcept : frame_(other.release()) {}
    task& operator=(task other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~task() {
        if (frame_) frame_.destroy();
    }

    bool done() const noexcept { return frame_ && frame_.done(); }

    /// Returns an awaiter that runs the task to its end. The await returns the task's value or throws its
    /// exception. Only other tasks can await a task.
    auto operator co_await() && noexcept { return awaiter{frame_}; }

    std::exception_ptr failure() const noexcept { return frame_.promise().exception; }

    /// Moves the value out of the task, or throws the task's exception. The task must be done.
    T result() const { return frame_.promise().take(); }

    // Only the loop calls the following functions.

    detail::root_state& become_root(detail::root_owner& owner,
                                    const std::source_location& where = {}) noexcept {
        detail::root_state& made = root();
        std::construct_at(&frame_.promise().continuation, nullptr);
        frame_.promise().context = &made;
        made.waiting_on = nullptr;
        made.cancel_requested = false;
        made.frame = frame_;
        made.owner = &owner;
        made.complete = &detail::root_state::start;
        std::construct_at(&made.where, where);
        return made;
    }
    detail::root_state& root() const noexcept { return frame_.promise().root; }

    handle_type release() noexcept { return std::exchange(frame_, nullptr); }

private:
    struct awaiter {
        bool await_ready() const noexcept { return false; }

        template <std::derived_from<detail::promise_base> Promise>
        handle_type await_suspend(std::coroutine_handle<Promise> waiter) const noexcept {
            frame.promise().continuation = waiter;
            frame.promise().context = waiter.promise().context;
            return frame;
        }

        T await_resume() const { return frame.promise().take(); }

        handle_type frame;
    };

    handle_type frame_;
};

template <class T>
using kept_value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

}  // namespace loopbench::loop
