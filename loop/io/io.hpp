// An I/O operation, started once and completed with a result; the driver that does it; and awaiting one.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

enum class io_kind : std::uint8_t {
    // Input:
    receive,       // from a stream socket
    read,          // from anything else: a pipe, a terminal
    receive_from,  // a datagram, with its sender's address
    accept,        // the result is the new descriptor: non-blocking, close-on-exec
    input_call,    // whatever `call` does: several buffers, flags of a message, an address
    readable,      // completes when a read would not block; the result is 0
    // Output:
    send,     // to a stream socket; never raises SIGPIPE
    write,    // to anything else
    send_to,  // a datagram, to `address`, or to the connected peer when that is empty
    connect,  // to `address`
    output_call,
    writable,  // completes when a write would not block; the result is 0
    // Out-of-band data and errors (POLLPRI, POLLERR); on epoll, io_uring and by asking alone:
    urgent_call,
};
constexpr bool is_input(io_kind kind) noexcept {
    return kind <= io_kind::readable;
}

/// From start() to completion the operation belongs to the driver and must stay where it is.
struct io_operation : operation {
    int fd = -1;
    io_kind kind = io_kind::readable;
    bool whole = false;       // of send and write: goes on until every byte is taken
    bool detachable = false;  // of receive and send: see driver::leave_thread()
    bool pending = false;     // kept by the driver: true while it waits for the kernel
    std::uint8_t state = 0;   // the driver's own, like the next two, while it is pending
    bool polled = false;
    bool by_edge = false;
    // Of the three calls: makes it, once and without blocking, and sets `result`; false when it would block.
    // The descriptor is non-blocking. Called when the operation is started, and whenever there is hope.
    bool (*call)(io_operation&) noexcept = nullptr;
    std::int64_t result = 0;    // a count of bytes or a descriptor, or a negated errno
    std::byte* data = nullptr;  // not written through when the kind sends
    std::size_t size = 0;
    std::size_t moved = 0;                // of `size`, by the parts of an operation that is `whole`
    sockaddr_storage* address = nullptr;  // receive_from: out; send_to, connect: in
    socklen_t address_bytes = 0;
};

/// Of I/O operations alone.
struct io_queue : operation_queue {
    io_operation& front() noexcept { return static_cast<io_operation&>(operation_queue::front()); }
    const io_operation& front() const noexcept {
        return static_cast<const io_operation&>(operation_queue::front());
    }
    io_operation& pop() noexcept { return static_cast<io_operation&>(operation_queue::pop()); }
};

/// Some of the operations on a descriptor: all, or those that `is_chosen` says.
struct io_choice {
    bool (*is_chosen)(const io_operation&, const void* by) noexcept = nullptr;
    const void* by = nullptr;

    bool holds(const io_operation& op) const noexcept { return is_chosen == nullptr || is_chosen(op, by); }
};

/// A T for each descriptor that was asked for, by its number.
template <class T>
class descriptor_table {
public:
    /// Makes it when there is none yet. Throws std::bad_alloc.
    T& get(int fd) {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= entries_.size()) [[unlikely]]
            entries_.resize(2 * index + 16);
        return entries_[index];
    }
    /// Null when there is none, as for the -1 of what is closed.
    T* find(int fd) noexcept {
        return fd >= 0 && static_cast<std::size_t>(fd) < entries_.size() ? &(*this)[fd] : nullptr;
    }
    /// There must be one.
    T& operator[](int fd) noexcept { return entries_[static_cast<std::size_t>(fd)]; }

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }

private:
    std::vector<T> entries_;
};

/// Lets other threads use a loop's timers and its driver: who does so holds the lock. The loop's own thread
/// holds it in a turn, except while it sleeps in the kernel and while callbacks run.
class loop_lock {
public:
    virtual void lock() noexcept = 0;
    virtual void unlock() noexcept = 0;

protected:
    ~loop_lock() = default;
};

/// A way to do I/O. Everything but wake() is for the loop's thread alone, unless it is shared.
class driver {
public:
    driver& operator=(driver&&) = delete;
    virtual ~driver() = default;

    /// From now on start(), cancel_some() and unwatch() may be called in any thread that holds the lock, and
    /// close() after cancel_some() where closes_here(). Who is not in the loop's thread wakes the loop
    /// afterwards, and must not let anything be pushed to the ready queue: hence cancel_some(). Only the
    /// drivers on epoll and io_uring can be shared, and only operations that are calls or `detachable`.
    void share(loop_lock& lock) noexcept { lock_ = &lock; }
    loop_lock* lock() const noexcept { return lock_; }
    /// Whether the calling thread may close a descriptor: not while it may stand in requests of another
    /// thread that are not yet handed over.
    virtual bool closes_here() const noexcept { return true; }

    /// To be called, with the lock, when a shared loop is going to be run, maybe in another thread than
    /// before. `for_long`: until leave_thread() is called in the same thread, the kernel may be given the
    /// buffers of what is `detachable`; else it is asked for readiness. Throws std::system_error.
    virtual void enter_thread(bool /*for_long*/) {}
    /// Takes all buffers back from the kernel. What it was asked to do with them is asked again later. With
    /// the lock.
    virtual void leave_thread() noexcept {}
    /// To be called in the child of a fork, of a shared loop: what the driver has with the kernel is shared
    /// with the parent, and is made anew. What is pending stays so. Throws std::system_error.
    virtual void begin_anew_in_child() {}

    /// True when the operation was completed at once: `result` is set, and nothing is queued. False when it
    /// is pending now and will be pushed to ready() when it completes. Throws std::system_error when the
    /// descriptor cannot be watched, and std::bad_alloc; then it was not started.
    virtual bool start(io_operation& op) = 0;

    /// A pending operation is to end early: it will be pushed with -ECANCELED, or what has come before that.
    virtual void cancel(io_operation& op) noexcept {
        discard(op);
        op.result = -ECANCELED;
        ready_.push(op);
    }

    /// The owner of a pending operation is going away: when this returns, neither the driver nor the kernel
    /// knows it or its buffer any more, and it is not pushed. What it has received or accepted is lost.
    virtual void discard(io_operation& op) noexcept = 0;

    /// Ends what is pending on a descriptor and chosen: what ends at once is moved to `ended`, with the
    /// result set; the rest will be pushed, as cancel() says. What has arrived is not lost.
    virtual void cancel_some(int /*fd*/, io_choice, io_queue& /*ended*/) noexcept {}

    /// At the end: moves everything that is pending to `ended`; neither the driver nor the kernel knows it
    /// any more.
    virtual void take_all(io_queue& /*ended*/) noexcept {}

    /// To be called before a descriptor is closed: what is pending on it completes with -ECANCELED, and none
    /// of its events reaches the next descriptor of the same number.
    virtual void close(int fd) noexcept = 0;

    /// Whoever has watched a descriptor that is not ours has ended, and may close it without telling us. When
    /// nothing is pending on it, the driver keeps nothing of it.
    virtual void unwatch(int /*fd*/) noexcept {}

    /// Sleeps until something is pushed, wake() is called, or the deadline has come, and takes what there is.
    /// With do_not_wait it only takes. It may return early, with nothing. Throws std::system_error.
    virtual void wait(time_point deadline) = 0;

    /// Ends a wait(), the present one or the next. Any thread; also from a signal handler.
    virtual void wake() noexcept = 0;

    std::size_t pending() const noexcept { return pending_; }
    ready_queue& ready() noexcept { return ready_; }

protected:
    explicit driver(ready_queue& ready) noexcept : ready_(ready) {}

    void set_pending(io_operation& op) noexcept {
        op.pending = true;
        ++pending_;
    }
    void set_not_pending(io_operation& op) noexcept {
        op.pending = false;
        --pending_;
    }
    void complete(io_operation& op, std::int64_t result) noexcept {
        set_not_pending(op);
        op.result = result;
        ready_.push(op);
    }
    void cancel_all(io_queue& pending) noexcept {
        while (!pending.empty()) complete(pending.pop(), -ECANCELED);
    }
    /// Moves what is chosen from `pending` to `ended`.
    void end_some(io_queue& pending, io_choice choice, io_queue& ended) noexcept {
        io_queue others;
        while (!pending.empty()) {
            io_operation& op = pending.pop();
            choice.holds(op) ? end(op, ended) : others.push(op);
        }
        pending.prepend(std::move(others));
    }
    void end(io_operation& op, io_queue& ended) noexcept {
        set_not_pending(op);
        op.result = -ECANCELED;
        ended.push(op);
    }

    /// While it lives, the thread may sleep.
    class without_lock {
    public:
        explicit without_lock(const driver& slept_in) noexcept : lock_(slept_in.lock_) {
            if (lock_ != nullptr) lock_->unlock();
        }
        without_lock& operator=(without_lock&&) = delete;
        ~without_lock() {
            if (lock_ != nullptr) lock_->lock();
        }

    private:
        loop_lock* const lock_;
    };

private:
    ready_queue& ready_;
    loop_lock* lock_ = nullptr;
    std::size_t pending_ = 0;
};

/// As a deadline for driver::wait(): do not sleep.
inline constexpr time_point do_not_wait = time_point::min();

/// Makes the system call that the operation stands for, once, without blocking, and sets `result`. False, and
/// -EAGAIN, when the operation has to wait: the call would block, or has moved (and added to `moved`) only a
/// part of one that is `whole`. EINTR is handled here.
bool attempt(io_operation& op) noexcept;

/// What a read or a write came to: so many bytes, of which 0 are the end of a stream that is read; or an
/// `error`, an errno and not 0, and `bytes` says what a write moved before it.
struct io_result {
    /// From an operation's result. `moved` counts where that is an error.
    static io_result of(std::int64_t result, std::size_t moved = 0) noexcept {
        if (result < 0) return {.bytes = moved, .error = static_cast<int>(-result)};
        return {.bytes = static_cast<std::size_t>(result), .error = 0};
    }

    std::size_t bytes = 0;
    int error = 0;

    std::error_code error_code() const noexcept { return {error, std::generic_category()}; }
};

/// One I/O operation, awaited. The result of await_resume() is the operation's: a count, a descriptor, or a
/// negated errno. Throws task_cancelled when the task was cancelled before the operation was done; an
/// operation that was done first keeps its result, so that no byte is lost.
class io_awaiter : protected awaiter<io_operation> {
public:
    /// What receives writes to the buffer.
    io_awaiter(driver& io, io_kind what, int descriptor, std::span<const std::byte> buffer = {}) noexcept
        : io_(io) {
        kind = what;
        whole = what == io_kind::send || what == io_kind::write;
        fd = descriptor;
        data = const_cast<std::byte*>(buffer.data());  // one pointer for both directions
        size = buffer.size();
        result = -ECANCELED;  // what a task that is cancelled already gets
    }
    ~io_awaiter() {
        if (pending || kind == io_kind::accept) release();
    }

    void set_address(sockaddr_storage* where, socklen_t bytes) noexcept {
        address = where;
        address_bytes = bytes;
    }
    /// After receive_from: how long the sender's address is.
    socklen_t address_size() const noexcept { return address_bytes; }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) {
        return suspend(coroutine, &cancel_pending) && start();
    }

    std::int64_t await_resume() {
        if (result == -ECANCELED) throw_if_cancelled();
        return std::exchange(result, -ECANCELED);  // it belongs to who awaits it
    }

private:
    // True when the coroutine stays suspended.
    bool start() {
        try {
            if (!io_.start(*this)) return true;
        } catch (...) {
            stay_running();
            throw;
        }
        const bool moved_bytes = result > 0 && kind != io_kind::accept;
        if (io_.ready().budget.may_complete_inline(moved_bytes ? static_cast<std::size_t>(result) : 0)) {
            stay_running();
            return false;
        }
        io_.ready().push(*this);
        return true;
    }

    static void cancel_pending(suspension* place) noexcept;
    void release() noexcept;

    driver& io_;
};

/// A read: one receive, of at least one byte, the end, or an error. Or a write: all bytes, or an error.
class transfer_awaiter : public io_awaiter {
public:
    using io_awaiter::io_awaiter;

    /// When the task is cancelled, what it has written is reported, and the next await throws instead.
    io_result await_resume() {
        if (result == -ECANCELED && moved == 0) throw_if_cancelled();
        return io_result::of(std::exchange(result, -ECANCELED), std::exchange(moved, 0));
    }
};

}  // namespace loopbench::loop
