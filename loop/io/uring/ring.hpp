// Some facts about the kernel's rings are surprising:
// - With IORING_SETUP_DEFER_TASKRUN (Linux 6.1), the second half of a request (for example, the receive after
//   the socket has become readable) is deferred until this thread enters the kernel with GETEVENTS. Therefore
//   the completion queue does not change while we read it. The flag IORING_SQ_TASKRUN shows, without a system
//   call, whether there are deferred halves.
// - With IORING_SETUP_SINGLE_ISSUER, the ring belongs to the thread that enables it, and the kernel refuses
//   entries from every other thread.
// - A full completion queue loses no completions (IORING_FEAT_NODROP), but the kernel then ends multishot
//   requests. Therefore IORING_CQE_F_MORE must be checked in every completion.
// - From Linux 6.13 on, one entry runs only about twenty deferred halves; the next entry runs the others.
// - If the ring is closed, the kernel cancels its requests later, in another thread. Therefore the driver
//   cancels the requests and waits for their completions before it closes the ring.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>

namespace loopbench::loop {

/// The sizes of the driver's parts. Each size must be a power of two.
struct uring_limits {
    unsigned submissions = 512;   // per entry into the kernel; a turn with more submissions enters again
    unsigned completions = 8192;  // if there are more, the kernel must allocate memory for them
    unsigned buffers = 1024;
};

class uring_ring {
public:
    /// Creates a ring. Any thread may call this constructor. Throws a std::system_error with the likely cause
    /// and the remedy if the kernel refuses the ring.
    explicit uring_ring(const uring_limits& limits);
    uring_ring& operator=(uring_ring&&) = delete;
    ~uring_ring();

    /// Enables the ring for the calling thread; from now on, no other thread may enter the kernel with it.
    /// Throws std::system_error.
    void enable();
    bool is_enabled() const noexcept { return owner_ != 0; }
    bool runs_in_this_thread() const noexcept;

    /// Replaces this ring with a new ring, which any thread may enable. Calls `prepare(io_uring&)` with the
    /// new ring first. Forgets the requests that the kernel still has; these requests must not use any
    /// buffer. Throws std::system_error and the exceptions of `prepare`; then the old ring stays.
    template <class Prepare>
    void renew(Prepare prepare) {
        io_uring fresh = open(limits_);
        try {
            prepare(fresh);
        } catch (...) {
            io_uring_queue_exit(&fresh);
            throw;
        }
        replace(fresh);
    }
    /// Makes sure that no thread of this process uses the ring until renew() has replaced it. Called in the
    /// child of a fork, which shares the ring with its parent.
    void disown() noexcept;

    /// Returns a submission. The caller must fill it in and set `user_data` last; the next entry into the
    /// kernel submits it. The submission causes exactly one final completion. Returns null if the thread is
    /// not the ring's thread, or if the kernel lacks memory.
    io_uring_sqe* try_sqe() noexcept;
    /// Returns a submission like try_sqe(), but throws std::system_error instead of returning null: EEXIST if
    /// the thread is not the ring's thread, ENOMEM if the kernel lacks memory.
    io_uring_sqe& sqe();

    /// Submits the requests, sleeps until there are `completions_wanted` completions, and gets the available
    /// completions. May return early. Throws std::system_error; the error is EEXIST in a thread that is not
    /// the ring's thread.
    void enter(unsigned completions_wanted = 0);
    /// Submits the requests immediately, and lets the kernel run deferred work. Returns false if the thread
    /// is not the ring's thread, or if the kernel lacks memory.
    bool flush() noexcept { return enter_until_without(0); }
    /// Submits the requests immediately, and lets the kernel run all deferred work. Afterwards, the requests
    /// whose cancellation was submitted no longer hold their files. Returns false if the thread is not the
    /// ring's thread, or if the kernel lacks memory.
    bool settle() noexcept { return enter_until_without(IORING_SQ_TASKRUN); }
    /// Replaces the request with this `user_data` by a request that does nothing and has the `user_data`
    /// `instead`. Returns false if no such request waits for its submission. Any thread may call this
    /// function while the ring's thread is in none of these functions.
    bool withdraw(std::uint64_t user_data, std::uint64_t instead) noexcept;
    /// Sleeps until there is a completion, but may return early. Returns false if the thread is not the
    /// ring's thread, or after a permanent error. Pending operations can then be destroyed safely: the kernel
    /// works on their requests only while the ring's thread is in the kernel with this ring, and that will
    /// not happen again.
    bool await_completion() noexcept;

    /// Enters the kernel only if there are submissions, deferred halves of requests, or completions that did
    /// not fit into the queue.
    void enter_if_needed();
    bool has_completions() const noexcept { return io_uring_cq_ready(&ring_) != 0; }

    bool take(io_uring_cqe& cqe) noexcept;

    /// Cancels all requests and waits until the kernel has released them.
    void cancel_all() noexcept;

    std::uint64_t entries() const noexcept { return entries_; }
    std::uint64_t requests() const noexcept { return requests_; }
    io_uring& native() noexcept { return ring_; }

private:
    static io_uring open(const uring_limits& limits);
    void replace(const io_uring& fresh) noexcept;
    int try_enter(unsigned completions_wanted) noexcept;
    bool enter_until_without(unsigned unwanted) noexcept;

    const uring_limits limits_;
    io_uring ring_;
    std::size_t outstanding_ = 0;  // submissions whose final completion take() has not returned yet
    std::uint64_t entries_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t owner_ = 0;
    int lost_ = 0;  // the errno of a permanent error, or EEXIST if another thread tried to enter
};

}  // namespace loopbench::loop
