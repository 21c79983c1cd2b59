// A value that comes later: the future of the founding documents, with done callbacks.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "loop/loop_core.hpp"
#include "loop/resumption.hpp"
#include "loop/shared_state.hpp"
#include "loop/suspension.hpp"
#include "loop/waiter_list.hpp"

namespace loopbench::loop {

template <class T>
class future;

namespace detail {

struct nothing {};

template <class T>
struct future_state {
    future_state(loop_core& owner, const std::source_location& where) noexcept
        : loop(owner), made_at(where) {}
    future_state(const future_state&) = delete;
    future_state& operator=(const future_state&) = delete;
    ~future_state() {
        if (exception && !retrieved) [[unlikely]]
            loop.exception_was_not_retrieved(exception, made_at);
    }
    bool done() const noexcept { return value.has_value() || exception; }

    // Whoever waits goes on from the ready queue, in the order in which they came: never inside set_value().
    void settle() {
        waiting.release_to(loop.ready());
        for (auto& function : std::exchange(callbacks, {})) queue(std::move(function));
    }

    void queue(std::function<void(const future<T>&)> function) {
        loop.post([self = shared_state<future_state>::share(*this), f = std::move(function)] {
            f(future<T>(self));
        });
    }

    loop_core& loop;
    waiter_list waiting;  // tasks
    std::vector<std::function<void(const future<T>&)>> callbacks;
    std::optional<std::conditional_t<std::is_void_v<T>, nothing, T>> value;
    std::exception_ptr exception;
    std::source_location made_at;  // for debug mode
    unsigned references = 1;
    bool retrieved = false;  // the exception, by who asked for the result
};

}  // namespace detail

/// The reading end. Copyable; all copies name one value. Loop's thread only.
template <class T>
class future {
public:
    using state_type = detail::future_state<T>;

    explicit future(shared_state<state_type> state) noexcept : state_(std::move(state)) {}

    bool done() const noexcept { return state_->done(); }

    /// The value (a copy), or the exception. Throws std::logic_error while there is neither.
    T result() const {
        if (state_->exception) {
            state_->retrieved = true;
            std::rethrow_exception(state_->exception);
        }
        if (!state_->value)
            throw std::logic_error("the future has no result yet; await it, or ask done() first");
        if constexpr (!std::is_void_v<T>) return *state_->value;
    }

    /// f(future) runs on a later turn, once the future is done; at once queued when it is already.
    void add_done_callback(std::function<void(const future&)> function) const {
        if (done()) {
            state_->queue(std::move(function));
        } else {
            state_->callbacks.push_back(std::move(function));
        }
    }

    class awaiter;
    /// Waits until it is done, then gives result(). Several tasks may wait for one future.
    awaiter operator co_await() const noexcept { return awaiter(*this); }

private:
    shared_state<state_type> state_;
};

template <class T>
class future<T>::awaiter : resumption<waiter_node> {
public:
    explicit awaiter(const future& awaited) noexcept : future_(awaited) {}

    bool await_ready() const noexcept { return future_.done(); }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        if (!suspend(coroutine, &withdraw)) return false;
        future_.state_->waiting.push(*this);
        return true;
    }

    T await_resume() {
        if (!future_.done()) throw_if_cancelled();
        return future_.result();
    }

private:
    static void withdraw(suspension* place) {
        auto& self = *static_cast<awaiter*>(place);
        if (self.leave()) self.future_.state_->loop.ready().push(self);
    }

    future future_;
};

/// The writing end, of which there is one. Dropped without having been kept, it leaves task_cancelled in the future:
/// nobody waits for ever, and who asks done() learns that the writer is gone.
template <class T>
class promise {
public:
    /// The loop on which waiters go on; it must outlive the promise and its futures. `where` is the name of an exception
    /// that nobody asks for, in debug mode.
    explicit promise(loop_core& loop, const std::source_location& where = std::source_location::current())
        : state_(shared_state<detail::future_state<T>>::make(loop, where)) {}
    promise(promise&&) noexcept = default;
    promise& operator=(promise&& other) noexcept {
        if (this != &other) {
            drop();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~promise() { drop(); }

    loop::future<T> get_future() const noexcept { return loop::future<T>(state_); }

    /// Throws std::logic_error when the future is done already.
    template <class... Value>
    void set_value(Value&&... value) {
        refuse_twice();
        state_->value.emplace(std::forward<Value>(value)...);
        state_->settle();
    }

    void set_exception(std::exception_ptr exception) {
        refuse_twice();
        state_->exception = std::move(exception);
        state_->settle();
    }

private:
    void drop() noexcept {
        if (state_ && !state_->done()) set_exception(std::make_exception_ptr(task_cancelled()));
    }

    void refuse_twice() const {
        if (state_->done()) throw std::logic_error("the future has its result already; set it once");
    }

    shared_state<detail::future_state<T>> state_;
};

}  // namespace loopbench::loop
