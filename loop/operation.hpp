// The one thing that the loop can run, and how a coroutine becomes one.
//
// Everything that can become ready (a task's first step, a finished sleep, a completed read, a posted
// function) derives from `operation` and is linked into a queue through itself, so that queueing allocates
// nothing. A coroutine awaits an `awaiter`: an operation that resumes the coroutine when it is run.
#pragma once

#include <coroutine>
#include <exception>
#include <limits>
#include <type_traits>

#include "loop/coro/frame_pool.hpp"

namespace loopbench::loop {

/// The two ways to complete an operation: do its work, or, when the loop ends, only free what it owns.
enum class completion { run, discard };

/// Something to run once. The loop calls `complete`, in its thread, with the operation itself. At that time
/// the operation is in no queue, and it may destroy itself. If `complete` throws, run() throws that
/// exception.
struct operation {
    using complete_fn = void (*)(operation*, completion);

    operation* next;
    complete_fn complete;

    /// Called when the operation begins to run. Does nothing, except for timers (timers/timer.hpp).
    void fetch_later() const noexcept {}
};

/// A first-in, first-out queue. Intrusive: an operation is in at most one queue.
class operation_queue {
public:
    operation_queue() = default;
    operation_queue(operation_queue&& other) noexcept : head_(other.release()), tail_(other.tail_) {}
    operation_queue& operator=(operation_queue&&) = delete;

    bool empty() const noexcept { return head_ == nullptr; }

    void push(operation& op) noexcept {
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

    /// Takes all operations out and returns the first one, linked in order up to back(); returns null if
    /// there are none.
    operation* release() noexcept { return std::exchange(head_, nullptr); }
    operation* back() const noexcept { return tail_; }
    /// Puts the operations linked from `first` (may be null) to `last` before those in the queue.
    void prepend(operation* first, operation* last) noexcept {
        if (first == nullptr) return;
        last->next = head_;
        if (head_ == nullptr) tail_ = last;
        head_ = first;
    }
    void prepend(operation_queue&& first) noexcept { prepend(first.release(), first.tail_); }

    /// Takes one operation out of the middle; returns false if it is not in the queue. Takes linear time, so
    /// use it for short queues.
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

    /// The queue must not be empty.
    operation& front() noexcept { return *head_; }
    const operation& front() const noexcept { return *head_; }

    template <class F>
    void for_each(F use) {
        for (operation* here = head_; here != nullptr; here = here->next) use(*here);
    }

    void discard_all() noexcept {
        while (!empty()) {
            operation& op = pop();
            op.complete(&op, completion::discard);
        }
    }

private:
    operation* head_ = nullptr;
    operation* tail_ = nullptr;  // meaningful only while head_ is not null
};

/// The amount of work that a loop may do until it asks the kernel and the clock again. It prevents
/// starvation: of a timer, by a queue that is never empty; of a task, by another task whose socket is always
/// ready; of a receiver, by a sender whose socket takes megabytes before it is full. (The loop does not ask
/// the kernel while system calls are queued because of reported readiness, see readiness.hpp: they run after
/// the operations that were ready before them.)
///
/// A callback costs four units, and an operation that completes immediately costs one. A transfer of more
/// than 16 KiB costs one more unit for each 256 bytes, so that 64 KiB use up the whole budget. A flagship's
/// turn therefore runs at most 64 callbacks: with more of them, the data that 1000 connections of 16 KiB have
/// received would leave the caches before it is processed. The threshold at 16 KiB is intentional: up to that
/// size, a message costs its system call rather than its bytes. So a turn can move 4 MiB in 256 messages of
/// that size, but only about 64 KiB in larger ones. A loop whose turn runs everything that is ready gives
/// each callback its own budget. Starting a child of a gather costs one unit; children start immediately
/// until four budgets are used up (coro/join.hpp).
class work_budget {
public:
    static constexpr std::size_t units_max = 256;
    static constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t units_of_a_callback = 4;

    static constexpr std::size_t units_of(std::size_t bytes) noexcept {
        constexpr std::size_t small_transfer_bytes = 16'384;
        constexpr std::size_t bytes_per_unit = 256;
        return bytes > small_transfer_bytes ? 1 + bytes / bytes_per_unit : 1;
    }

    std::size_t used() const noexcept { return used_; }
    void use(std::size_t units) noexcept { used_ += units; }
    void refill() noexcept { used_ = 0; }

    /// For an operation that completed immediately and moved `bytes` bytes: returns true if its coroutine may
    /// continue without going through the ready queue.
    bool may_complete_inline(std::size_t bytes) noexcept {
        used_ += units_of(bytes);
        return used_ <= units_max;
    }

private:
    std::size_t used_ = 0;
};

/// The operations that the loop runs next, and the work that it has done since it last asked the kernel.
class ready_queue : public operation_queue {
public:
    void push(operation& op) noexcept {
        if (closed_) [[unlikely]]
            return op.complete(&op, completion::discard);
        operation_queue::push(op);
    }

    /// Discards all operations, and from now on immediately discards every operation that is pushed. At the
    /// end of a loop, a destroyed frame may complete an operation of another frame, and that frame may be
    /// destroyed before the queue is looked at.
    void close() noexcept {
        closed_ = true;
        discard_all();
    }
    bool closed() const noexcept { return closed_; }

    work_budget budget;
    unsigned nested_gathers = 0;  // gathers that are starting children, nested on the stack
    bool tasks_poll = false;      // no task is woken; only for coro/woken_awaiter.hpp

private:
    bool closed_ = false;
};

/// Thrown by the await at which a cancelled task is suspended, or by its next one. Do not catch it: a task
/// that ends with it counts as cancelled, not as failed.
class task_cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "the task was cancelled"; }
};

class suspension;

/// The state that all coroutines of one task share. The task is a spawned or gathered task and everything
/// that it awaits.
struct task_context {
    suspension* waiting_on;  // of the innermost coroutine; null while the task runs or is queued
    bool cancel_requested;
};

/// A place where a coroutine is suspended. It links the coroutine's frame, its task, and the code that might
/// cancel it.
class suspension {
public:
    /// Ends the wait of a cancelled task early: must make sure that the operation is queued, now or soon.
    /// Null if the operation is already queued.
    using cancel_fn = void (*)(suspension*) noexcept;

    suspension& operator=(suspension&&) = delete;

    std::coroutine_handle<> coroutine() const noexcept { return coroutine_; }
    const task_context* context() const noexcept { return context_; }

protected:
    ~suspension() = default;

    /// Returns false if the task was cancelled before it came here; then it must not suspend.
    template <class Promise>
    bool suspend(std::coroutine_handle<Promise> coroutine, cancel_fn cancel) noexcept {
        context_ = coroutine.promise().context;
        if (context_->cancel_requested) [[unlikely]]
            return false;
        coroutine_ = coroutine;
        cancel_ = cancel;
        context_->waiting_on = this;
        return true;
    }

    /// Undoes suspend(): the coroutine continues immediately.
    void stay_running() noexcept { context_->waiting_on = nullptr; }

    /// Resumes the coroutine. The awaiter might be destroyed when this returns.
    void resume() {
        context_->waiting_on = nullptr;
        coroutine_.resume();
    }

    bool cancel_requested() const noexcept { return context_ != nullptr && context_->cancel_requested; }

    void throw_if_cancelled() {
        if (!cancel_requested()) [[likely]]
            return;
        context_->cancel_requested = false;  // delivered
        throw task_cancelled();
    }

private:
    friend void request_cancel(task_context& task) noexcept;

    std::coroutine_handle<> coroutine_;
    task_context* context_ = nullptr;
    cancel_fn cancel_;
};

/// Asks a task to end: the await at which it is suspended, or its next one, throws task_cancelled. A second
/// request before the first is delivered has no effect. Loop's thread only.
inline void request_cancel(task_context& task) noexcept {
    task.cancel_requested = true;
    suspension* const place = task.waiting_on;
    if (place == nullptr || place->cancel_ == nullptr) return;
    std::exchange(place->cancel_, nullptr)(place);
}

/// The base of every awaiter that reaches the loop: an operation that, when run, resumes the coroutine that
/// is suspended in it. `Operation` is the kind of operation to wait for: a plain one, a timer, or an I/O
/// operation.
///
/// await_suspend() calls suspend(). The code that completes the operation pushes it to the ready queue.
/// await_resume() calls throw_if_cancelled() if the wait had no result.
template <class Operation = operation>
class awaiter : protected Operation, protected suspension {
public:
    /// For debug mode: returns the suspension that `op` is a part of, or null if `op` is not an awaiter of
    /// this kind.
    static const suspension* suspension_of(const operation& op) noexcept {
        return op.complete == &run_awaiter ? static_cast<const awaiter*>(&op) : nullptr;
    }

protected:
    awaiter() noexcept { this->complete = &run_awaiter; }
    ~awaiter() = default;

private:
    static void run_awaiter(operation* op, completion how) {
        if (how != completion::run) return;
        auto& self = *static_cast<awaiter*>(op);
        self.fetch_later();
        self.resume();
    }
};

/// An operation that is created and run in the same thread. (An operation that runs in another thread comes
/// from the heap: otherwise that thread would collect the blocks, and the first thread would never get one
/// back.)
struct recycled_operation : operation, recycled {};

/// A queued function with its captures. It releases its memory before the function runs, so that a function
/// that posts itself again reuses the same block.
template <class Function, class Base>
struct callback final : Base {
    static_assert(alignof(Function) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

    template <class F>
    explicit callback(F&& from) : function(std::forward<F>(from)) {
        this->complete = &run_or_discard;
    }

    static void run_or_discard(operation* op, completion how) {
        auto* const self = static_cast<callback*>(op);
        Function taken(std::move(self->function));
        delete self;
        if (how == completion::run) taken();
    }

    Function function;
};

/// Makes an operation from any callable without arguments. It owns itself: run it or discard it exactly once.
template <class Base = recycled_operation, class F>
operation& make_callback(F&& function) {
    return *new callback<std::decay_t<F>, Base>(std::forward<F>(function));
}

}  // namespace loopbench::loop
