// task<T>: the coroutine type of the loop.
//
// A task is lazy: it starts when it is awaited (then it runs inside the awaiting task, by symmetric
// transfer), or when a loop spawns, gathers or runs it (then it is the root of a task of its own). Its frame
// comes from the frame pool and carries everything a root needs, so that starting one allocates nothing more.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "loop/coro/frame_pool.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

template <class T>
class task;

namespace detail {

struct promise_base;

// What a frame needs when it is the root of a task. Left uninitialised in frames that are merely awaited.
struct root_state : operation, task_context {
    std::coroutine_handle<> frame;
    void (*on_done)(promise_base&) noexcept;  // may destroy the frame
    void* owner;                              // whom on_done tells: a loop, a gather
    promise_base* previous_root;              // in a root_list
    promise_base* next_root;

    static void start(operation* op, completion how) {
        if (how == completion::run) static_cast<root_state*>(op)->frame.resume();
    }
};

struct promise_base {
    // Recycled frames. (Sized delete is what lets the pool find the list without a header.)
    static void* operator new(std::size_t bytes) { return frame_pool::allocate(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept {
        frame_pool::deallocate(frame, bytes);
    }

    struct final_awaiter {
        bool await_ready() const noexcept { return false; }

        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
            promise_base& promise = ended.promise();
            if (promise.continuation) [[likely]]
                return promise.continuation;
            promise.root.on_done(promise);
            return std::noop_coroutine();
        }

        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    final_awaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { exception = std::current_exception(); }

    // Makes this frame the root of a task; root.complete starts it.
    void become_root(std::coroutine_handle<> self, void (*on_done)(promise_base&) noexcept,
                     void* owner) noexcept {
        context = &root;
        root.waiting_on = nullptr;
        root.cancel_requested = false;
        root.frame = self;
        root.on_done = on_done;
        root.owner = owner;
        root.complete = &root_state::start;
    }

    std::coroutine_handle<> continuation;  // who awaits this frame; null for a root
    task_context* context;                 // of the task that this frame belongs to
    std::exception_ptr exception;
    root_state root;

protected:
    promise_base() noexcept {}  // NOLINT: leaves the members for roots uninitialised on purpose
};

template <class T>
struct task_promise : promise_base {
    task<T> get_return_object() noexcept;

    template <std::convertible_to<T> Value>
    void return_value(Value&& result) {
        value.emplace(std::forward<Value>(result));
    }

    T take() {
        if (exception) std::rethrow_exception(exception);
        return std::move(*value);
    }

    std::optional<T> value;
};

template <>
struct task_promise<void> : promise_base {
    task<void> get_return_object() noexcept;
    void return_void() const noexcept {}

    void take() const {
        if (exception) [[unlikely]]
            std::rethrow_exception(exception);
    }
};

}  // namespace detail

/// A coroutine that gives a T. Movable, owns its frame; destroying it frees the frame and all that it holds.
template <class T = void>
class [[nodiscard]] task {
public:
    using promise_type = detail::task_promise<T>;
    using handle_type = std::coroutine_handle<promise_type>;
    using value_type = T;

    task() = default;
    explicit task(handle_type frame) noexcept : frame_(frame) {}
    task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    task& operator=(task&& other) noexcept {
        if (this != &other) {
            reset();
            frame_ = std::exchange(other.frame_, nullptr);
        }
        return *this;
    }
    ~task() { reset(); }

    bool valid() const noexcept { return static_cast<bool>(frame_); }
    bool done() const noexcept { return frame_ && frame_.done(); }

    /// Awaiting runs the task to its end and gives its value or throws its exception. Only from a task.
    auto operator co_await() && noexcept { return awaiter(frame_); }

    /// Awaiting this runs the task to its end and leaves the value or the exception in it.
    auto join() & noexcept { return end_awaiter(frame_); }

    /// Why a task that is done has no value; null when it has one.
    std::exception_ptr failure() const noexcept { return frame_.promise().exception; }

    /// The value of a task that is done, or its exception; a value is moved out. The task must be done.
    T result() const { return frame_.promise().take(); }

    /// For the loop: the frame, still owned by this task.
    handle_type frame() const noexcept { return frame_; }

    /// For the loop: the frame, owned by the caller from here on.
    handle_type release() noexcept { return std::exchange(frame_, nullptr); }

private:
    class awaiter {
    public:
        explicit awaiter(handle_type frame) noexcept : frame_(frame) {}

        bool await_ready() const noexcept { return false; }

        template <std::derived_from<detail::promise_base> Promise>
        handle_type await_suspend(std::coroutine_handle<Promise> waiter) const noexcept {
            frame_.promise().continuation = waiter;
            frame_.promise().context = waiter.promise().context;
            return frame_;
        }

        T await_resume() const { return frame_.promise().take(); }

    protected:
        handle_type frame_;
    };

    class end_awaiter : public awaiter {
    public:
        using awaiter::awaiter;
        void await_resume() const noexcept {}
    };

    void reset() noexcept {
        if (frame_) std::exchange(frame_, nullptr).destroy();
    }

    handle_type frame_;
};

template <class T>
task<T> detail::task_promise<T>::get_return_object() noexcept {
    return task<T>(std::coroutine_handle<task_promise<T>>::from_promise(*this));
}

inline task<void> detail::task_promise<void>::get_return_object() noexcept {
    return task<void>(std::coroutine_handle<task_promise<void>>::from_promise(*this));
}

}  // namespace loopbench::loop
