// io_uring: operations are handed to the kernel as they are, and it says when they are done.
//
// One entry into the kernel a turn: what the turn started is gathered, and wait() hands it over, sleeps and
// takes what has completed, in one call; when there is nothing to hand over and nothing to take, in none.
// With a hundred connections an entry carries dozens of operations. That is the whole gain: a single send
// costs the same this way or as a system call of its own.
//
// What surprises, beyond what ring.hpp says of the ring:
// - A receive that waits holds its caller's buffer, so streams are fed: see stream_feed.hpp.
// - A pending request keeps its file open: close(2) would not send a FIN. close() therefore cancels and
//   enters at once, and what has been started but not yet handed over goes out while the number still means
//   that file. It cancels by request and not by file, of which there may be other descriptors.
// - A multishot accept takes whatever comes, wanted or not. So accepts are single; when the completion says
//   that more are waiting, the next ones are plain calls. (bench/choices, accept/...: what a burst costs so.)
// - Of several accepts a connection wakes one. When that one is cancelled at the same moment, the others go
//   on sleeping beside a backlog that is not empty. So a listener has one accept in the kernel, and the
//   others wait here.
// - Cancelling is a request like any other and comes too late as often as not. The request that is cancelled
//   completes all the same, once, and only then is its memory free.
// - Registered files are not used, for what they give: a bare round trip whose sends and receives all use
//   them is less than 2 % shorter (bench/choices, echo/...), and a receive that stays armed looks its file up
//   only once anyway. They would cost a registration for each connection; and up to Linux 6.12 a file that is
//   taken out of the table is not released before all older requests have ended, so that idle receives would
//   keep it open for ever.
// - Neither kind of timeout has timer slack. The argument of io_uring_enter(2) is set up anew at every sleep;
//   an absolute IORING_OP_TIMEOUT stays armed from turn to turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"
#include "loop/io/uring/ring.hpp"
#include "loop/io/uring/stream_feed.hpp"

namespace loopbench::loop {

/// Linux 6.1 or later. It may be made in any thread, and belongs to the first one that waits in it: what is
/// started before is kept until then.
class io_uring_driver final : public driver {
public:
    /// Throws std::system_error that says what io_uring_refusal() says.
    explicit io_uring_driver(ready_queue& ready, const uring_limits& limits = {});
    ~io_uring_driver();

    bool start(io_operation& op) override;
    void cancel(io_operation& op) noexcept override;
    void discard(io_operation& op) noexcept override;
    void close(int fd) noexcept override;
    /// Nothing to do: a request names its file, not the number, and only who has a feed is remembered.
    void unwatch(int) noexcept override {}
    void wait(time_point deadline) override;
    void wake() noexcept override;

    /// How often the kernel was entered, and how many requests it was given.
    std::uint64_t entries() const noexcept { return ring_.entries(); }
    std::uint64_t requests() const noexcept { return ring_.requests(); }

private:
    // What a completion belongs to, as the upper byte of its user_data. The rest is the operation's address,
    // or a feed's descriptor and generation.
    enum class owner : std::uint8_t { nobody, operation, feed, timer, wake };

    // io_operation::state, of one that is pending.
    enum place : std::uint8_t {
        queued,      // in a queue of ours
        in_kernel,   // in descriptor::requests
        cancelling,  // the same, and it is to end early
        closed,      // the kernel has it, and its descriptor is gone
        discarded,   // the kernel has it, and its owner waits for the kernel to let go of it
    };

    // What a stream needs is in its first cache line.
    struct alignas(64) descriptor {
        stream_feed feed;
        operation_queue requests;  // that the kernel has
        operation_queue accepts;   // that wait for the one in the kernel
        bool accepting = false;    // an accept is in the kernel
        bool has_backlog = false;  // more connections were waiting when the last accept completed
    };

    static std::uint64_t user_data(owner whose, std::uint64_t rest) noexcept;
    static std::uint64_t user_data_of(const io_operation& op) noexcept;
    static std::uint64_t user_data_of(int fd, const stream_feed& feed) noexcept;

    descriptor& descriptor_of(int fd);
    descriptor* known(int fd) noexcept;
    bool start_now(io_operation& op);
    void submit(io_operation& op);
    bool try_submit_cancel(std::uint64_t target) noexcept;
    void unqueue(io_operation& op) noexcept;
    void retry_cancels() noexcept;

    void take_completions() noexcept;
    void on_operation(io_operation& op, const io_uring_cqe& cqe) noexcept;
    void on_feed(std::uint32_t generation, int fd, const io_uring_cqe& cqe) noexcept;
    void note_news(int fd, descriptor& d) noexcept;
    void serve_news();
    void start_again(io_operation& op);
    void serve(int fd, descriptor& d) noexcept;

    void arm_wake();
    void arm_timer(time_point deadline);

    uring_ring ring_;
    provided_buffers buffers_;
    unique_fd wake_;
    std::vector<descriptor> descriptors_;  // by fd
    std::vector<int> news_;                // descriptors for which something has come, or can be started
    operation_queue to_cancel_;            // the kernel has them, but not yet their cancellation
    operation_queue early_;                // what was started before the ring belonged to a thread
    operation_queue again_;                // what is to be started at the next wait
    bool wake_is_armed_ = true;
    time_point armed_ = never;  // what the kernel's timer is set to
    __kernel_timespec timeout_{};
};

}  // namespace loopbench::loop
