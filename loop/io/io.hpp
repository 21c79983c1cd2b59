// An I/O operation, started once and completed with a result; the driver that executes it; and how a
// coroutine awaits it.
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
    send_to,  // a datagram, to `address`, or to the connected peer if that is empty
    connect,  // to `address`
    output_call,
    writable,  // completes when a write would not block; the result is 0
    // Out-of-band data and errors (POLLPRI, POLLERR); only on the epoll, io_uring and retry drivers:
    urgent_call,
};
constexpr bool is_input(io_kind kind) noexcept {
    return kind <= io_kind::readable;
}

/// An I/O operation. From start() to completion it belongs to the driver and must not move.
struct io_operation : operation {
    int fd = -1;
    io_kind kind = io_kind::readable;
    bool whole = false;       // of send and write: continues until every byte is taken
    bool detachable = false;  // of receive and send: see driver::leave_thread()
    bool pending = false;     // kept by the driver: true while it waits for the kernel
    std::uint8_t state = 0;   // these three belong to the driver while the operation is pending
    bool polled = false;
    bool by_edge = false;
    // For the three *_call kinds: makes the call once, without blocking, and sets `result`; returns false if
    // it would block. The descriptor is non-blocking. Called when the operation is started, and again
    // whenever it might succeed.
    bool (*call)(io_operation&) noexcept = nullptr;
    std::int64_t result = 0;    // a count of bytes or a descriptor, or a negated errno
    std::byte* data = nullptr;  // never written to if the kind sends
    std::size_t size = 0;
    std::size_t moved = 0;                // of `size`, by the parts of a `whole` operation
    sockaddr_storage* address = nullptr;  // receive_from: out; send_to, connect: in
    socklen_t address_bytes = 0;
};

/// A queue that holds only I/O operations.
struct io_queue : operation_queue {
    io_operation& front() noexcept { return static_cast<io_operation&>(operation_queue::front()); }
    const io_operation& front() const noexcept {
        return static_cast<const io_operation&>(operation_queue::front());
    }
    io_operation& pop() noexcept { return static_cast<io_operation&>(operation_queue::pop()); }
};

/// A selection of the operations on a descriptor: all of them, or those for which `is_chosen` returns true.
struct io_choice {
    bool (*is_chosen)(const io_operation&, const void* by) noexcept = nullptr;
    const void* by = nullptr;

    bool holds(const io_operation& op) const noexcept { return is_chosen == nullptr || is_chosen(op, by); }
};

/// A table with a T for each descriptor that was used, indexed by the descriptor's number.
template <class T>
class descriptor_table {
public:
    /// Returns the entry, and creates it if there is none yet. Throws std::bad_alloc.
    T& get(int fd) {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= entries_.size()) [[unlikely]]
            entries_.resize(2 * index + 16);
        return entries_[index];
    }
    /// Returns null if there is no entry, for example for -1, the number of a closed descriptor.
    T* find(int fd) noexcept {
        return fd >= 0 && static_cast<std::size_t>(fd) < entries_.size() ? &(*this)[fd] : nullptr;
    }
    /// The entry must exist.
    T& operator[](int fd) noexcept { return entries_[static_cast<std::size_t>(fd)]; }

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }

private:
    std::vector<T> entries_;
};

/// A lock with which other threads use a loop's timers and its driver. The loop's own thread holds it during
/// a turn, except while it sleeps in the kernel and while callbacks run.
class loop_lock {
public:
    virtual void lock() noexcept = 0;
    virtual void unlock() noexcept = 0;

protected:
    ~loop_lock() = default;
};

/// A way to do I/O. All members except wake() are for the loop's thread only, unless the driver is shared.
class driver {
public:
    driver& operator=(driver&&) = delete;
    virtual ~driver() = default;

    /// From now on start(), cancel_some() and unwatch() may be called in any thread that holds the lock, and
    /// close() after cancel_some() where runs_in_this_thread() is true. A thread other than the loop's must
    /// wake the loop afterwards, and must not push anything to the ready queue; therefore it uses
    /// cancel_some(). Only the drivers on epoll and io_uring can be shared, and only for operations that are
    /// calls or `detachable`.
    void share(loop_lock& lock) noexcept { lock_ = &lock; }
    loop_lock* lock() const noexcept { return lock_; }
    /// Returns true if the loop runs in the calling thread or, between two runs, if it has run there last or
    /// not at all. In any other thread, a descriptor must not be closed: the loop's thread might have
    /// requests for it that it has not yet submitted to the kernel. A driver without such requests returns
    /// true in every thread.
    virtual bool runs_in_this_thread() const noexcept { return true; }

    /// Called, with the lock, before a shared loop runs, possibly in another thread than before. `for_long`:
    /// until leave_thread() is called in the same thread, the driver may give the kernel the buffers of
    /// `detachable` operations; otherwise it asks the kernel for readiness. Throws std::system_error.
    virtual void enter_thread(bool /*for_long*/) {}
    /// Takes all buffers back from the kernel. The driver will repeat these requests later. With the lock.
    virtual void leave_thread() noexcept {}
    /// Called in the child of a fork, for a shared loop: creates the driver's kernel objects again, because
    /// the old ones are shared with the parent. Pending operations stay pending. Throws std::system_error.
    virtual void begin_anew_in_child() {}

    /// Starts an operation. Returns true if it completed immediately: `result` is set, and nothing is queued.
    /// Returns false if it is pending; it will be pushed to ready() when it completes. Throws
    /// std::system_error if the descriptor cannot be watched, and std::bad_alloc; then the operation was not
    /// started.
    virtual bool start(io_operation& op) = 0;

    /// Ends a pending operation early: it will be pushed with -ECANCELED, or with a result that arrived
    /// before.
    virtual void cancel(io_operation& op) noexcept {
        discard(op);
        op.result = -ECANCELED;
        ready_.push(op);
    }

    /// Forgets a pending operation whose owner is going away: after this call, neither the driver nor the
    /// kernel uses it or its buffer, and it is not pushed. Data or a connection that it has received is lost.
    virtual void discard(io_operation& op) noexcept = 0;

    /// Ends the chosen pending operations on a descriptor. Those that end at once are moved to `ended`, with
    /// `result` set; the others will be pushed, as described at cancel(). Data that has arrived is not lost.
    virtual void cancel_some(int /*fd*/, io_choice, io_queue& /*ended*/) noexcept {}

    /// At the end of the loop: moves all pending operations to `ended`; neither the driver nor the kernel
    /// uses them any more.
    virtual void take_all(io_queue& /*ended*/) noexcept {}

    /// Must be called before a descriptor is closed: its pending operations complete with -ECANCELED, and
    /// none of its events reaches the next descriptor with the same number.
    virtual void close(int fd) noexcept = 0;

    /// Called when a user stops watching a descriptor that the loop does not own and that may be closed
    /// without notice. If nothing is pending on it, the driver forgets it.
    virtual void unwatch(int /*fd*/) noexcept {}

    /// Sleeps until something is pushed, wake() is called, or the deadline has come; then takes the kernel's
    /// events. With do_not_wait, it does not sleep. It may return early, with nothing. Throws
    /// std::system_error.
    virtual void wait(time_point deadline) = 0;

    /// Ends the current or the next wait(). Any thread; may also be called from a signal handler.
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
    /// Moves the chosen operations from `pending` to `ended`.
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

    /// A guard that releases the lock while it lives, so that the thread may sleep.
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

/// A deadline for driver::wait() that means: do not sleep.
inline constexpr time_point do_not_wait = time_point::min();

/// Makes the operation's system call once, without blocking, and sets `result`. Returns false, with -EAGAIN
/// in `result`, if the operation has to wait: the call would block, or it has moved (and added to `moved`)
/// only a part of a `whole` operation. Handles EINTR.
bool attempt(io_operation& op) noexcept;

/// The result of a read or a write. `bytes` is the number of bytes; a read of 0 bytes means the end of the
/// stream. If `error` (an errno) is not 0, `bytes` is the number that a write moved before the error.
struct io_result {
    /// Converts an operation's result. `moved` counts only if the result is an error.
    static io_result of(std::int64_t result, std::size_t moved = 0) noexcept {
        if (result < 0) return {.bytes = moved, .error = static_cast<int>(-result)};
        return {.bytes = static_cast<std::size_t>(result), .error = 0};
    }

    std::size_t bytes = 0;
    int error = 0;

    std::error_code error_code() const noexcept { return {error, std::generic_category()}; }
};

/// An awaiter for one I/O operation. await_resume() returns the operation's result: a count, a descriptor, or
/// a negated errno. It throws task_cancelled if the task was cancelled before the operation was done; an
/// operation that was done first keeps its result, so that no byte is lost.
class io_awaiter : protected awaiter<io_operation> {
public:
    /// A receiving operation writes to `buffer`, although it is const here.
    io_awaiter(driver& io, io_kind what, int descriptor, std::span<const std::byte> buffer = {}) noexcept
        : io_(io) {
        kind = what;
        whole = what == io_kind::send || what == io_kind::write;
        fd = descriptor;
        data = const_cast<std::byte*>(buffer.data());  // one pointer for both directions
        size = buffer.size();
        result = -ECANCELED;  // the result for a task that is already cancelled
    }
    ~io_awaiter() {
        if (pending || kind == io_kind::accept) release();
    }

    void set_address(sockaddr_storage* where, socklen_t bytes) noexcept {
        address = where;
        address_bytes = bytes;
    }
    /// Returns the length of the sender's address, after receive_from.
    socklen_t address_size() const noexcept { return address_bytes; }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) {
        return suspend(coroutine, &cancel_pending) && start();
    }

    std::int64_t await_resume() {
        if (result == -ECANCELED) throw_if_cancelled();
        return std::exchange(result, -ECANCELED);  // the result now belongs to the awaiting code
    }

private:
    // Returns true if the coroutine stays suspended.
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

/// An awaiter for a read (one receive: at least one byte, the end, or an error) or a write (all bytes, or an
/// error).
class transfer_awaiter : public io_awaiter {
public:
    using io_awaiter::io_awaiter;

    /// If the task was cancelled after some bytes were written, returns their number; the next await throws
    /// instead.
    io_result await_resume() {
        if (result == -ECANCELED && moved == 0) throw_if_cancelled();
        return io_result::of(std::exchange(result, -ECANCELED), std::exchange(moved, 0));
    }
};

}  // namespace loopbench::loop
