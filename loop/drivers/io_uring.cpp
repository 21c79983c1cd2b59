#include "loop/drivers/io_uring.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>

#include "loop/system_error.hpp"

namespace loopbench::loop {

namespace {

// A stale completion would have to be older than this many tenants of its place to be taken for a new one.
constexpr std::uint32_t generation_mask = 0x00ff'ffff;

constexpr std::size_t transfer_bytes_max = std::size_t{1} << 30;  // the kernel counts in 32 bits

// Readiness first and then the call, for what would need more than a pointer in the submission.
bool needs_poll(io_kind kind) noexcept {
    return kind == io_kind::readable || kind == io_kind::writable || kind == io_kind::receive_from ||
           kind == io_kind::send_to;
}

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

std::string io_uring_refusal() {
    try {
        operation_queue ready;
        const io_uring_driver probe(ready, {.submissions = 2, .completions = 4, .buffers = 1});
        return {};
    } catch (const std::system_error& refusal) {
        return refusal.what();
    }
}

io_uring_driver::io_uring_driver(operation_queue& ready, const uring_limits& limits)
    : ready_(ready),
      ring_(limits),
      buffers_(ring_.native(), limits.buffers),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    arm_wake();
}

io_uring_driver::~io_uring_driver() {
    ring_.cancel_all();
}

std::uint64_t io_uring_driver::tag(owner whose, std::uint32_t generation, std::uint32_t index) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(whose)} << 56 |
           std::uint64_t{generation & generation_mask} << 32 | index;
}

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
    const bool by_feed = op.kind == io_kind::receive && !(d.ahead && d.feed == feed_state::stopped);
    // Readiness is not the socket's while a feed drains it.
    if (by_feed || (op.kind == io_kind::readable && d.feed != feed_state::stopped)) {
        if (d.feed == feed_state::stopped) start_feed(op.fd, d);
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
            if (!d.more_connections) return false;
            op.result = attempt(op);
            d.more_connections = op.result != -EAGAIN;
            return d.more_connections;
        case io_kind::receive_from:
        case io_kind::send_to:
            op.result = attempt(op);
            return op.result != -EAGAIN;
        default:
            return false;
    }
}

bool io_uring_driver::take_arrived(descriptor& d, io_operation& op) noexcept {
    if (d.arrivals.empty() && !d.ended) return false;
    if (op.kind == io_kind::readable) {
        op.result = 0;
    } else if (!d.arrivals.empty()) {
        op.result = static_cast<std::int64_t>(buffers_.take(d.arrivals, std::span(op.data, op.size)));
    } else {
        op.result = d.end;
        d.ended = false;
    }
    return true;
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
    if (r.life == d.life) --d.requests;
    r.op = nullptr;
    ++r.generation;
    r.next_free = free_slot_;
    free_slot_ = slot;
}

void io_uring_driver::complete(io_operation& op, std::int64_t result) noexcept {
    op.result = result;
    op.pending = false;
    --in_flight_;
    ready_.push(op);
}

void io_uring_driver::cancel(io_operation& op) {
    if (op.slot == no_slot) {
        descriptor_of(op.fd).waiting.remove(op);
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
    descriptor& d = descriptor_of(op.fd);
    if (op.slot == no_slot) {
        d.waiting.remove(op);
        return;
    }
    const std::uint64_t target = tag(owner::request, requests_[op.slot].generation, op.slot);
    submit_cancel(target);
    uring_completion last{};
    const bool seen = ring_.await(target, last);
    if (seen && op.kind == io_kind::accept && last.result >= 0) ::close(last.result);
    free_slot(op.slot, d);
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
    buffers_.discard(d.arrivals);
    ++d.life;
    d.requests = 0;
    d.ended = false;
    d.feed = feed_state::stopped;
    d.ahead = false;
    d.more_connections = false;
}

void io_uring_driver::wait(time_point deadline) {
    if (deadline > time_point{} && !ring_.has_completions()) {
        arm_timer(deadline);
        ring_.enter_and_sleep();
    } else if (ring_.has_reason_to_enter()) {
        ring_.enter();
    }
    uring_completion completion;
    while (ring_.take(completion)) on_completion(completion);
    // Only now, so that a reader gets a message whole that came in several buffers, and does not answer each of them.
    for (const int fd : fed_) serve(fd, descriptor_of(fd));
    fed_.clear();
}

void io_uring_driver::wake() noexcept {
    // Never read: every write is an event for a multishot poll, and the counter would take 2^64 of them.
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void io_uring_driver::arm_wake() {
    io_uring_sqe& entry = ring_.submission();
    io_uring_prep_poll_multishot(&entry, wake_.get(), POLLIN);
    entry.user_data = tag(owner::wake, 0, 0);
}

// Sets the kernel's timer, unless it is going to fire before the deadline anyway: then the wait ends early, once, and
// the next one sets it.
void io_uring_driver::arm_timer(time_point deadline) {
    if (deadline >= armed_) return;
    const auto since_boot = deadline.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    timeout_ = {.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
    io_uring_sqe& entry = ring_.submission();
    if (armed_ == never) {
        io_uring_prep_timeout(&entry, &timeout_, 0, IORING_TIMEOUT_ABS);
        entry.user_data = tag(owner::timer, 0, 0);
    } else {
        // When the timer has fired meanwhile this fails, and its completion ends the wait.
        io_uring_prep_timeout_update(&entry, &timeout_, tag(owner::timer, 0, 0), IORING_TIMEOUT_ABS);
        entry.user_data = tag(owner::nobody, 0, 0);
    }
    armed_ = deadline;
}

void io_uring_driver::start_feed(int fd, descriptor& d) {
    io_uring_sqe& entry = ring_.submission();
    io_uring_prep_recv_multishot(&entry, fd, nullptr, 0, 0);
    entry.flags |= IOSQE_BUFFER_SELECT;
    entry.buf_group = uring_buffers::group;
    entry.user_data = tag(owner::feed, d.life, static_cast<std::uint32_t>(fd));
    d.feed = feed_state::running;
}

// Gives what has arrived to those who wait for it, and keeps the feed at their pace.
void io_uring_driver::serve(int fd, descriptor& d) {
    const bool too_much = d.arrivals.count > arrivals_max || d.arrivals.bytes >= uring_buffers::buffer_bytes;
    while (!d.waiting.empty()) {
        auto& op = static_cast<io_operation&>(d.waiting.front());
        if (!take_arrived(d, op)) break;
        d.waiting.pop();
        complete(op, op.result);
    }
    if (d.feed == feed_state::stopped) {
        resume(fd, d);
    } else if (d.feed == feed_state::running && too_much) {
        submit_cancel(tag(owner::feed, d.life, static_cast<std::uint32_t>(fd)));
        d.feed = feed_state::stopping;
        d.ahead = true;
    }
}

// The feed has ended and there may be operations that counted on it.
void io_uring_driver::resume(int fd, descriptor& d) {
    if (d.waiting.empty()) return;
    if (!d.ahead) return start_feed(fd, d);
    while (!d.waiting.empty()) submit(static_cast<io_operation&>(d.waiting.pop()));
}

void io_uring_driver::on_completion(const uring_completion& completion) {
    const auto index = static_cast<std::uint32_t>(completion.tag);
    const auto generation = static_cast<std::uint32_t>(completion.tag >> 32) & generation_mask;
    switch (static_cast<owner>(completion.tag >> 56)) {
        case owner::nobody:
            return;
        case owner::request:
            return on_request(generation, index, completion);
        case owner::feed:
            return on_feed(generation, static_cast<int>(index), completion);
        case owner::timer:
            armed_ = never;
            return;
        case owner::wake:
            if (completion.is_final()) arm_wake();
            return;
    }
}

void io_uring_driver::on_request(std::uint32_t generation, std::uint32_t slot,
                                 const uring_completion& completion) {
    const request r = requests_[slot];
    if ((r.generation & generation_mask) != generation) return;
    io_operation& op = *r.op;
    descriptor& d = descriptor_of(op.fd);
    free_slot(slot, d);
    std::int64_t result = completion.result;
    const bool withdrawn = r.cancelled || r.life != d.life;
    if (result == -EINTR) {  // how a cancelled request ends that a worker thread was busy with
        if (!withdrawn) return submit(op);
        result = -ECANCELED;
    }
    if (needs_poll(op.kind) && result >= 0) {
        if (op.kind == io_kind::readable || op.kind == io_kind::writable) {
            result = 0;
        } else {
            result = withdrawn ? -ECANCELED : attempt(op);
            if (result == -EAGAIN) return submit(op);
        }
    } else if (op.kind == io_kind::accept && r.life == d.life) {
        d.more_connections = (completion.flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
    } else if (op.kind == io_kind::receive && r.life == d.life &&
               result < static_cast<std::int64_t>(op.size)) {
        d.ahead = result >= static_cast<std::int64_t>(uring_buffers::buffer_bytes);
    }
    complete(op, result);
}

void io_uring_driver::on_feed(std::uint32_t generation, int fd, const uring_completion& completion) {
    descriptor& d = descriptor_of(fd);
    const bool current = (d.life & generation_mask) == generation;
    if ((completion.flags & IORING_CQE_F_BUFFER) != 0) {
        const auto buffer = static_cast<std::uint16_t>(completion.flags >> IORING_CQE_BUFFER_SHIFT);
        if (current && completion.result > 0) {
            buffers_.append(d.arrivals, buffer, static_cast<std::uint32_t>(completion.result));
        } else {
            buffers_.give_back(buffer);
        }
    }
    if (!current) return;
    if (completion.is_final()) on_feed_end(d, completion.result);
    if (fed_.empty() || fed_.back() != fd) fed_.push_back(fd);
}

void io_uring_driver::on_feed_end(descriptor& d, std::int32_t result) noexcept {
    const bool asked_for = d.feed == feed_state::stopping;
    d.feed = feed_state::stopped;
    if (result > 0 || (result == -ECANCELED && asked_for)) return;
    if (result == -ENOBUFS) {
        if (!buffers_.grow()) d.ahead = true;
        return;
    }
    d.ended = true;
    d.end = result;
}

}  // namespace loopbench::loop
