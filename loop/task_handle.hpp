// A task that runs on its own and can be awaited, asked and cancelled: asyncio's Task.
#pragma once

#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include "loop/future.hpp"
#include "loop/loop_core.hpp"
#include "loop/suspension.hpp"
#include "loop/task.hpp"

namespace loopbench::loop {

/// Names a running task. Copyable; dropping it does not end the task. Loop's thread only; not beyond the
/// loop's life.
template <class T>
class task_handle {
public:
    task_handle(future<T> outcome, task_context& context) noexcept
        : outcome_(std::move(outcome)), context_(&context) {}

    bool done() const noexcept { return outcome_.done(); }

    /// Asks the task to end: where it is suspended, or at its next await, it throws task_cancelled. Harmless
    /// when it is done.
    void cancel() const noexcept {
        if (!done()) request_cancel(*context_);
    }

    /// The task's value or exception, for result(), add_done_callback() and co_await.
    const future<T>& outcome() const noexcept { return outcome_; }
    auto operator co_await() const noexcept { return outcome_.operator co_await(); }

private:
    future<T> outcome_;
    task_context* context_;  // in the task's frame; gone when it is done
};

namespace detail {

template <class T>
task<void> fulfil(task<T> work, promise<T> answer) {
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

/// Starts `work` as a task of its own. What it throws is kept for whoever asks; nobody asking, it is dropped (debug mode
/// warns of it). `where` is its name in debug mode.
template <class T>
task_handle<T> create_task(loop_core& loop, task<T> work,
                           const std::source_location& where = std::source_location::current()) {
    promise<T> answer(loop, where);
    const auto outcome = answer.get_future();
    task<void> root = detail::fulfil(std::move(work), std::move(answer));
    task_context& context = root.frame().promise().root;
    loop.spawn(std::move(root), where);
    return {outcome, context};
}

}  // namespace loopbench::loop
