#pragma once

#include <coroutine>
#include <exception>
#include <limits>
#include <type_traits>

#include "loop/compiler.hpp"
#include "loop/coro/frame_pool.hpp"

namespace loopbench::loop {

/// The two ways to complete an operation: `run` does its work; `discard`, used at the end of the loop, only
/// frees what the operation owns.
enum class completion { run, discard };

/// Work that runs once. The loop calls `complete` in its own thread; during this call, the operation is in no
/// queue, and may destroy itself. run() throws the exceptions of `complete`. The link of the queue is a
/// member, so that queueing needs no memory.
struct operation {
    using complete_fn = void (*)(operation*, completion);

    operation* next;
    complete_fn complete;

    /// Does nothing. (timer::fetch_later() hides this function and prefetches another timer.)
    void fetch_later() const noexcept {}
};

/// A first-in, first-out queue. The queue is intrusive: an operation is in at most one queue.
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

    operation& pop() noexcept {
        operation* const op = head_;
        head_ = op->next;
        return *op;
    }

    /// Removes all operations and returns the first one, or null. The operations stay linked, in order, up to
    /// back().
    operation* release() noexcept { return std::exchange(head_, nullptr); }
    operation* back() const noexcept { return tail_; }
    void prepend(operation* first, operation* last) noexcept {
        if (first == nullptr) return;
        last->next = head_;
        if (head_ == nullptr) tail_ = last;
        head_ = first;
    }
    void prepend(operation_queue&& first) noexcept { prepend(first.release(), first.tail_); }

    /// Removes `op`, or returns false if `op` is not in the queue. The search takes linear time; use it only
    /// for short queues.
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
    operation* tail_ = nullptr;
};

/// The amount of work that a loop may do before it checks for I/O and reads the clock again. Without
/// a limit, a queue that is never empty would starve the timers, a task whose socket is always ready would
/// starve other tasks, and a sender whose socket accepts megabytes would starve its receiver. (While reported
/// descriptors wait in the ready queue for their system calls, the loop does not check for I/O, even if the
/// budget is used up; see readiness.hpp.)
///
/// A callback costs four units, an operation that completes immediately costs one unit, and a transfer of
/// more than 16 KiB costs one more unit for each 256 bytes. (Up to 16 KiB, the system call costs more than
/// the transfer of the bytes.) Thus a turn of 256 units runs at most 64 callbacks. If a turn ran more
/// callbacks, the data that 1000 connections have received in messages of 16 KiB would leave the caches
/// before the callbacks process it. On designs whose turn runs everything that is ready, each callback has
/// its own budget.
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

    /// Accounts for an operation that completed immediately and moved `bytes` bytes. Returns true if the
    /// operation's coroutine may continue without going through the ready queue.
    bool may_complete_inline(std::size_t bytes) noexcept {
        used_ += units_of(bytes);
        return used_ <= units_max;
    }

private:
    std::size_t used_ = 0;
};

class ready_queue : public operation_queue {
public:
    void push(operation& op) noexcept {
        if (closed_) [[unlikely]]
            return op.complete(&op, completion::discard);
        operation_queue::push(op);
    }

    /// Discards all operations, and from now on every operation that is pushed. Later operations must be
    /// discarded, too, because the destruction of one frame may complete an operation of another frame, which
    /// is destroyed before the loop could run this operation.
    void close() noexcept {
        closed_ = true;
        discard_all();
    }
    bool closed() const noexcept { return closed_; }

    work_budget budget;
    unsigned nested_gathers = 0;
    bool tasks_poll = false;  // true if waiting tasks poll; see coro/woken_awaiter.hpp

private:
    bool closed_ = false;
};

/// The exception that a cancelled task receives from its current or next await. A task that ends with this
/// exception counts as cancelled, not as failed; therefore do not catch it.
class task_cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "the task was cancelled"; }
};

class suspension;

struct task_context {
    suspension* waiting_on;  // where the innermost coroutine is suspended; null while the task runs
    bool cancel_requested;
};

class suspension {
public:
    /// A function that ends the wait of a cancelled task: it makes sure that the operation is queued,
    /// immediately or soon. The pointer is null if the operation is already queued.
    using cancel_fn = void (*)(suspension*) noexcept;

    suspension& operator=(suspension&&) = delete;

    std::coroutine_handle<> coroutine() const noexcept { return coroutine_; }
    const task_context* context() const noexcept { return context_; }

protected:
    ~suspension() = default;

    /// Records that `coroutine` is suspended in this object. Returns false if the task is already cancelled;
    /// then the coroutine must not suspend.
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

    void stay_running() noexcept { context_->waiting_on = nullptr; }

    /// Resumes the coroutine. Afterwards, the awaiter might no longer exist.
    void resume() {
        context_->waiting_on = nullptr;
        coroutine_.resume();
    }

    bool cancel_requested() const noexcept { return context_ != nullptr && context_->cancel_requested; }

    void throw_if_cancelled() {
        if (!cancel_requested()) [[likely]]
            return;
        context_->cancel_requested = false;
        throw task_cancelled();
    }

private:
    friend void request_cancel(task_context& task) noexcept;

    std::coroutine_handle<> coroutine_;
    task_context* context_ = nullptr;
    cancel_fn cancel_;
};

/// Requests that a task ends: its current or next await throws task_cancelled. A second request has no effect
/// until the task has received the exception of the first request. Call this function only in the loop's
/// thread.
inline void request_cancel(task_context& task) noexcept {
    task.cancel_requested = true;
    suspension* const place = task.waiting_on;
    if (place == nullptr || place->cancel_ == nullptr) return;
    std::exchange(place->cancel_, nullptr)(place);
}

/// The base of every awaiter that suspends its coroutine in the loop: an operation that resumes the
/// coroutine. In a derived class, await_suspend() calls suspend(), and await_resume() calls
/// throw_if_cancelled() if the wait had no result. The code that completes the operation pushes it to the
/// ready queue.
template <class Operation = operation>
class awaiter : protected Operation, protected suspension {
public:
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

/// An operation in recycled memory. It must be created and run in the same thread; otherwise, the blocks of
/// one thread would collect in the pool of another thread.
struct recycled_operation : operation, recycled {};

/// A queued function with its captures. Its memory is freed before the function runs, so that a function that
/// posts itself again reuses the same block.
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

/// Returns an operation that owns itself. The caller must run or discard the operation exactly once.
template <class Base = recycled_operation, class F>
operation& make_callback(F&& function) {
    return *new callback<std::decay_t<F>, Base>(std::forward<F>(function));
}

}  // namespace loopbench::loop
