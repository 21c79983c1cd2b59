// io_uring: operations are handed to the kernel as they are, and it says when they are done.
//
// One entry into the kernel a turn: what the turn started is gathered, and wait() hands it over, sleeps and
// takes what has completed, in one call; when there is nothing to hand over and nothing to take, in none.
// With a hundred connections an entry carries dozens of operations. That is the whole gain: a single send
// costs the same this way or as a system call of its own.
//
// What surprises, beyond what uring_ring.hpp says of the ring:
// - A receive that waits holds its caller's buffer. So streams are fed by one multishot receive each, which
//   stays armed and puts what arrives into buffers of ours (uring_buffers.hpp); a read then finds its data
//   without the kernel, and taking a read back touches nothing. The price is a copy, and that the kernel
//   receives whether or not anyone reads. So a feed that runs ahead of its reader is stopped, which leaves
//   the rest to TCP's flow control, and receives go straight into the callers' buffers until one of them has
//   drained the socket.
// - A pending request keeps its file open: close(2) would not send a FIN. forget() therefore cancels and
//   enters at once, and what has been started but not yet handed over goes out while the number still means
//   that file.
// - A multishot accept takes whatever comes, wanted or not, and knows no limit but that on descriptors. So a
//   listener is fed by one only from its second accept on, and the feed is stopped when a few connections
//   wait for a server that has paused, or when the server takes its accept back. Those few are kept for the
//   next accepts and closed with the listener; the others stay in the backlog, and plain calls take them
//   until it is empty. One entry cannot be bounded: it brings all that the backlog holds by then.
//   (bench/choices, accept/...: what it gives.)
// - Of several accepts a connection wakes one. When that one is cancelled at the same moment, the others go
//   on sleeping beside a backlog that is not empty. So a listener has one accept in the kernel, a single or
//   the feed, and the others wait here.
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
#include <string>
#include <vector>

#include "loop/drivers/driver.hpp"
#include "loop/drivers/uring_buffers.hpp"
#include "loop/drivers/uring_ring.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::loop {

/// Why io_uring cannot be used here, with the likely cause and the remedy; empty when it can.
std::string io_uring_refusal();

/// Models Driver; Linux 6.1 or later. It may be made in any thread, and belongs to the first one that waits
/// in it.
class io_uring_driver {
public:
    /// Throws std::system_error that says what io_uring_refusal() says.
    explicit io_uring_driver(operation_queue& ready, const uring_limits& limits = {});
    io_uring_driver(const io_uring_driver&) = delete;
    io_uring_driver& operator=(const io_uring_driver&) = delete;
    ~io_uring_driver();

    bool start(io_operation& op);
    void cancel(io_operation& op);
    /// What a request of its own has received or accepted at this moment, unreported, is lost with it.
    void abandon(io_operation& op);
    void forget(int fd);
    /// Nothing to do: a request names its file, not the number, and only who has a feed is remembered.
    void release(int) noexcept {}
    void wait(time_point deadline);
    std::uint32_t generation(int fd) { return descriptor_of(fd).life; }
    std::size_t in_flight() const noexcept { return in_flight_; }
    /// Also from a signal handler.
    void wake() noexcept;

    /// How often the kernel was entered.
    std::uint64_t entries() const noexcept { return ring_.entries(); }

private:
    // What a completion belongs to, as the upper byte of its tag.
    enum class owner : std::uint8_t { nobody, request, feed, listener, timer, wake };

    // A pending operation that the kernel knows. The generation tells a late completion from the next
    // tenant's.
    struct request {
        io_operation* op = nullptr;
        std::uint32_t generation = 0;
        std::uint32_t life = 0;  // of the descriptor, when it was started
        std::uint32_t next_free = 0;
        bool cancelled = false;
    };

    enum class feed_state : std::uint8_t { stopped, running, stopping };

    struct descriptor {
        operation_queue waiting;  // for what the feed brings, or for another accept to end
        uring_arrivals arrivals;
        std::uint32_t life = 0;      // counts forget(): tells a completion from one of an earlier file
        std::uint32_t requests = 0;  // of this life, that the kernel knows
        int end = 0;                 // how the feed ended: 0, or a negated errno
        int next = 0;                // of a connection that has arrived: the one after it
        bool ended = false;          // and nobody has been told yet
        feed_state feed = feed_state::stopped;
        bool ahead = false;      // the feed has been faster than the reader, and left something behind
        bool listening = false;  // an accept has succeeded: the feed brings connections, not bytes
        bool accepting = false;  // an accept is a request of its own
    };

    static constexpr std::uint32_t no_slot = 0xffff'ffff;
    // What may have arrived on one descriptor before its feed is stopped; or, at once, one buffer's worth of
    // bytes, since for longer messages a receive into the caller's own buffer is cheaper than several into
    // ours and a copy.
    static constexpr std::uint32_t arrivals_max = 8;

    // A stale completion would have to be older than this many tenants of its place to be taken for a new
    // one.
    static constexpr std::uint32_t generation_mask = 0x00ff'ffff;

    static std::uint64_t tag(owner whose, std::uint32_t generation, std::uint32_t index) noexcept;
    descriptor& descriptor_of(int fd);

    static bool is_fed(const descriptor& d, io_kind kind) noexcept {
        return kind == (d.listening ? io_kind::accept : io_kind::receive);
    }
    bool try_now(descriptor& d, io_operation& op) noexcept;
    bool accept_now(descriptor& d, io_operation& op) noexcept;
    bool take_arrived(descriptor& d, io_operation& op) noexcept;
    int take_connection(descriptor& d) noexcept;
    void append_connection(int listener, int connection);
    void discard_arrived(descriptor& d) noexcept;
    void submit(io_operation& op);
    void submit_cancel(std::uint64_t target);
    void free_slot(std::uint32_t slot, descriptor& d) noexcept;
    void complete(io_operation& op, std::int64_t result) noexcept;

    static std::uint64_t feed_tag(int fd, const descriptor& d) noexcept;
    void start_feed(int fd, descriptor& d);
    void stop_feed(int fd, descriptor& d);
    void leave(io_operation& op);
    void serve(int fd, descriptor& d);
    void resume(int fd, descriptor& d);

    void on_completion(const uring_completion& completion);
    void on_request(std::uint32_t generation, std::uint32_t slot, const uring_completion& completion);
    void on_feed(std::uint32_t generation, int fd, const uring_completion& completion);
    void on_feed_end(descriptor& d, std::int32_t result) noexcept;
    void on_connection(std::uint32_t generation, int fd, const uring_completion& completion);

    void arm_wake();
    void arm_timer(time_point deadline);

    operation_queue& ready_;
    uring_ring ring_;
    uring_buffers buffers_;
    unique_fd wake_;
    std::vector<descriptor> descriptors_;  // by fd
    std::vector<request> requests_;
    std::vector<int> fed_;  // descriptors whose feeds the present wait() has heard of
    std::uint32_t free_slot_ = no_slot;
    std::size_t in_flight_ = 0;
    time_point armed_ = never;  // what the kernel's timer is set to
    __kernel_timespec timeout_{};
};

}  // namespace loopbench::loop
