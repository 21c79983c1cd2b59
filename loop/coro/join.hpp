// Waiting for several tasks: gather and race. A real join: the last child to end wakes the waiter; nothing
// polls.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <span>

#include "loop/coro/task.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

enum class join_mode {
    all,                  // every child runs to its end, whatever happens to the others
    cancel_on_exception,  // the first exception cancels those that still run
    cancel_on_first,      // the first to end, with a value or an exception, does
    collect,  // as `all`, and no exception is thrown: each is left in its task, for task::failure()
};

/// Runs children as tasks of their own until all have ended. Allocates nothing: the children's frames carry
/// what a root needs, and this awaiter lives in the waiting frame.
template <class T>
class join_awaiter : polled_awaiter<> {
public:
    /// `polls`: the waiter asks on every turn whether all children have ended, instead of being woken.
    join_awaiter(ready_queue& ready, bool polls, std::span<task<T>> children, join_mode mode) noexcept
        : polled_awaiter<>(ready),
          children_(children),
          running_(children.size()),
          mode_(mode),
          polls_(polls) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        if (!suspend(waiter, &cancel)) return false;
        for (task<T>& child : children_) {
            detail::promise_base& promise = child.frame().promise();
            promise.become_root(child.frame(), &on_child_done, this);
            ready().push(promise.root);
        }
        if (polls_) {
            poll([](polled_awaiter<>& self) { return static_cast<join_awaiter&>(self).running_ == 0; });
        } else if (running_ == 0) {
            ready().push(*this);
        }
        return true;
    }

    void await_resume() {
        throw_if_cancelled();
        if (failed_ != nullptr && mode_ != join_mode::collect) std::rethrow_exception(failed_->exception);
    }

protected:
    const detail::promise_base* first_done() const noexcept { return first_done_; }
    std::span<task<T>> children() const noexcept { return children_; }

private:
    static void on_child_done(detail::promise_base& child) noexcept {
        static_cast<join_awaiter*>(child.root.owner)->child_done(child);
    }

    void child_done(detail::promise_base& child) noexcept {
        --running_;
        // A child that was cancelled because another one ended has not failed.
        const bool failed = child.exception && !cancelling_;
        if (failed && failed_ == nullptr) failed_ = &child;
        if (first_done_ == nullptr) first_done_ = &child;
        const bool ends_the_rest =
            mode_ == join_mode::cancel_on_first || (failed && mode_ == join_mode::cancel_on_exception);
        if (ends_the_rest && !cancelling_) cancel_children();
        if (running_ == 0 && !polls_) ready().push(*this);
    }

    static void cancel(suspension* place) noexcept { static_cast<join_awaiter*>(place)->cancel_children(); }

    void cancel_children() noexcept {
        cancelling_ = true;
        for (task<T>& child : children_) {
            if (!child.done()) request_cancel(child.frame().promise().root);
        }
    }

    std::span<task<T>> children_;
    std::size_t running_;
    const detail::promise_base* failed_ = nullptr;
    const detail::promise_base* first_done_ = nullptr;
    join_mode mode_;
    bool polls_;
    bool cancelling_ = false;
};

/// As join_awaiter, but gives the index of the child that ended first.
template <class T>
class race_awaiter : public join_awaiter<T> {
public:
    race_awaiter(ready_queue& ready, bool polls, std::span<task<T>> children) noexcept
        : join_awaiter<T>(ready, polls, children, join_mode::cancel_on_first) {}

    std::size_t await_resume() {
        join_awaiter<T>::await_resume();
        std::size_t index = 0;
        while (&this->children()[index].frame().promise() != this->first_done()) ++index;
        return index;
    }
};

}  // namespace loopbench::loop
