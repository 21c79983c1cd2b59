// The ring of the io_uring driver: its set-up, the functions that enter the kernel, and the completions.
//
// Surprising behaviour of the kernel:
// - With IORING_SETUP_DEFER_TASKRUN (Linux 6.1), no request completes asynchronously: the second half of a
//   request (for example, the receive after the socket has become readable) is deferred until this thread
//   enters the kernel with GETEVENTS. Therefore the completion queue does not change while we read it. The
//   flag IORING_SQ_TASKRUN shows, without a system call, whether there are deferred halves.
// - With IORING_SETUP_SINGLE_ISSUER, the ring belongs to the thread that enables it, and the kernel refuses
//   entries from every other thread. uring_ring checks the thread before each entry.
// - A full completion queue loses no completions (IORING_FEAT_NODROP): the kernel keeps further completions
//   in a list and delivers them at the next entry. But the kernel then ends multishot requests. Therefore
//   IORING_CQE_F_MORE must be checked in every completion.
// - From Linux 6.13 on, one entry runs only about twenty deferred halves; the next entry runs the others.
// - If the ring is closed, the kernel cancels its requests later, in another thread. Therefore the driver
//   cancels the requests and waits for their completions before it closes the ring.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>

namespace loopbench::loop {

/// The sizes of the driver's parts; each must be a power of two. The defaults are for programs; tests use
/// smaller sizes.
struct uring_limits {
    unsigned submissions = 512;   // per entry; a turn with more of them enters the kernel again
    unsigned completions = 8192;  // if there are more, the kernel must allocate memory for them
    unsigned buffers = 1024;      // for data that arrives before a read; see stream_feed.hpp
};

class uring_ring {
public:
    /// Creates a ring. Any thread may call this constructor. If the kernel refuses the ring, throws a
    /// std::system_error with the likely cause and the remedy.
    explicit uring_ring(const uring_limits& limits);
    uring_ring& operator=(uring_ring&&) = delete;
    ~uring_ring();

    /// Enables the ring. From now on, only the calling thread may enter the kernel with it. Throws
    /// std::system_error.
    void enable();
    bool is_enabled() const noexcept { return owner_ != 0; }
    /// Returns true if the calling thread is the ring's thread, or if the ring does not belong to a thread
    /// yet.
    bool runs_in_this_thread() const noexcept;

    /// Replaces this ring with a new ring, which any thread may enable. Forgets the requests that the kernel
    /// still has; these requests must not use any buffer. If this function throws std::system_error, the
    /// object can only be destroyed.
    void renew();

    /// Returns a submission for the caller to fill in; set `user_data` last. The next entry submits it. Each
    /// submission causes exactly one final completion. Returns null if the thread is not the ring's thread,
    /// or if the kernel accepts no submissions because it lacks memory.
    io_uring_sqe* try_sqe() noexcept;
    /// Does the same as try_sqe(), but throws std::system_error instead of returning null: EEXIST if the
    /// thread is not the ring's thread, ENOMEM if the kernel lacks memory.
    io_uring_sqe& sqe();

    /// Enters the kernel: passes the submissions to the kernel, sleeps until there are `completions_wanted`
    /// completions, and gets the available completions. enter() may return early. Throws std::system_error;
    /// the error is EEXIST in a thread that is not the ring's thread.
    void enter(unsigned completions_wanted = 0);
    /// Passes all submissions to the kernel immediately, and lets the kernel run deferred work. Returns false
    /// if the thread is not the ring's thread, or if the kernel lacks memory.
    bool flush() noexcept;
    /// Enters the kernel and sleeps until there is a completion, but may return early. Returns false if the
    /// kernel cannot be entered with this ring, because the thread is not the ring's thread or because there
    /// was a permanent error. Then pending operations can be destroyed safely: the kernel works on their
    /// requests only while the ring's thread is in the kernel with this ring, and the ring's thread will not
    /// enter the kernel with this ring again.
    bool await_completion() noexcept;

    /// Does the same as enter(), but only if there are submissions, deferred halves of requests, or
    /// completions that did not fit into the queue.
    void enter_if_needed();
    bool has_completions() const noexcept { return io_uring_cq_ready(&ring_) != 0; }

    /// Takes the next completion; returns false if the queue is empty.
    bool take(io_uring_cqe& cqe) noexcept;

    /// Cancels all requests, waits until the kernel has released them, and drops their completions.
    void cancel_all() noexcept;

    /// Returns how many times the kernel was entered with this ring.
    std::uint64_t entries() const noexcept { return entries_; }
    /// Returns the number of submitted requests.
    std::uint64_t requests() const noexcept { return requests_; }
    io_uring& native() noexcept { return ring_; }

private:
    void open();
    void close() noexcept;
    int try_enter(unsigned completions_wanted) noexcept;

    const uring_limits limits_;
    bool is_open_ = false;
    io_uring ring_;
    std::size_t outstanding_ = 0;  // submissions whose final completion take() has not returned yet
    std::uint64_t entries_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t owner_ = 0;  // the number of the ring's thread; 0 before enable()
    int lost_ = 0;             // the errno of a permanent error, or EEXIST if another thread tried to enter
};

}  // namespace loopbench::loop
