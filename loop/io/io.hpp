#pragma once

#include <sys/single_threaded.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <span>
#include <system_error>
#include <vector>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

enum class io_kind : std::uint8_t {
    receive,  // from a stream socket
    read,     // from any other descriptor, such as a pipe or a terminal
    receive_from,
    accept,  // the result is the new descriptor: non-blocking, close-on-exec
    input_call,
    read_file,  // from a position of a file, into several buffers
    readable,   // completes when a read would not block; the result is 0
    send,       // to a stream socket; never raises SIGPIPE
    write,
    send_to,  // a datagram, to `address`, or to the connected peer if `address` is null
    connect,
    output_call,
    write_file,  // at a position of a file, from several buffers
    writable,
    // A call that waits for out-of-band data or errors (POLLPRI, POLLERR). Only the epoll, io_uring and retry
    // drivers support this kind.
    urgent_call,
};
constexpr bool is_input(io_kind kind) noexcept {
    return kind <= io_kind::readable;
}
constexpr bool is_file(io_kind kind) noexcept {
    return kind == io_kind::read_file || kind == io_kind::write_file;
}
/// The position of read_file and write_file that means the position of the open file, which they then move.
inline constexpr std::uint64_t current_position = static_cast<std::uint64_t>(-1);

class driver;

/// An I/O operation. From start() to completion, the operation belongs to the driver and must not be moved.
struct io_operation : operation {
    int fd = -1;
    io_kind kind = io_kind::readable;
    bool whole = false;        // send and write: continue until all bytes are written
    bool detachable = false;   // receive, send and files: leave_thread() can take the buffers back
    bool polls_first = false;  // receive: reads only when its callback is about to run, see will_cancel()
    bool pending = false;
    std::uint8_t state = 0;
    bool polled = false;
    bool by_edge = false;
    std::uint16_t closes = 0;  // of the descriptor, when the operation completed
    // The function of the three *_call kinds. It makes the system call once and sets `result`, or returns
    // false if the system call would block. The descriptor is non-blocking. The driver calls the function
    // when the operation is started, and again whenever the system call might succeed.
    bool (*call)(io_operation&) noexcept = nullptr;
    std::int64_t result = 0;    // a number of bytes, a descriptor, or a negated errno
    std::byte* data = nullptr;  // of files: an array of iovec
    std::size_t size = 0;       // of files: the number of elements in this array
    std::size_t moved = 0;
    complete_fn own_complete;  // `complete` of a receive that has completed and waits for its turn,
    union {
        driver* completed_by;    // and its driver
        std::uint64_t position;  // of files: where the first byte is read or written, or current_position
    };
    sockaddr_storage* address = nullptr;  // output of receive_from; input of send_to and connect
    socklen_t address_bytes = 0;
};

struct io_queue : operation_queue {
    io_operation& front() noexcept { return static_cast<io_operation&>(operation_queue::front()); }
    const io_operation& front() const noexcept {
        return static_cast<const io_operation&>(operation_queue::front());
    }
    io_operation& pop() noexcept { return static_cast<io_operation&>(operation_queue::pop()); }
};

/// A choice among the operations on a descriptor. It contains the operations for which `is_chosen` returns
/// true, or all operations if `is_chosen` is null.
struct io_choice {
    bool (*is_chosen)(const io_operation&, const void* by) noexcept = nullptr;
    const void* by = nullptr;

    bool holds(const io_operation& op) const noexcept { return is_chosen == nullptr || is_chosen(op, by); }
};

template <class T>
class descriptor_table {
public:
    T& get(int fd) {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= entries_.size()) [[unlikely]]
            entries_.resize(2 * index + 16);
        return entries_[index];
    }
    T* find(int fd) noexcept {
        return fd >= 0 && static_cast<std::size_t>(fd) < entries_.size() ? &(*this)[fd] : nullptr;
    }
    T& operator[](int fd) noexcept { return entries_[static_cast<std::size_t>(fd)]; }

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }

private:
    std::vector<T> entries_;
};

/// A lock that lets other threads use a loop's timers and driver. The loop's own thread holds the lock during
/// a turn, except while the thread sleeps in the kernel and while callbacks run. In a process with one
/// thread, the lock does not touch its mutex. The number of threads must not change while the lock is held.
class loop_lock {
public:
    void lock() noexcept {
        const bool is_alone = __libc_single_threaded != 0;
        if (!is_alone) mutex_.lock();
        is_locked_ = !is_alone;
    }
    void unlock() noexcept {
        if (is_locked_) mutex_.unlock();
    }

private:
    std::mutex mutex_;
    bool is_locked_ = false;
};

/// The object that executes the I/O operations of a loop. Call all members except wake() only in the loop's
/// thread, unless the driver is shared.
class driver {
public:
    driver& operator=(driver&&) = delete;
    virtual ~driver() = default;

    /// Shares the driver with other threads. A thread that holds the lock may call start(), cancel_some(),
    /// unwatch() and, after cancel_some(), close(). It must wake the loop after start() and cancel_some() if
    /// runs_in_this_thread() returns false. A thread other than the loop's must not push operations to the
    /// ready queue; therefore it must not call cancel(). Only the epoll and io_uring drivers can be shared,
    /// and only for operations of the *_call kinds and `detachable` operations.
    void share(loop_lock& lock) noexcept { lock_ = &lock; }
    loop_lock* lock() const noexcept { return lock_; }
    /// Returns true if the loop's current or last run was in the calling thread, or if there was no run yet.
    /// If the result is false, the loop's thread might have requests that are not yet submitted to the
    /// kernel. A driver without such requests always returns true.
    virtual bool runs_in_this_thread() const noexcept { return true; }

    /// Prepares a shared loop to run in the calling thread, which can be another thread than before. The
    /// caller holds the lock. If `for_long` is true, the driver may pass the buffers of `detachable`
    /// operations to the kernel until leave_thread() is called in the same thread. Otherwise, the driver only
    /// asks the kernel for readiness. Throws std::system_error.
    virtual void enter_thread(bool /*for_long*/) {}
    /// Ends a run for which enter_thread() was called, and the calls of await_close() in other threads. If
    /// `cancels` is true, cancels all requests, so that the kernel holds neither buffers nor files any more;
    /// a later wait() submits them again. `cancels` must be true if enter_thread() was called with true. The
    /// caller holds the lock.
    virtual void leave_thread(bool /*cancels*/) noexcept {}
    /// Creates new kernel objects for a shared loop in the child of a fork, because the old kernel objects
    /// are shared with the parent process. Pending operations stay pending. Throws std::system_error.
    virtual void begin_anew_in_child() {}

    /// Starts the operation. Returns true if the operation completed immediately; then `result` is set, and
    /// the operation is not queued. Otherwise, the driver pushes the operation to ready() when it completes.
    /// Throws std::bad_alloc, or std::system_error if the descriptor cannot be watched; in these cases, the
    /// operation was not started.
    virtual bool start(io_operation& op) = 0;

    /// Ends a pending operation early: pushes it to ready() with -ECANCELED, or with a result that arrived
    /// before the cancellation.
    virtual void cancel(io_operation& op) noexcept {
        discard(op);
        op.result = -ECANCELED;
        ready_.push(op);
    }

    /// Drops a pending operation that its owner will destroy. Afterwards, neither the driver nor the kernel
    /// uses the operation or its buffer. Data or a connection that the operation has already received is
    /// lost.
    virtual void discard(io_operation& op) noexcept = 0;

    /// Ends the chosen pending operations. Operations that end immediately are moved to `ended`, with
    /// `result` set. Operations that end later are pushed to ready(), as by cancel(). Data that has arrived
    /// is not lost.
    virtual void cancel_some(int /*fd*/, io_choice, io_queue& /*ended*/) noexcept {}

    /// Announces that the program cancels receives. A callback can cancel an operation that is ready but has
    /// not completed; its bytes must then stay in the socket. From now on, the driver therefore reads only
    /// when the callback is about to run, as for operations with `polls_first`. Without this call, a receive
    /// on io_uring can have its data before its turn comes, and then the cancellation is too late.
    virtual void will_cancel() noexcept {}
    /// Makes the receives whose data has arrived, but whose callbacks have not run yet, complete with
    /// -ECANCELED. The data is lost. Called after cancel_some() and before close(), if the file is closed.
    virtual void drop_received(int /*fd*/) noexcept {}

    /// Moves all pending operations to `ended`. Called at the end of the loop. Afterwards, neither the driver
    /// nor the kernel uses these operations.
    virtual void take_all(io_queue& /*ended*/) noexcept {}

    /// Forgets the descriptor, so that its later events do not reach the next descriptor with the same
    /// number. Call this function before close(2). Pending operations on the descriptor complete with
    /// -ECANCELED. In the loop's thread, no request of this driver keeps the file open when close() returns,
    /// except a request that a thread of the kernel carries out (file operations on io_uring).
    virtual void close(int fd) noexcept = 0;
    /// Waits until no request of this driver keeps the closed descriptor's file open. Called after close() in
    /// a thread other than the loop's, and only between enter_thread() and leave_thread(). The caller holds
    /// the lock; await_close() releases it while it waits. If a callback runs in the loop for more than
    /// 100 ms, await_close() returns earlier, and the file stays open until the callback has returned. Then
    /// the driver does not wait for this callback again.
    virtual void await_close(int /*fd*/) noexcept {}

    /// Forgets the descriptor if no operation is pending on it. Called when a program stops watching a
    /// descriptor that the loop does not own, because the program might close the descriptor without a call
    /// to driver::close().
    virtual void unwatch(int /*fd*/) noexcept {}

    /// Sleeps until an operation completes, wake() is called or the deadline has passed. If the deadline is
    /// do_not_wait, wait() only handles the kernel's events. wait() may return early. Throws
    /// std::system_error.
    virtual void wait(time_point deadline) = 0;

    /// Ends the current or the next wait(). Any thread and any signal handler may call this function.
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

    class with_lock {
    public:
        explicit with_lock(const driver& used) noexcept : lock_(used.lock_) {
            if (lock_ != nullptr) lock_->lock();
        }
        with_lock& operator=(with_lock&&) = delete;
        ~with_lock() {
            if (lock_ != nullptr) lock_->unlock();
        }

    private:
        loop_lock* const lock_;
    };

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

inline constexpr time_point do_not_wait = time_point::min();

/// Makes the operation's system call, without blocking, and sets `result`. Returns false and sets `result` to
/// -EAGAIN if the call would block, or if a `whole` operation has moved only a part of its bytes. Repeats the
/// call after EINTR.
bool attempt(io_operation& op) noexcept;

/// The result of a read or a write; `error` is an errno or 0. A read of 0 bytes means the end of the stream.
/// After an error, `bytes` is the number of bytes that were written before the error.
struct io_result {
    static io_result of(std::int64_t result, std::size_t moved = 0) noexcept {
        if (result < 0) return {.bytes = moved, .error = static_cast<int>(-result)};
        return {.bytes = static_cast<std::size_t>(result), .error = 0};
    }

    std::size_t bytes = 0;
    int error = 0;

    std::error_code error_code() const noexcept { return {error, std::generic_category()}; }
};

/// An awaiter for one I/O operation. The await returns a number of bytes, a descriptor, or a negated errno.
/// It throws task_cancelled only if the operation was not done before the cancellation, so that no byte is
/// lost.
class io_awaiter : protected awaiter<io_operation> {
public:
    /// Creates an awaiter. An operation that receives data writes to `buffer`, although the parameter is
    /// const.
    io_awaiter(driver& io, io_kind what, int descriptor, std::span<const std::byte> buffer = {}) noexcept
        : io_(io) {
        kind = what;
        whole = what == io_kind::send || what == io_kind::write;
        fd = descriptor;
        data = const_cast<std::byte*>(buffer.data());
        size = buffer.size();
        result = -ECANCELED;
    }
    ~io_awaiter() {
        if (pending || kind == io_kind::accept) release();
    }

    void set_address(sockaddr_storage* where, socklen_t bytes) noexcept {
        address = where;
        address_bytes = bytes;
    }
    socklen_t address_size() const noexcept { return address_bytes; }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) {
        return suspend(coroutine, &cancel_pending) && start();
    }

    std::int64_t await_resume() {
        if (result == -ECANCELED) throw_if_cancelled();
        return std::exchange(result, -ECANCELED);  // an accepted connection now belongs to the awaiting code
    }

private:
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

/// An awaiter for a read or a write. A read completes with at least one byte, the end of the stream, or an
/// error. A write completes when all bytes are written, or with an error.
class transfer_awaiter : public io_awaiter {
public:
    using io_awaiter::io_awaiter;

    /// Returns the result. If the task was cancelled after some bytes were written, the result contains the
    /// number of these bytes, and the task's next await throws task_cancelled.
    io_result await_resume() {
        if (result == -ECANCELED && moved == 0) throw_if_cancelled();
        return io_result::of(std::exchange(result, -ECANCELED), std::exchange(moved, 0));
    }
};

}  // namespace loopbench::loop
