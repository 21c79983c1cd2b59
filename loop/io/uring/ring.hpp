// The ring itself: set-up, the one way into the kernel, and what comes out of it.
//
// What the kernel does that surprises:
// - With IORING_SETUP_DEFER_TASKRUN (Linux 6.1) nothing completes behind our back: the second half of an
//   operation (the socket has become readable, now receive) waits until this thread enters with GETEVENTS.
//   The completion queue is therefore still while we read it, and IORING_SQ_TASKRUN tells, without a system
//   call, whether an entry would bring anything.
// - With IORING_SETUP_SINGLE_ISSUER the ring belongs to the thread that enables it. Its registered number
//   means another ring, or none, in every other thread, so we look at who comes before the kernel does.
// - A full completion queue loses nothing (IORING_FEAT_NODROP): the kernel keeps the rest in a list and hands
//   it over at the next entry. But then it ends multishot requests: look at IORING_CQE_F_MORE every time.
// - From Linux 6.13 on one entry runs about twenty deferred halves and leaves the others for the next.
// - Closing the ring cancels what is in it later, in another thread: cancel, and see the completions, first.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>

namespace loopbench::loop {

/// How large the parts of the driver are; powers of two. The defaults are for programs, small ones for tests.
struct uring_limits {
    unsigned submissions = 512;   // gathered before the kernel is entered; more only cost an entry more
    unsigned completions = 8192;  // more than these are kept by the kernel, in memory that it has to allocate
    unsigned buffers = 1024;      // for data that has arrived before it was asked for; see stream_feed.hpp
};

class uring_ring {
public:
    /// Throws std::system_error with the likely cause and the remedy when the kernel refuses. Any thread.
    explicit uring_ring(const uring_limits& limits);
    uring_ring& operator=(uring_ring&&) = delete;
    ~uring_ring();

    /// From here on only the calling thread may enter the kernel with the ring. Throws std::system_error.
    void enable();
    bool is_enabled() const noexcept { return owner_ != 0; }
    /// Whether that was this one.
    bool is_of_this_thread() const noexcept;

    /// Puts a new ring in the place of this one, to be enabled in any thread. Requests that the kernel still
    /// has are forgotten: none may point to memory. Throws std::system_error; then it can only be destroyed.
    void renew();

    /// A submission to fill in, which goes to the kernel with the next entry; `user_data` has to be set last.
    /// Each gives exactly one final completion. Null in a thread that is not the ring's, and when the kernel
    /// takes no submissions for want of memory.
    io_uring_sqe* try_sqe() noexcept;
    /// Throws std::system_error (EEXIST in a thread that is not the ring's, or ENOMEM) instead.
    io_uring_sqe& sqe();

    /// Enters the kernel: hands over what was submitted, sleeps until there are as many completions (it may
    /// return early), and takes what there is. Throws std::system_error; EEXIST in another thread.
    void enter(unsigned completions_wanted = 0);
    /// Hands over everything that was submitted, at once, and runs what that has completed. False when that
    /// was not possible: in a thread that is not the ring's, or for want of memory.
    bool flush() noexcept;
    /// Enters and sleeps until there is a completion, or returns early. False when the kernel lets nobody in:
    /// in a thread that is not the ring's, or after an error that lasts. Then nothing is in the way of
    /// destroying what is pending: no code of the kernel runs for a ring of this kind except while its thread
    /// is inside, and from here on it is not let in.
    bool await_completion() noexcept;

    /// The same, but only when that does anything.
    void enter_if_needed();
    bool has_completions() const noexcept { return io_uring_cq_ready(&ring_) != 0; }

    /// The next completion; false when there is none.
    bool take(io_uring_cqe& cqe) noexcept;

    /// Cancels everything and waits until the kernel has let go of it; the completions are thrown away.
    void cancel_all() noexcept;

    /// How often the kernel was entered, and how many requests it was given.
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
    std::size_t outstanding_ = 0;  // submissions whose final completion was not taken
    std::uint64_t entries_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t owner_ = 0;  // the thread that it belongs to; 0 is none yet
    int lost_ = 0;             // an errno: why nobody is let in any more; EEXIST when another thread was here
};

}  // namespace loopbench::loop
