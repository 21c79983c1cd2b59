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
//   it over at the next entry. It does end multishot requests then, so IORING_CQE_F_MORE has to be looked at
//   every time.
// - From Linux 6.13 on one entry runs about twenty deferred halves and leaves the others for the next.
// - Closing the ring cancels what is in it some time later, in another thread. Whoever wants memory back has
//   to cancel and see the completions first.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loopbench::loop {

/// How large the parts of the driver are; powers of two. The defaults are for programs, small ones for tests.
struct uring_limits {
    unsigned submissions = 512;   // gathered before the kernel is entered; more only cost an entry more
    unsigned completions = 8192;  // more than these are kept by the kernel, in memory that it has to allocate
    unsigned buffers = 1024;      // for data that has arrived before it was asked for; see uring_buffers.hpp
};

struct uring_completion {
    std::uint64_t tag;
    std::int32_t result;
    std::uint32_t flags;

    bool is_final() const noexcept { return (flags & IORING_CQE_F_MORE) == 0; }
};

class uring_ring {
public:
    /// Throws std::system_error with the likely cause and the remedy when the kernel refuses. Any thread; the
    /// ring then belongs to the first thread that enters it.
    explicit uring_ring(const uring_limits& limits);
    uring_ring(const uring_ring&) = delete;
    uring_ring& operator=(const uring_ring&) = delete;
    ~uring_ring();

    /// A submission to fill in; `user_data` has to be set to a tag after that. Goes to the kernel with the
    /// next entry. Each gives exactly one final completion.
    io_uring_sqe& submission();

    /// Enters the kernel: hands over what was submitted and takes what is there. Throws std::system_error;
    /// EEXIST when this is not the ring's thread.
    void enter() { require_ours(try_enter(0)); }
    /// The same, and sleeps until there is a completion. May return early, without one.
    void enter_and_sleep() { require_ours(try_enter(1)); }
    /// Hands over everything that was submitted, at once. False in a thread that is not the ring's. Nothing
    /// is in the way of destroying what was pending then: no code of the kernel runs for a ring of this kind
    /// except while its thread is inside, and from here on it is not let in.
    bool flush();

    /// Whether enter() would do anything.
    bool has_reason_to_enter() const noexcept {
        return io_uring_sq_ready(&ring_) != 0 ||
               (IO_URING_READ_ONCE(*ring_.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
    }

    bool has_completions() const noexcept {
        return next_aside_ != set_aside_.size() || io_uring_cq_ready(&ring_) != 0;
    }

    /// The next completion; false when there is none.
    bool take(uring_completion& completion) noexcept;

    /// Waits until the request of this tag has ended, and takes its final completion out of the order. All
    /// others stay for take(). False in a thread that is not the ring's.
    bool await(std::uint64_t tag, uring_completion& completion);

    /// Cancels everything and waits until the kernel has let go of it. The completions are there for take().
    void cancel_all() noexcept;

    /// How often the kernel was entered.
    std::uint64_t entries() const noexcept { return entries_; }
    io_uring& native() noexcept { return ring_; }

private:
    bool try_enter(unsigned completions_wanted);
    void require_ours(bool entered) const;
    void enable();
    bool pop(uring_completion& completion) noexcept;
    void set_aside();

    io_uring ring_;
    std::vector<uring_completion> set_aside_;  // taken off the queue, but not yet by take()
    std::size_t next_aside_ = 0;
    std::size_t outstanding_ = 0;  // submissions whose final completion has not come off the queue
    std::uint64_t entries_ = 0;
    std::uint64_t owner_ = 0;  // the thread that it belongs to; 0 is none yet
    bool lost_ = false;        // another thread was here
};

}  // namespace loopbench::loop
