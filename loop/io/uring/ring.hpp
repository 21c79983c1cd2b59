// The ring itself: its set-up, the only way into the kernel, and the completions.
//
// Surprising behaviour of the kernel:
// - With IORING_SETUP_DEFER_TASKRUN (Linux 6.1) nothing completes asynchronously: the second half of an
//   operation (the socket has become readable, now receive) waits until this thread enters with GETEVENTS.
//   The completion queue therefore does not change while we read it, and IORING_SQ_TASKRUN shows, without a
//   system call, if an entry would bring anything.
// - With IORING_SETUP_SINGLE_ISSUER the ring belongs to the thread that enables it. In every other thread,
//   its registered number refers to another ring or to none, so we check the thread before the kernel does.
// - A full completion queue loses nothing (IORING_FEAT_NODROP): the kernel keeps the rest in a list and hands
//   it over at the next entry. But it then ends multishot requests: check IORING_CQE_F_MORE every time.
// - From Linux 6.13 on, one entry runs about twenty deferred halves and leaves the others for the next entry.
// - Closing the ring cancels its requests later, in another thread. So first cancel them and wait for the
//   completions.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>

namespace loopbench::loop {

/// The sizes of the driver's parts, as powers of two. The defaults are for programs; tests use small ones.
struct uring_limits {
    unsigned submissions = 512;   // gathered before the kernel is entered; more of them cost one more entry
    unsigned completions = 8192;  // the kernel keeps more than these in memory that it has to allocate
    unsigned buffers = 1024;      // for data that arrives before it is asked for; see stream_feed.hpp
};

class uring_ring {
public:
    /// Throws std::system_error with the likely cause and the remedy if the kernel refuses. Any thread.
    explicit uring_ring(const uring_limits& limits);
    uring_ring& operator=(uring_ring&&) = delete;
    ~uring_ring();

    /// From now on, only the calling thread may enter the kernel with this ring. Throws std::system_error.
    void enable();
    bool is_enabled() const noexcept { return owner_ != 0; }
    /// Returns true if the calling thread is the ring's thread, or if the ring does not have one yet.
    bool runs_in_this_thread() const noexcept;

    /// Replaces this ring with a new one, which any thread may enable. Forgets the requests that the kernel
    /// still has; none of them may point to memory. Throws std::system_error; then the object can only be
    /// destroyed.
    void renew();

    /// Returns a submission to fill in, which goes to the kernel with the next entry; set `user_data` last.
    /// Each submission gives exactly one final completion. Returns null in a thread that is not the ring's,
    /// and if the kernel takes no submissions because it lacks memory.
    io_uring_sqe* try_sqe() noexcept;
    /// Does the same, but throws std::system_error (EEXIST in a thread that is not the ring's, or ENOMEM)
    /// instead of returning null.
    io_uring_sqe& sqe();

    /// Enters the kernel: hands over the submissions, sleeps until there are `completions_wanted` completions
    /// (it may return early), and gets the available completions. Throws std::system_error; EEXIST in another
    /// thread.
    void enter(unsigned completions_wanted = 0);
    /// Hands over all submissions immediately, and lets the kernel run the work that this completes. Returns
    /// false if this was not possible: in a thread that is not the ring's, or if the kernel lacks memory.
    bool flush() noexcept;
    /// Enters the kernel and sleeps until there is a completion, or returns early. Returns false if the ring
    /// cannot be entered: in a thread that is not the ring's, or after a lasting error. Then pending
    /// operations can be destroyed safely: for a ring of this kind, the kernel runs code only while the
    /// ring's thread is inside, and it will not enter again.
    bool await_completion() noexcept;

    /// Does the same as enter(), but only if that has an effect.
    void enter_if_needed();
    bool has_completions() const noexcept { return io_uring_cq_ready(&ring_) != 0; }

    /// Takes the next completion; returns false if the queue is empty.
    bool take(io_uring_cqe& cqe) noexcept;

    /// Cancels everything and waits until the kernel has released it; drops the completions.
    void cancel_all() noexcept;

    /// Return how often the ring has entered the kernel, and how many requests it has submitted.
    std::uint64_t entries() const noexcept { return entries_; }
    std::uint64_t requests() const noexcept { return requests_; }
    io_uring& native() noexcept { return ring_; }

private:
    void open();
    void close() noexcept;
    int try_enter(unsigned completions_wanted) noexcept;

    const uring_limits limits_;
    bool is_open_ = false;
    io_uring ring_;
    std::size_t outstanding_ = 0;  // submissions whose final completion was not taken yet
    std::uint64_t entries_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t owner_ = 0;  // the thread that it belongs to; 0: none yet
    int lost_ = 0;             // the errno that blocks all entries; EEXIST: another thread was here
};

}  // namespace loopbench::loop
