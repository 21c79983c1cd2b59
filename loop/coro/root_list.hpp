// The tasks that nobody awaits: who owns their frames, and where their exceptions go.
#pragma once

#include <exception>
#include <source_location>
#include <utility>

#include "loop/coro/task.hpp"

namespace loopbench::loop {

/// Intrusive: the links are in the frames. On the loop's thread only.
class root_list final : detail::root_owner {
public:
    root_list() = default;
    root_list(const root_list&) = delete;
    root_list& operator=(const root_list&) = delete;
    ~root_list() { destroy_all(); }

    /// Makes a frame a root that this list owns and frees at its end. `where` is its name in debug mode.
    template <class T>
    detail::root_state& adopt(task<T> spawned, const std::source_location& where = {}) noexcept {
        spawned.become_root(*this, where);
        return adopt_running(std::move(spawned));
    }

    /// The main task of a run() that another task's exception has ended: it stays suspended where it is, or
    /// queued, and from now on this list owns it.
    template <class T>
    detail::root_state& adopt_running(task<T> main) noexcept {
        detail::root_state& root = main.release().promise().root;
        root.owner = this;
        root.next_root = newest_;
        root.previous_link = &newest_;
        if (newest_ != nullptr) newest_->previous_link = &root.next_root;
        newest_ = &root;
        return root;
    }

    /// An exception that has ended a root and that nobody has taken yet. A task that ended as it was asked to
    /// has not failed.
    bool has_failure() const noexcept { return failure_ != nullptr; }
    std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

    void destroy_all() noexcept {
        while (newest_ != nullptr) unlink_and_destroy(*newest_);
    }

private:
    void root_ended(detail::promise_base& promise) noexcept override {
        if (promise.exception) [[unlikely]] {
            try {
                std::rethrow_exception(promise.exception);
            } catch (const task_cancelled&) {  // it ended as it was asked to
            } catch (...) {
                failure_ = std::current_exception();
            }
        }
        unlink_and_destroy(promise.root);
    }

    static void unlink_and_destroy(detail::root_state& root) noexcept {
        *root.previous_link = root.next_root;
        if (root.next_root != nullptr) root.next_root->previous_link = root.previous_link;
        root.frame.destroy();
    }

    detail::root_state* newest_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace loopbench::loop
