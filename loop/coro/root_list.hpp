// The tasks that nobody awaits: who owns their frames, and where their exceptions go.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "loop/coro/task.hpp"

namespace loopbench::loop {

/// Intrusive: the links are in the frames. On the loop's thread only.
class root_list {
public:
    /// Called when a root has ended, before its frame is freed.
    using on_end_fn = void (*)(void* observer, const task_context& ended) noexcept;

    root_list() = default;
    root_list(const root_list&) = delete;
    root_list& operator=(const root_list&) = delete;
    ~root_list() { destroy_all(); }

    /// Makes a suspended frame a root that this list owns and frees at its end.
    void adopt(detail::promise_base& promise, std::coroutine_handle<> frame) noexcept;

    /// The main task of a run() that another task's exception has ended: it stays suspended where it is, or
    /// queued, and from now on this list owns it.
    template <class T>
    void adopt_running(task<T>& main) noexcept {
        auto& promise = main.frame().promise();
        const task_context state = promise.root;
        adopt(promise, main.frame());
        static_cast<task_context&>(promise.root) = state;
        static_cast<void>(main.release());
    }

    /// An exception that has ended a root and that nobody has taken yet. A task that ended as it was asked to
    /// has not failed.
    bool has_failure() const noexcept { return failure_ != nullptr; }
    std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

    void observe_ends(on_end_fn on_end, void* observer) noexcept {
        on_end_ = on_end;
        observer_ = observer;
    }

    void destroy_all() noexcept;

private:
    static void on_done(detail::promise_base& promise) noexcept;
    void unlink(detail::promise_base& promise) noexcept;

    detail::promise_base* newest_ = nullptr;
    std::exception_ptr failure_;
    on_end_fn on_end_ = nullptr;
    void* observer_ = nullptr;
};

}  // namespace loopbench::loop
