// The one thing that the loop knows how to run.
//
// Everything that can become ready (a task's first step, a finished sleep, a completed read, a posted
// function) derives from `operation` and is linked into a queue through itself, so that queueing allocates
// nothing. A coroutine's awaiter and a callback node are both operations; the loop does not know which one it
// holds.
#pragma once

#include <utility>

namespace loopbench::loop {

/// What the loop asks of an operation: to do what it is there for; when the loop is being destroyed, only to free what it
/// owns; or, in debug mode and before one of these, to say what it is (loop/identity.hpp) and stay as it is.
enum class completion { run, discard, tell };

/// Something to run once. `complete` is called by the loop, in its thread, with the operation itself; by then
/// the operation is in no queue, and it may destroy itself. What `complete` throws leaves run().
struct operation {
    using complete_fn = void (*)(operation*, completion);

    operation* next;
    complete_fn complete;
};

/// First in, first out; intrusive; an operation is in one queue at most.
class operation_queue {
public:
    operation_queue() = default;
    operation_queue(operation_queue&& other) noexcept
        : head_(std::exchange(other.head_, nullptr)), tail_(std::exchange(other.tail_, nullptr)) {}
    operation_queue& operator=(operation_queue&&) = delete;

    bool empty() const noexcept { return head_ == nullptr; }

    void push(operation& op) noexcept {
        if (closed_) [[unlikely]]
            return;
        op.next = nullptr;
        if (head_ == nullptr) {
            head_ = &op;
        } else {
            tail_->next = &op;
        }
        tail_ = &op;
    }

    /// The queue must not be empty.
    operation& pop() noexcept {
        operation* const op = head_;
        head_ = op->next;
        return *op;
    }

    /// Puts all of `first` before what is here.
    void prepend(operation_queue&& first) noexcept {
        if (first.empty()) return;
        first.tail_->next = head_;
        if (head_ == nullptr) tail_ = first.tail_;
        head_ = std::exchange(first.head_, nullptr);
    }

    /// Takes one operation out of the middle; false when it is not here. Linear: for short queues.
    bool remove(operation& op) noexcept {
        operation* before = nullptr;
        for (operation* here = head_; here != nullptr; before = here, here = here->next) {
            if (here != &op) continue;
            (before == nullptr ? head_ : before->next) = op.next;
            if (tail_ == &op) tail_ = before;
            return true;
        }
        return false;
    }

    operation& front() noexcept { return *head_; }

    /// From here on nothing is queued: push() forgets. For the end of a loop, when a dying frame completes operations
    /// of others, which may be gone before the queue is looked at again.
    void close() noexcept { closed_ = true; }

private:
    operation* head_ = nullptr;
    operation* tail_ = nullptr;  // meaningful only while head_ is not null
    bool closed_ = false;
};

}  // namespace loopbench::loop
