// Operations on their way into the kernel, and the ways of taking them back.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "loop/drivers/io_uring.hpp"

namespace loopbench::loop {

namespace {

constexpr std::size_t transfer_bytes_max = std::size_t{1} << 30;  // the kernel counts in 32 bits

void prepare(io_uring_sqe& entry, const io_operation& op) noexcept {
    const auto bytes = static_cast<unsigned>(std::min(op.size, transfer_bytes_max));
    constexpr auto current_position = static_cast<std::uint64_t>(-1);
    switch (op.kind) {
        case io_kind::receive:
            return io_uring_prep_recv(&entry, op.fd, op.data, bytes, 0);
        case io_kind::send:
            return io_uring_prep_send(&entry, op.fd, op.data, bytes, MSG_NOSIGNAL);
        case io_kind::read:
            return io_uring_prep_read(&entry, op.fd, op.data, bytes, current_position);
        case io_kind::write:
            return io_uring_prep_write(&entry, op.fd, op.data, bytes, current_position);
        case io_kind::accept:
            return io_uring_prep_accept(&entry, op.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        case io_kind::connect:
            return io_uring_prep_connect(&entry, op.fd, reinterpret_cast<const sockaddr*>(op.address),
                                         op.address_bytes);
        case io_kind::readable:
        case io_kind::receive_from:
            return io_uring_prep_poll_add(&entry, op.fd, POLLIN);
        case io_kind::writable:
        case io_kind::send_to:
            return io_uring_prep_poll_add(&entry, op.fd, POLLOUT);
    }
}

}  // namespace

io_uring_driver::descriptor& io_uring_driver::descriptor_of(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= descriptors_.size()) [[unlikely]]
        descriptors_.resize(2 * index + 16);
    return descriptors_[index];
}

bool io_uring_driver::start(io_operation& op) {
    if (op.fd < 0) {
        op.result = -EBADF;
        return true;
    }
    descriptor& d = descriptor_of(op.fd);
    if (try_now(d, op)) return true;
    const bool is_next = op.kind == io_kind::accept && d.accepting;
    const bool by_feed = is_fed(d, op.kind) && !(d.ahead && d.feed == feed_state::stopped);
    // Readiness is not the socket's while a feed drains it.
    if (is_next || by_feed || (op.kind == io_kind::readable && d.feed != feed_state::stopped)) {
        if (d.feed == feed_state::stopped && !is_next) start_feed(op.fd, d);
        op.slot = no_slot;
        d.waiting.push(op);
    } else {
        submit(op);
    }
    op.pending = true;
    ++in_flight_;
    return false;
}

// What can be had without the ring.
bool io_uring_driver::try_now(descriptor& d, io_operation& op) noexcept {
    switch (op.kind) {
        case io_kind::receive:
        case io_kind::readable:
            return take_arrived(d, op);
        case io_kind::accept:
            return take_arrived(d, op) || accept_now(d, op);
        case io_kind::receive_from:
        case io_kind::send_to:
            op.result = attempt(op);
            return op.result != -EAGAIN;
        default:
            return false;
    }
}

// Not while the kernel accepts: what it has accepted already comes first.
bool io_uring_driver::accept_now(descriptor& d, io_operation& op) noexcept {
    if (!d.ahead || d.accepting || d.feed != feed_state::stopped) return false;
    op.result = attempt(op);
    d.ahead = op.result != -EAGAIN;
    return d.ahead;
}

void io_uring_driver::submit(io_operation& op) {
    if (free_slot_ == no_slot) {
        requests_.push_back({.next_free = no_slot});
        free_slot_ = static_cast<std::uint32_t>(requests_.size() - 1);
    }
    io_uring_sqe& entry = ring_.submission();
    descriptor& d = descriptor_of(op.fd);
    op.slot = free_slot_;
    request& r = requests_[op.slot];
    free_slot_ = r.next_free;
    r.op = &op;
    r.life = d.life;
    r.cancelled = false;
    ++d.requests;
    if (op.kind == io_kind::accept) d.accepting = true;
    prepare(entry, op);
    entry.user_data = tag(owner::request, r.generation, op.slot);
}

void io_uring_driver::submit_cancel(std::uint64_t target) {
    io_uring_sqe& entry = ring_.submission();
    io_uring_prep_cancel64(&entry, target, 0);
    entry.user_data = tag(owner::nobody, 0, 0);
}

void io_uring_driver::free_slot(std::uint32_t slot, descriptor& d) noexcept {
    request& r = requests_[slot];
    if (r.life == d.life) {
        --d.requests;
        if (r.op->kind == io_kind::accept) d.accepting = false;
    }
    r.op = nullptr;
    ++r.generation;
    r.next_free = free_slot_;
    free_slot_ = slot;
}

void io_uring_driver::cancel(io_operation& op) {
    if (op.slot == no_slot) {
        leave(op);
        complete(op, -ECANCELED);
        return;
    }
    request& r = requests_[op.slot];
    r.cancelled = true;
    submit_cancel(tag(owner::request, r.generation, op.slot));
}

void io_uring_driver::abandon(io_operation& op) {
    op.pending = false;
    --in_flight_;
    if (op.slot == no_slot) return leave(op);
    const std::uint64_t target = tag(owner::request, requests_[op.slot].generation, op.slot);
    submit_cancel(target);
    uring_completion last{};
    const bool seen = ring_.await(target, last);
    if (seen && op.kind == io_kind::accept && last.result >= 0) ::close(last.result);
    descriptor& d = descriptor_of(op.fd);
    free_slot(op.slot, d);
    if (d.feed == feed_state::stopped) resume(op.fd, d);
}

void io_uring_driver::forget(int fd) {
    if (fd < 0 || static_cast<std::size_t>(fd) >= descriptors_.size()) return;
    descriptor& d = descriptors_[static_cast<std::size_t>(fd)];
    while (!d.waiting.empty()) complete(static_cast<io_operation&>(d.waiting.pop()), -ECANCELED);
    if (d.requests != 0 || d.feed != feed_state::stopped) {
        io_uring_sqe& entry = ring_.submission();
        io_uring_prep_cancel_fd(&entry, fd, IORING_ASYNC_CANCEL_ALL);
        entry.user_data = tag(owner::nobody, 0, 0);
        static_cast<void>(ring_.flush());
    }
    discard_arrived(d);
    ++d.life;
    d.requests = 0;
    d.ended = false;
    d.feed = feed_state::stopped;
    d.ahead = false;
    d.listening = d.accepting = false;
}

}  // namespace loopbench::loop
