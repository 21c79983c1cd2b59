// The one place where readiness becomes completion.
//
// select, poll and epoll say that a descriptor is ready; the loop wants to hear that an operation is done.
// This driver makes the calls itself, remembers what it learned (so that it does not ask again where the
// answer would be EAGAIN), and leaves to its heirs only what differs: how to watch descriptors and how to
// wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "loop/io/io.hpp"

namespace loopbench::loop {

/// What the kernel reports about one descriptor. An error or a hang-up makes both directions ready: the call
/// that is made then says what happened.
struct readiness_event {
    int fd;
    std::uint32_t generation;  // as it was given to watch()
    bool in;
    bool out;
    bool hung_up;  // the peer will send no more, or the descriptor is broken: input stays ready for good
    bool urgent = false;  // there is out-of-band data, at which reads stop short (tcp(7)): the same follows
};

class readiness_driver : public driver {
public:
    bool start(io_operation& op) final;
    void cancel(io_operation& op) noexcept final;
    void discard(io_operation& op) noexcept final;
    void close(int fd) noexcept final;
    void unwatch(int fd) noexcept final;
    void wait(time_point deadline) final;

protected:
    /// `edge_triggered`: the kernel reports changes only. Then watch() is called once for a descriptor, for
    /// both directions; otherwise whenever what is wanted changes. Descriptors of `fd_limit` and more are
    /// refused, before anything is started, so that a refusal does not depend on whether the descriptor
    /// happens to be ready.
    explicit readiness_driver(ready_queue& ready, bool edge_triggered,
                              int fd_limit = std::numeric_limits<int>::max()) noexcept
        : driver(ready), edge_triggered_(edge_triggered), fd_limit_(fd_limit) {}

    /// Report these from now on; neither: nothing more. Throws std::system_error when the descriptor cannot
    /// be watched (epoll: ENOSPC), and std::bad_alloc; never for less than is watched already.
    virtual void watch(int fd, std::uint32_t generation, bool in, bool out) = 0;

    /// Report nothing of it any more, though it stays open.
    virtual void stop_watching(int fd) noexcept = 0;

    /// As wait(). What it gives is valid until the next call. EINTR is an early return with nothing: the loop
    /// computes what is left of the time from an absolute deadline.
    virtual std::span<const readiness_event> wait_for_events(time_point deadline) = 0;

private:
    struct direction {
        operation_queue waiting;
        bool ready = true;  // false once a call has said EAGAIN, until the kernel says otherwise
    };
    struct descriptor {
        direction in;
        direction out;
        std::uint32_t generation = 0;
        bool watched_in = false;
        bool watched_out = false;
        bool always_ready = false;     // for input: hung up, or short reads tell nothing
        bool socket_is_known = false;  // whether they do was looked up

        direction& side_of(const io_operation& op) noexcept;
        void reset() noexcept;
    };

    descriptor& descriptor_of(int fd);
    descriptor* known(int fd) noexcept;
    void watch_what_is_wanted(int fd, descriptor& d);
    bool try_now(descriptor& d, direction& side, io_operation& op) noexcept;
    bool drained_by_short_read(int fd, descriptor& d) noexcept;
    void on_event(const readiness_event& event) noexcept;
    void serve(descriptor& d, direction& side) noexcept;

    const bool edge_triggered_;
    const int fd_limit_;
    std::vector<descriptor> descriptors_;  // by fd
};

}  // namespace loopbench::loop
