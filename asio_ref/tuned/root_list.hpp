// The tasks that nobody awaits: who owns their frames, and where their exceptions go.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "loop/task.hpp"

namespace loopbench::asio_ref::tuned {

/// Intrusive: the links are in the frames. On the loop's thread only.
class root_list {
public:
    root_list() = default;
    root_list(const root_list&) = delete;
    root_list& operator=(const root_list&) = delete;
    ~root_list() { destroy_all(); }

    /// Makes a suspended frame a root that this list owns and frees at its end.
    void adopt(loop::task<void>::handle_type frame) noexcept { adopt(frame.promise(), frame); }

    void adopt(loop::detail::promise_base& promise, std::coroutine_handle<> frame) noexcept {
        promise.become_root(frame, &on_done, this);
        promise.root.previous_root = nullptr;
        promise.root.next_root = newest_;
        if (newest_ != nullptr) newest_->root.previous_root = &promise;
        newest_ = &promise;
    }

    /// An exception that ended a root and that nobody has taken yet; null when there is none.
    bool has_failure() const noexcept { return failure_ != nullptr; }
    std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

    void destroy_all() noexcept {
        while (newest_ != nullptr) {
            loop::detail::promise_base& promise = *newest_;
            unlink(promise);
            promise.root.frame.destroy();
        }
    }

private:
    static void on_done(loop::detail::promise_base& promise) noexcept {
        auto& list = *static_cast<root_list*>(promise.root.owner);
        list.unlink(promise);
        if (promise.exception) [[unlikely]]
            list.failure_ = promise.exception;
        promise.root.frame.destroy();
    }

    void unlink(loop::detail::promise_base& promise) noexcept {
        loop::detail::root_state& root = promise.root;
        (root.previous_root == nullptr ? newest_ : root.previous_root->root.next_root) = root.next_root;
        if (root.next_root != nullptr) root.next_root->root.previous_root = root.previous_root;
    }

    loop::detail::promise_base* newest_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace loopbench::asio_ref::tuned
