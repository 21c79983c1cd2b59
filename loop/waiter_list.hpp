// Those who wait for one thing: a future, an event.
//
// Unlike a queue, it has to let anybody go from the middle: a waiter that is cancelled, or whose frame is
// destroyed. A loop that ends with a hundred thousand of them, newest first, does that a hundred thousand
// times, so it is O(1). Either side may go first.
#pragma once

#include <utility>

#include "loop/operation.hpp"

namespace loopbench::loop {

class waiter_list;

/// Leaves its list when it is destroyed.
class waiter_node : public operation {
public:
    waiter_node() = default;
    waiter_node(const waiter_node&) = delete;
    waiter_node& operator=(const waiter_node&) = delete;

    /// True when it was in a list.
    bool leave() noexcept;

protected:
    ~waiter_node() { leave(); }

private:
    friend class waiter_list;
    waiter_list* list_ = nullptr;
    waiter_node* previous_ = nullptr;  // meaningful, like the next, only in a list
    waiter_node* following_ = nullptr;
};

/// In the order in which they came.
class waiter_list {
public:
    waiter_list() = default;
    waiter_list(const waiter_list&) = delete;
    waiter_list& operator=(const waiter_list&) = delete;
    ~waiter_list() {
        while (!empty()) pop();
    }

    bool empty() const noexcept { return first_ == nullptr; }

    void push(waiter_node& w) noexcept {
        w.list_ = this;
        w.previous_ = last_;
        w.following_ = nullptr;
        (last_ == nullptr ? first_ : last_->following_) = &w;
        last_ = &w;
    }

    /// The list must not be empty.
    waiter_node& pop() noexcept {
        waiter_node& w = *first_;
        w.leave();
        return w;
    }

    /// All of them go on, from the ready queue.
    void release_to(operation_queue& ready) noexcept {
        while (!empty()) ready.push(pop());
    }

private:
    friend class waiter_node;
    waiter_node* first_ = nullptr;
    waiter_node* last_ = nullptr;
};

inline bool waiter_node::leave() noexcept {
    waiter_list* const list = std::exchange(list_, nullptr);
    if (list == nullptr) return false;
    (previous_ == nullptr ? list->first_ : previous_->following_) = following_;
    (following_ == nullptr ? list->last_ : following_->previous_) = previous_;
    return true;
}

}  // namespace loopbench::loop
