// An inbox receives messages of other threads for a loop. It extends the loop's own posts (posting.hpp) by
// two features: many messages are sent together, and after close() the inbox refuses messages, so that a
// sender needs no knowledge about the loop's end.
//
// The sender of the first message in an empty inbox posts the inbox's `delivery` to the loop. The delivery
// takes all messages that have arrived in the meantime. Thus the loop receives one post and at most one
// wake-up for many messages, and posting.hpp makes sure that no wake-up is lost.
#pragma once

#include <atomic>
#include <utility>

#include "loop/loop.hpp"

namespace loopbench::loop {

enum class mailing {
    first,    // the mailbox was empty; the sender must arrange the delivery
    added,    // the delivery is already arranged
    refused,  // the mailbox is closed
};

/// The messages that are not yet delivered. The acquire in push() and the release in take_all() are for the
/// delivery: its next sender uses it again after the loop. Any thread may call push(), without a lock. Only
/// the receiving thread may call take_all() and close(). `Atomic` is std::atomic, except in tests/race (see
/// posting.hpp).
template <template <class> class Atomic>
class basic_mailbox {
public:
    /// Adds a chain of messages, which is linked from `newest` to `oldest`. Refused messages still belong to
    /// the caller.
    mailing push(operation& newest, operation& oldest) noexcept {
        operation* before = newest_.load(std::memory_order_relaxed);
        do {
            if (before == closed()) return mailing::refused;
            oldest.next = before;
        } while (!newest_.compare_exchange_weak(before, &newest, std::memory_order_acq_rel,
                                                std::memory_order_relaxed));
        return before == nullptr ? mailing::first : mailing::added;
    }

    /// Moves all messages to `queue`, in the order of their arrival. Call this function in the delivery.
    template <class Queue>
    void take_all(Queue& queue) noexcept {
        push_oldest_first(newest_.exchange(nullptr, std::memory_order_acq_rel), queue);
    }

    /// Refuses messages from now on, and moves the remaining messages to `rest`. Returns true if there were
    /// any; then their delivery is arranged, or the sender is about to arrange it. Call close() only once,
    /// and take_all() never afterwards.
    bool close(operation_queue& rest) noexcept {
        push_oldest_first(newest_.exchange(closed(), std::memory_order_acquire), rest);
        return !rest.empty();
    }

private:
    // Returns the mark of a closed mailbox, which is never read or written.
    static operation* closed() noexcept {
        static constinit operation mark{nullptr, nullptr};
        return &mark;
    }

    Atomic<operation*> newest_{nullptr};
};

/// The inbox of a loop. Any thread may send messages; each message is a function that runs in the loop's
/// thread. Messages of one sender run in the order of sending. run() throws their exceptions. The inbox must
/// exist until all calls of push() and post() have returned. It can outlive the loop.
class inbox {
public:
    /// Creates the inbox of `loop`. Call close() before you destroy the loop.
    explicit inbox(event_loop& loop) noexcept : loop_(loop), delivery_(*this) {}
    inbox& operator=(inbox&&) = delete;

    /// Runs function(loop) on a later turn, and wakes the loop if it sleeps. Returns false if the inbox is
    /// closed; then the function was destroyed in the calling thread. If the inbox is closed before the
    /// function has run, the function is destroyed in the loop's thread. Throws std::bad_alloc.
    template <class F>
    bool post(F&& function) {
        operation& message = make_message(std::forward<F>(function));
        if (push(message, message)) return true;
        message.complete(&message, completion::discard);
        return false;
    }

    /// Returns a message for push(), which runs function(loop).
    template <class F>
    operation& make_message(F&& function) {
        return make_callback<operation>(
            [this, call = std::decay_t<F>(std::forward<F>(function))]() mutable { call(loop_); });
    }

    /// Sends the messages of a chain, which is linked from `newest` to `oldest`. The first message of the
    /// chain that runs is the oldest. Returns false if the inbox is closed; then the messages still belong to
    /// the caller.
    bool push(operation& newest, operation& oldest) noexcept {
        const mailing sent = messages_.push(newest, oldest);
        if (sent == mailing::first) {
            loop_.push_from_any_thread(delivery_);
            deliveries_posted_.fetch_add(1, std::memory_order_release);  // afterwards, close() may return
        }
        return sent != mailing::refused;
    }

    /// Refuses messages from now on, destroys the messages that have not been delivered, and waits for
    /// senders that still use the loop. Call close() once, in the loop's thread, while the loop does not run.
    void close() noexcept;

private:
    struct delivery : operation {
        explicit delivery(inbox& to) noexcept : operation{nullptr, &run_or_discard}, receiver(to) {}

        static void run_or_discard(operation* op, completion how) {
            inbox& self = static_cast<delivery*>(op)->receiver;
            if (how == completion::discard || self.is_closed_) return;
            ++self.deliveries_taken_;
            self.messages_.take_all(self.loop_.ready());
        }

        inbox& receiver;
    };

    event_loop& loop_;
    // The next members change with each delivery, so that they have their own cache line.
    alignas(64) basic_mailbox<std::atomic> messages_;
    std::atomic<std::size_t> deliveries_posted_{0};
    delivery delivery_;
    std::size_t deliveries_taken_ = 0;  // used only in the loop's thread, as is is_closed_
    bool is_closed_ = false;
};

}  // namespace loopbench::loop
