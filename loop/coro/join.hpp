#pragma once

#include <algorithm>
#include <span>

#include "loop/coro/task.hpp"
#include "loop/coro/woken_awaiter.hpp"

namespace loopbench::loop {

enum class join_mode {
    all,
    cancel_on_exception,
    cancel_on_first,
    collect,  // like `all`, but the await throws no exceptions; see task::failure()
};

/// An awaiter that runs children as separate tasks until all of them have ended. If Result is std::size_t,
/// the await returns the index of the first child that ended. The awaiter allocates no memory, because each
/// child's frame has space for the state of a separate task.
template <class T, class Result>
class join_awaiter final : woken_awaiter<>, detail::root_owner {
public:
    join_awaiter(ready_queue& ready, std::span<task<T>> children, join_mode mode) noexcept
        : woken_awaiter<>(ready),
          children_(children),
          end_of_started_(children.data()),
          running_(children.size() + 1),
          mode_(mode) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        if (!suspend(waiter, &cancel)) return false;
        std::span<task<T>> left = children_;
        std::size_t at_once = 0;
        ++ready().nested_gathers;
        do {
            at_once = count_to_start_at_once(left.size());
            ready().budget.use(at_once);
            for (task<T>& child : left.first(at_once)) make_root(child).frame.resume();
            left = left.subspan(at_once);
        } while (at_once != 0 && !left.empty());
        --ready().nested_gathers;
        for (task<T>& child : left) ready().push(make_root(child));
        --running_;
        wait_until(&is_over, [this] {
            if (running_ == 0) ready().push(*this);
        });
        return true;
    }

    Result await_resume() {
        throw_if_cancelled();
        if (decisive_ != nullptr && decisive_->exception && mode_ != join_mode::collect)
            std::rethrow_exception(decisive_->exception);
        if constexpr (!std::is_void_v<Result>) {
            Result index = 0;
            while (&children_[index].root() != &decisive_->root) ++index;
            return index;
        }
    }

private:
    // Returns the number of children to start immediately. (Starting a child immediately is cheaper than a
    // pass through the ready queue.) The number is limited, because a nested gather runs on the stack of the
    // outer gather, and because all immediate starts belong to the same turn, which must not take too long.
    // The remaining children go through the queue, so that the loop checks for I/O and timers in between.
    std::size_t count_to_start_at_once(std::size_t left) noexcept {
        const std::size_t used = ready().budget.used();
        if (!may_start_tasks() || ready().nested_gathers > nested_gathers_max || used >= started_units_max)
            return 0;
        return std::min({left, children_between_looks, started_units_max - used});
    }

    detail::root_state& make_root(task<T>& child) noexcept {
        const auto& waiter = static_cast<const detail::root_state&>(*context());
        detail::root_state& root = child.become_root(*this, waiter.where);
        end_of_started_ = &child + 1;
        if (cancelling_) [[unlikely]]
            request_cancel(root);
        return root;
    }

    // Returns the coroutine to resume: the waiter if no child is running any more, and otherwise a no-op
    // coroutine. The waiter runs immediately, without going through the ready queue, because it will free the
    // children's frames, which are then still in the cache.
    std::coroutine_handle<> root_ended(detail::promise_base& child) noexcept override {
        if (child.exception || mode_ == join_mode::cancel_on_first) [[unlikely]]
            decide(child);
        return --running_ == 0 ? wake() : std::noop_coroutine();
    }

    [[gnu::noinline]] void decide(const detail::promise_base& child) noexcept {
        // A child that was cancelled because another child ended does not count as failed.
        const bool failed = child.exception && !cancelling_;
        if (decisive_ != nullptr || (!failed && mode_ != join_mode::cancel_on_first)) return;
        decisive_ = &child;
        const bool ends_the_rest =
            mode_ == join_mode::cancel_on_first || mode_ == join_mode::cancel_on_exception;
        if (ends_the_rest && !cancelling_) cancel(this);
    }

    static bool is_over(woken_awaiter<>& asked) { return static_cast<join_awaiter&>(asked).running_ == 0; }

    static void cancel(suspension* place) noexcept {
        auto& self = *static_cast<join_awaiter*>(place);
        self.cancelling_ = true;
        for (task<T>* child = self.children_.data(); child != self.end_of_started_; ++child) {
            if (!child->done()) request_cancel(child->root());
        }
    }

    static constexpr unsigned nested_gathers_max = 64;
    static constexpr std::size_t started_units_max = 4 * work_budget::units_max;
    static constexpr std::size_t children_between_looks = 32;

    std::span<task<T>> children_;
    task<T>* end_of_started_;
    std::size_t running_;  // the number of running children, plus 1 during await_suspend()
    const detail::promise_base* decisive_ = nullptr;
    join_mode mode_;
    bool cancelling_ = false;
};

}  // namespace loopbench::loop
