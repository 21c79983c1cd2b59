// The one thing that the loop knows how to run, and how a coroutine is one.
//
// Everything that can become ready (a task's first step, a finished sleep, a completed read, a posted
// function) derives from `operation` and is linked into a queue through itself, so that queueing allocates
// nothing. What a coroutine awaits is an `awaiter`: an operation that resumes the coroutine when it is run.
#pragma once

#include <coroutine>
#include <exception>
#include <type_traits>

#include "loop/coro/frame_pool.hpp"

namespace loopbench::loop {

/// What the loop asks of an operation: to do its work, or, when the loop ends, only to free what it owns.
enum class completion { run, discard };

/// Something to run once. `complete` is called by the loop, in its thread, with the operation itself; by then
/// the operation is in no queue, and it may destroy itself. What `complete` throws leaves run().
struct operation {
    using complete_fn = void (*)(operation*, completion);

    operation* next;
    complete_fn complete;

    /// Called when it begins to run. Does nothing, other than a timer's (timers/timer.hpp).
    void fetch_later() const noexcept {}
};

/// First in, first out; intrusive; an operation is in one queue at most.
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

    /// Takes all of them out, linked in their order up to back(); null when there is none.
    operation* release() noexcept { return std::exchange(head_, nullptr); }
    operation* back() const noexcept { return tail_; }
    /// Puts what is linked from `first`, which may be null, to `last` before what is here.
    void prepend(operation* first, operation* last) noexcept {
        if (first == nullptr) return;
        last->next = head_;
        if (head_ == nullptr) tail_ = last;
        head_ = first;
    }
    void prepend(operation_queue&& first) noexcept { prepend(first.release(), first.tail_); }

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

/// How much may be done until the kernel and the clock are looked at again, so that nobody is starved: not a
/// timer by a queue that is never empty, not a task by another whose socket is always ready, and not a
/// receiver by a sender whose socket takes megabytes before it is full. (The kernel is not looked at while
/// calls are queued that it has asked for, see readiness.hpp: they come after what was ready before them.)
///
/// A callback takes four units and an operation that was completed at once takes one; a transfer of more
/// than 16 KiB takes one more for each 256 bytes, so that 64 KiB use the whole budget up. So a flagship's
/// turn runs at most 64 callbacks: with more of them, what 1000 connections of 16 KiB have received leaves
/// the caches before it is looked at. The step at 16 KiB is meant: a message up to that size costs its
/// system call rather than its bytes, so a turn may move 4 MiB in 256 of those, and about 64 KiB in larger
/// ones. A loop whose turn runs all that is ready gives each callback a budget of its own. A child that a
/// gather starts takes one unit, and may be started until four budgets are used up (coro/join.hpp).
class work_budget {
public:
    static constexpr std::size_t units_max = 256;
    static constexpr std::size_t units_of_a_callback = 4;

    static constexpr std::size_t units_of(std::size_t bytes) noexcept {
        constexpr std::size_t small_transfer_bytes = 16'384;
        constexpr std::size_t bytes_per_unit = 256;
        return bytes > small_transfer_bytes ? 1 + bytes / bytes_per_unit : 1;
    }

    std::size_t used() const noexcept { return used_; }
    void use(std::size_t units) noexcept { used_ += units; }
    void refill() noexcept { used_ = 0; }

    /// For an operation that was completed at once and moved so many bytes: whether its coroutine may go on.
    bool may_complete_inline(std::size_t bytes) noexcept {
        used_ += units_of(bytes);
        return used_ <= units_max;
    }

private:
    std::size_t used_ = 0;
};

/// What the loop runs next, and how much it has run since it last looked at the kernel.
class ready_queue : public operation_queue {
public:
    void push(operation& op) noexcept {
        if (closed_) [[unlikely]]
            return op.complete(&op, completion::discard);
        operation_queue::push(op);
    }

    /// Discards what is here, and at once whatever is pushed from now on: at a loop's end, a frame that is
    /// destroyed may complete the operation of another one, which goes before anybody looks here.
    void close() noexcept {
        closed_ = true;
        discard_all();
    }
    bool closed() const noexcept { return closed_; }

    work_budget budget;
    unsigned nested_gathers = 0;  // which are starting children, one on the stack of the other

private:
    bool closed_ = false;
};

/// Thrown by the await at which a cancelled task was suspended, or by its next one. Let it pass: a task that
/// ends with it counts as cancelled, not as failed.
class task_cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "the task was cancelled"; }
};

class suspension;

/// What all coroutines of one task share: a spawned or gathered task and everything that it awaits.
struct task_context {
    suspension* waiting_on;  // of the innermost coroutine; null while the task runs or is queued
    bool cancel_requested;
};

/// A place where a coroutine is suspended: the link between its frame, its task, and whoever may cancel it.
class suspension {
public:
    /// Ends the wait of a cancelled task early: it must see to it that the operation is queued to be run, now
    /// or soon. Null when it is queued already.
    using cancel_fn = void (*)(suspension*) noexcept;

    suspension& operator=(suspension&&) = delete;

    std::coroutine_handle<> coroutine() const noexcept { return coroutine_; }
    const task_context* context() const noexcept { return context_; }

protected:
    ~suspension() = default;

    /// False when the task was cancelled before it came here: then it must not suspend.
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

    /// Takes suspend() back: the coroutine goes on at once.
    void stay_running() noexcept { context_->waiting_on = nullptr; }

    /// Goes on with the coroutine. The awaiter may be gone when this returns.
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

/// Asks a task to end: the await at which it is suspended, or its next one, throws task_cancelled. Asking
/// twice before it is delivered is asking once. Loop's thread only.
inline void request_cancel(task_context& task) noexcept {
    task.cancel_requested = true;
    suspension* const place = task.waiting_on;
    if (place == nullptr || place->cancel_ == nullptr) return;
    std::exchange(place->cancel_, nullptr)(place);
}

/// The base of every awaiter that reaches the loop: an operation that, when it is run, goes on with the
/// coroutine that is suspended in it. `Operation` is what is waited for: a plain one, a timer, one of I/O.
///
/// await_suspend() calls suspend(); whoever completes the operation pushes it to the ready queue;
/// await_resume() calls throw_if_cancelled() when the wait came to nothing.
template <class Operation = operation>
class awaiter : protected Operation, protected suspension {
public:
    /// For debug mode: the suspension that `op` is a part of; null when it is no awaiter of this kind.
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

/// An awaiter for loops that wait by asking: instead of being woken it stays in the ready queue, and on every
/// turn it is asked whether its wait is over. Other loops use it as an awaiter like any other.
template <class Operation = operation>
class polled_awaiter : public awaiter<Operation> {
public:
    static const suspension* suspension_of(const operation& op) noexcept {
        return op.complete == &ask ? static_cast<const polled_awaiter*>(&op)
                                   : awaiter<Operation>::suspension_of(op);
    }

protected:
    using is_over_fn = bool (*)(polled_awaiter&);

    explicit polled_awaiter(ready_queue& ready) noexcept : ready_(ready) {}
    /// Whose frame goes with another loop than the one that asks must not be asked any more.
    ~polled_awaiter() {
        if (this->complete == &ask) [[unlikely]]
            ready_.remove(*this);
    }

    ready_queue& ready() noexcept { return ready_; }

    void poll(is_over_fn is_over) noexcept {
        is_over_ = is_over;
        this->complete = &ask;
        ready_.push(*this);
    }

private:
    static void ask(operation* op, completion how) {
        if (how != completion::run) return;
        auto& self = *static_cast<polled_awaiter*>(op);
        if (!self.is_over_(self)) return self.ready_.push(self);
        self.complete = nullptr;
        self.resume();
    }

    ready_queue& ready_;
    is_over_fn is_over_;
};

/// For an operation that is made and run in one thread. (One that is run in another comes from the heap: that
/// thread would collect the blocks, and the first would never see one again.)
struct recycled_operation : operation, recycled {};

/// A queued function with its captures. The memory is released before the function runs, so that a function
/// that posts itself again uses the same block.
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

/// Makes an operation of any callable without arguments. It owns itself: run it, or discard it, exactly once.
template <class Base = recycled_operation, class F>
operation& make_callback(F&& function) {
    return *new callback<std::decay_t<F>, Base>(std::forward<F>(function));
}

}  // namespace loopbench::loop
