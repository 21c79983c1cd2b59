// The one place where readiness becomes completion.
//
// select, poll and epoll say that a descriptor is ready; the loop wants to hear that an operation is done.
// This driver makes the calls itself, remembers what it learned (so that it does not ask again where the
// answer would be EAGAIN), and leaves to a poller only what differs: how to watch descriptors and how to
// wait.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

/// What a poller reports about one descriptor. An error or a hang-up makes both directions ready: the call
/// that is made then says what happened.
struct readiness_event {
    int fd;
    std::uint32_t generation;  // as it was given to watch()
    bool in;
    bool out;
    bool hung_up;  // the peer will send no more, or the descriptor is broken: input stays ready for good
    bool urgent = false;  // there is out-of-band data, at which reads stop short (tcp(7)): the same follows
};

/// - edge_triggered: true when the kernel reports changes only. Then watch() is called once for a descriptor,
///   for both directions; otherwise whenever what is wanted changes.
/// - watch(fd, generation, in, out): report these from now on. Throws std::system_error when the descriptor
///   cannot be watched (epoll: ENOSPC).
/// - unwatch(fd): report nothing of it any more; harmless when it is closed already.
/// - closing(fd): the same, for a descriptor that is about to be closed.
/// - wait(deadline, report): as Driver::wait(); calls report(readiness_event) for each descriptor. EINTR is
///   an early return with nothing: the loop computes what is left of the time from an absolute deadline.
/// - wake(): as Driver::wake().
/// - P::refuse(fd), where the poller cannot watch every descriptor: throws std::system_error for those. Asked
///   before anything is started, so that a refusal does not depend on whether the descriptor happens to be
///   ready.
template <class P>
concept Poller = std::default_initializable<P> &&
    requires(P& poller, int fd, std::uint32_t generation, bool wanted, time_point deadline,
             void (*report)(const readiness_event&)) {
    { P::edge_triggered } -> std::convertible_to<bool>;
    poller.watch(fd, generation, wanted, wanted);
    poller.unwatch(fd);
    poller.closing(fd);
    poller.wait(deadline, report);
    { poller.wake() }
    noexcept;
};

template <Poller P>
class readiness_driver {
public:
    explicit readiness_driver(operation_queue& ready) : ready_(ready) {}

    bool start(io_operation& op) {
        if (op.fd < 0) [[unlikely]] {  // of a stream that is closed
            op.result = -EBADF;
            return true;
        }
        if constexpr (requires { P::refuse(op.fd); }) P::refuse(op.fd);
        descriptor& d = descriptor_of(op.fd);
        direction& side = side_of(d, op);
        if (side.ready && side.waiting.empty() && try_now(d, side, op)) return true;
        side.waiting.push(op);
        try {
            watch(op.fd, d);
        } catch (...) {
            side.waiting.remove(op);
            throw;
        }
        op.pending = true;
        ++in_flight_;
        return false;
    }

    void cancel(io_operation& op) {
        abandon(op);
        complete(op, -ECANCELED);
    }

    void abandon(io_operation& op) {
        descriptor& d = descriptor_of(op.fd);
        side_of(d, op).waiting.remove(op);
        op.pending = false;
        --in_flight_;
        watch(op.fd, d);
    }

    void forget(int fd) {
        descriptor& d = descriptor_of(fd);
        for (direction* side : {&d.in, &d.out}) {
            while (!side->waiting.empty()) complete_waiting(*side, -ECANCELED);
            side->ready = true;
        }
        if (d.watched_in || d.watched_out) poller_.closing(fd);
        d.watched_in = d.watched_out = d.always_ready = d.socket_is_known = false;
        ++d.generation;  // an event that is on its way still names the old one
    }

    void release(int fd) {
        if (fd < 0 || static_cast<std::size_t>(fd) >= descriptors_.size()) return;
        descriptor& d = descriptor_of(fd);
        if (!d.in.waiting.empty() || !d.out.waiting.empty()) return;
        if (d.watched_in || d.watched_out) poller_.unwatch(fd);
        d.watched_in = d.watched_out = d.always_ready = d.socket_is_known = false;
        d.in.ready = d.out.ready = true;
        // The generation stays: a write that goes on in parts would take itself for one to a closed stream.
    }

    void wait(time_point deadline) {
        poller_.wait(deadline, [this](const readiness_event& event) { on_event(event); });
    }

    std::uint32_t generation(int fd) { return descriptor_of(fd).generation; }
    std::size_t in_flight() const noexcept { return in_flight_; }
    void wake() noexcept { poller_.wake(); }
    P& poller() noexcept { return poller_; }

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
    };

    descriptor& descriptor_of(int fd) {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= descriptors_.size()) [[unlikely]]
            descriptors_.resize(2 * index + 16);
        return descriptors_[index];
    }

    static direction& side_of(descriptor& d, const io_operation& op) noexcept {
        return is_input(op.kind) ? d.in : d.out;
    }

    void watch(int fd, descriptor& d) {
        const bool in = P::edge_triggered || !d.in.waiting.empty();
        const bool out = P::edge_triggered || !d.out.waiting.empty();
        if (in == d.watched_in && out == d.watched_out) return;
        poller_.watch(fd, d.generation, in, out);
        d.watched_in = in;
        d.watched_out = out;
    }

    // Makes the call. A stream that gave or took less than was asked for is drained or full: the next call
    // would say EAGAIN, so it is not made (epoll(7), "Do I need to continuously read/write").
    bool try_now(descriptor& d, direction& side, io_operation& op) noexcept {
        op.result = attempt(op);
        if (op.result == -EAGAIN) {
            side.ready = false;
            return false;
        }
        const bool partial = op.result > 0 && static_cast<std::size_t>(op.result) < op.size;
        if (partial &&
            (op.kind == io_kind::send || (op.kind == io_kind::receive && drained_by_short_read(op.fd, d))))
            side.ready = false;
        return true;
    }

    // Not so after a hang-up: there is the end of the stream to be read. Nor where a read stops short of what
    // is there, and an edge-triggered poller reports nothing until more comes: at the urgent mark of TCP, and
    // in a Unix stream after a message that carries descriptors (unix(7)); that it is one is asked once.
    bool drained_by_short_read(int fd, descriptor& d) noexcept {
        if (P::edge_triggered && !d.socket_is_known) [[unlikely]] {
            d.socket_is_known = true;
            d.always_ready |= socket_domain(fd) == AF_UNIX;
        }
        return !d.always_ready;
    }

    static int socket_domain(int fd) noexcept {
        int domain = AF_UNSPEC;
        socklen_t bytes = sizeof domain;
        static_cast<void>(::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes));
        return domain;
    }

    void on_event(const readiness_event& event) {
        descriptor& d = descriptor_of(event.fd);
        if (d.generation != event.generation) return;  // of a descriptor that was closed meanwhile
        d.always_ready |= event.hung_up || event.urgent;
        if (event.in || event.hung_up) serve(d, d.in);
        if (event.out || event.hung_up) serve(d, d.out);
        watch(event.fd, d);
    }

    void serve(descriptor& d, direction& side) {
        side.ready = true;
        while (!side.waiting.empty() && side.ready) {
            auto& op = static_cast<io_operation&>(side.waiting.front());
            if (try_now(d, side, op)) complete_waiting(side, op.result);
        }
    }

    void complete_waiting(direction& side, std::int64_t result) {
        auto& op = static_cast<io_operation&>(side.waiting.pop());
        op.pending = false;
        --in_flight_;
        complete(op, result);
    }

    void complete(io_operation& op, std::int64_t result) {
        op.result = result;
        ready_.push(op);
    }

    operation_queue& ready_;
    P poller_;
    std::vector<descriptor> descriptors_;  // by fd
    std::size_t in_flight_ = 0;
};

}  // namespace loopbench::loop
