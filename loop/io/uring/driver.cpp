#include "loop/io/uring/driver.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "loop/io/drivers.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::loop {

namespace {

constexpr std::size_t transfer_bytes_max = std::size_t{1} << 30;  // the kernel counts in 32 bits
constexpr std::uint32_t generation_mask = 0x00ff'ffff;

// Fills in the request; or, for what would need more than a pointer in it, one that asks for readiness, after
// which the call is made. True then.
bool prepare(io_uring_sqe& sqe, const io_operation& op) noexcept {
    if (op.polled) {
        io_uring_prep_poll_add(&sqe, op.fd, is_input(op.kind) ? POLLIN : POLLOUT);
        return true;
    }
    std::byte* const data = op.data + op.moved;
    const auto bytes = static_cast<unsigned>(std::min(op.size - op.moved, transfer_bytes_max));
    constexpr auto current_position = static_cast<std::uint64_t>(-1);
    switch (op.kind) {
        case io_kind::receive:
            io_uring_prep_recv(&sqe, op.fd, data, bytes, 0);
            return false;
        case io_kind::send:
            io_uring_prep_send(&sqe, op.fd, data, bytes, MSG_NOSIGNAL);
            return false;
        case io_kind::read:
            io_uring_prep_read(&sqe, op.fd, data, bytes, current_position);
            return false;
        case io_kind::write:
            io_uring_prep_write(&sqe, op.fd, data, bytes, current_position);
            return false;
        case io_kind::accept:
            io_uring_prep_accept(&sqe, op.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            return false;
        case io_kind::connect:
            io_uring_prep_connect(&sqe, op.fd, reinterpret_cast<const sockaddr*>(op.address),
                                  op.address_bytes);
            return false;
        default:
            io_uring_prep_poll_add(&sqe, op.fd, is_input(op.kind) ? POLLIN : POLLOUT);
            return true;
    }
}

}  // namespace

std::unique_ptr<driver> make_io_uring_driver(ready_queue& ready) {
    return std::make_unique<io_uring_driver>(ready);
}

std::string io_uring_refusal() {
    try {
        ready_queue ready;
        const io_uring_driver probe(ready, {.submissions = 2, .completions = 4, .buffers = 1});
        return {};
    } catch (const std::system_error& refusal) {
        return refusal.what();
    }
}

io_uring_driver::io_uring_driver(ready_queue& ready, const uring_limits& limits)
    : driver(ready),
      ring_(limits),
      buffers_(ring_.native(), limits.buffers),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    arm_wake();
}

io_uring_driver::~io_uring_driver() {
    ring_.cancel_all();
}

std::uint64_t io_uring_driver::user_data(owner whose, std::uint64_t rest) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(whose)} << 56 | rest;
}

// The upper byte of an address in user space is 0 (x86-64 and AArch64 without tagged pointers).
std::uint64_t io_uring_driver::user_data_of(const io_operation& op) noexcept {
    return user_data(owner::operation, reinterpret_cast<std::uintptr_t>(&op));
}

std::uint64_t io_uring_driver::user_data_of(int fd, const stream_feed& feed) noexcept {
    return user_data(owner::feed,
                     std::uint64_t{feed.generation() & generation_mask} << 32 | static_cast<unsigned>(fd));
}

io_uring_driver::descriptor& io_uring_driver::descriptor_of(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= descriptors_.size()) [[unlikely]] {
        news_.reserve(2 * index + 16);  // so that note_news() needs no memory
        descriptors_.resize(2 * index + 16);
    }
    return descriptors_[index];
}

io_uring_driver::descriptor* io_uring_driver::known(int fd) noexcept {
    const auto index = static_cast<std::size_t>(fd);
    return fd >= 0 && index < descriptors_.size() ? &descriptors_[index] : nullptr;
}

bool io_uring_driver::start(io_operation& op) {
    if (op.fd < 0) {
        op.result = -EBADF;
        return true;
    }
    op.polled = false;
    if (ring_.is_enabled()) {
        if (start_now(op)) return true;
    } else {
        op.state = queued;
        early_.push(op);
    }
    set_pending(op);
    return false;
}

// What can be had without the ring is; the rest waits for another's completion, or is submitted.
bool io_uring_driver::start_now(io_operation& op) {
    descriptor& d = descriptor_of(op.fd);
    op.state = queued;
    switch (op.kind) {
        case io_kind::receive:
            if (d.feed.take(op, buffers_)) return true;
            if (!d.feed.is_usable(buffers_)) break;
            if (d.feed.is_stopped()) {
                io_uring_sqe& sqe = ring_.sqe();
                d.feed.start(sqe, op.fd);
                sqe.user_data = user_data_of(op.fd, d.feed);
            }
            d.feed.waiting.push(op);
            return false;
        case io_kind::readable:
            if (d.feed.take(op, buffers_)) return true;
            if (d.feed.is_stopped()) break;
            d.feed.waiting.push(op);  // readiness is not the socket's while a feed drains it
            return false;
        case io_kind::accept:
            if (d.accepting) {
                d.accepts.push(op);
                return false;
            }
            if (!d.has_backlog) break;
            op.result = attempt(op);
            d.has_backlog = op.result != -EAGAIN;
            if (d.has_backlog) return true;
            break;
        case io_kind::receive_from:
        case io_kind::send_to:
            op.result = attempt(op);
            if (op.result != -EAGAIN) return true;
            break;
        default:
            break;
    }
    submit(op);
    return false;
}

void io_uring_driver::submit(io_operation& op) {
    io_uring_sqe& sqe = ring_.sqe();
    descriptor& d = descriptors_[static_cast<std::size_t>(op.fd)];
    op.state = in_kernel;
    d.requests.push(op);
    if (op.kind == io_kind::accept) d.accepting = true;
    op.polled = prepare(sqe, op);
    sqe.user_data = user_data_of(op);
}

bool io_uring_driver::try_submit_cancel(std::uint64_t target) noexcept {
    io_uring_sqe* const sqe = ring_.try_sqe();
    if (sqe == nullptr) return false;
    io_uring_prep_cancel64(sqe, target, 0);
    sqe->user_data = user_data(owner::nobody, 0);
    return true;
}

// Takes an operation out of the queue of ours in which it waits.
void io_uring_driver::unqueue(io_operation& op) noexcept {
    descriptor* const d = known(op.fd);
    const bool found = d != nullptr && (d->feed.waiting.remove(op) || d->accepts.remove(op));
    if (!found && !early_.remove(op)) again_.remove(op);
    if (d != nullptr && op.kind == io_kind::accept)
        note_news(op.fd, *d);  // it may have been the next one's turn
}

void io_uring_driver::cancel(io_operation& op) noexcept {
    if (op.state == queued) {
        unqueue(op);
        complete(op, -ECANCELED);
    } else if (op.state == in_kernel) {
        op.state = cancelling;
        if (try_submit_cancel(user_data_of(op))) return;
        known(op.fd)->requests.remove(op);
        to_cancel_.push(op);
    }
}

void io_uring_driver::retry_cancels() noexcept {
    while (!to_cancel_.empty() &&
           try_submit_cancel(user_data_of(static_cast<io_operation&>(to_cancel_.front()))))
        to_cancel_.pop();
}

void io_uring_driver::discard(io_operation& op) noexcept {
    if (op.state == queued) {
        unqueue(op);
        return set_not_pending(op);
    }
    descriptor& d = *known(op.fd);
    if (!d.requests.remove(op)) to_cancel_.remove(op);
    if (op.state != closed && op.kind == io_kind::accept) {
        d.accepting = false;
        note_news(op.fd, d);
    }
    op.state = discarded;
    // For want of memory the kernel may refuse the cancellation; each completion gives it some back.
    bool asked = false;
    while (op.pending) {
        asked = asked || try_submit_cancel(user_data_of(op));
        if (!ring_.await_completion()) break;
        take_completions();
    }
    if (op.pending) set_not_pending(op);
}

void io_uring_driver::close(int fd) noexcept {
    const auto end_those = [this](operation_queue& waiting, auto of_the_descriptor) {
        operation_queue others;
        while (!waiting.empty()) {
            auto& op = static_cast<io_operation&>(waiting.pop());
            of_the_descriptor(op) ? complete(op, -ECANCELED) : others.push(op);
        }
        waiting.prepend(std::move(others));
    };
    const auto same_fd = [fd](const io_operation& op) { return op.fd == fd; };
    const auto any = [](const io_operation&) { return true; };
    end_those(early_, same_fd);
    end_those(again_, same_fd);
    descriptor* const d = known(fd);
    if (d == nullptr) return;
    end_those(d->feed.waiting, any);
    end_those(d->accepts, any);
    bool cancelled = false;
    to_cancel_.for_each([&](operation& each) {
        auto& op = static_cast<io_operation&>(each);
        if (op.fd == fd) op.state = closed;
    });
    while (!d->requests.empty()) {
        auto& op = static_cast<io_operation&>(d->requests.pop());
        op.state = closed;
        if (try_submit_cancel(user_data_of(op))) {
            cancelled = true;
        } else {
            to_cancel_.push(op);
        }
    }
    if (!d->feed.is_stopped()) cancelled |= try_submit_cancel(user_data_of(fd, d->feed));
    if (cancelled) static_cast<void>(ring_.flush());
    d->feed.reset(buffers_);
    d->accepting = d->has_backlog = false;
}

void io_uring_driver::wait(time_point deadline) {
    if (!ring_.is_enabled()) [[unlikely]] {
        ring_.enable();
        again_.prepend(std::move(early_));
    }
    // What a wait before this one has left, for want of memory or because it was not in a turn.
    if (!wake_is_armed_) arm_wake();
    retry_cancels();
    serve_news();
    if (deadline > time_point{} && !ring_.has_completions() && ready().empty()) {
        arm_timer(deadline);
        ring_.enter_and_sleep();
    } else if (ring_.has_reason_to_enter()) {
        ring_.enter();
    }
    take_completions();
    // Only now, so that a reader gets a message whole that came in several buffers, and does not answer each
    // of them.
    serve_news();
}

void io_uring_driver::wake() noexcept {
    // Never read: every write is an event for a multishot poll, and the counter would take 2^64 of them.
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void io_uring_driver::arm_wake() {
    io_uring_sqe& sqe = ring_.sqe();
    io_uring_prep_poll_multishot(&sqe, wake_.get(), POLLIN);
    sqe.user_data = user_data(owner::wake, 0);
    wake_is_armed_ = true;
}

// Sets the kernel's timer, unless it is going to fire before the deadline anyway: then the wait ends early,
// once, and the next one sets it.
void io_uring_driver::arm_timer(time_point deadline) {
    if (deadline >= armed_) return;
    const auto since_boot = deadline.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    io_uring_sqe& sqe = ring_.sqe();
    timeout_ = {.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
    if (armed_ == never) {
        io_uring_prep_timeout(&sqe, &timeout_, 0, IORING_TIMEOUT_ABS);
        sqe.user_data = user_data(owner::timer, 0);
    } else {
        // When the timer has fired meanwhile this fails, and its completion ends the wait.
        io_uring_prep_timeout_update(&sqe, &timeout_, user_data(owner::timer, 0), IORING_TIMEOUT_ABS);
        sqe.user_data = user_data(owner::nobody, 0);
    }
    armed_ = deadline;
}

void io_uring_driver::take_completions() noexcept {
    for (io_uring_cqe cqe{}; ring_.take(cqe);) {
        switch (static_cast<owner>(cqe.user_data >> 56)) {
            case owner::nobody:
                break;
            case owner::operation:
                on_operation(*reinterpret_cast<io_operation*>(cqe.user_data & ~(std::uint64_t{0xff} << 56)),
                             cqe);
                break;
            case owner::feed:
                on_feed(static_cast<std::uint32_t>(cqe.user_data >> 32) & generation_mask,
                        static_cast<int>(static_cast<std::uint32_t>(cqe.user_data)), cqe);
                break;
            case owner::timer:
                armed_ = never;
                break;
            case owner::wake:
                wake_is_armed_ = (cqe.flags & IORING_CQE_F_MORE) != 0;
                break;
        }
    }
}

void io_uring_driver::on_operation(io_operation& op, const io_uring_cqe& cqe) noexcept {
    if (op.state == discarded) {
        if (op.kind == io_kind::accept && cqe.res >= 0) ::close(cqe.res);
        return set_not_pending(op);
    }
    descriptor& d = *known(op.fd);
    const bool goes_on = op.state == in_kernel;
    if (!d.requests.remove(op)) to_cancel_.remove(op);
    if (op.state != closed) {
        if (op.kind == io_kind::accept) {
            d.accepting = false;
            d.has_backlog = (cqe.flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
            note_news(op.fd, d);
        } else if (op.kind == io_kind::receive && cqe.res < static_cast<std::int64_t>(op.size)) {
            d.feed.on_short_receive(cqe.res);
        }
    }
    std::int64_t result = cqe.res;
    if (op.polled && result >= 0) {
        const bool only_asked = op.kind == io_kind::readable || op.kind == io_kind::writable;
        result = only_asked ? 0 : goes_on ? attempt(op) : -EAGAIN;
    } else if (op.whole && result > 0) {
        op.moved += static_cast<std::size_t>(result);
        result = static_cast<std::int64_t>(op.moved);
    }
    // A non-blocking file that io_uring cannot wait for (a terminal; a pipe, before Linux 6.4) is polled for.
    op.polled |= result == -EAGAIN;
    // EINTR: how a cancelled request ends that a worker thread was busy with.
    const bool again = result == -EAGAIN || result == -EINTR ||
                       (op.whole && cqe.res > 0 && result > 0 && op.moved < op.size);
    if (!again) return complete(op, result);
    if (!goes_on) return complete(op, -ECANCELED);
    op.state = queued;
    again_.push(op);
}

void io_uring_driver::on_feed(std::uint32_t generation, int fd, const io_uring_cqe& cqe) noexcept {
    descriptor& d = *known(fd);
    if ((d.feed.generation() & generation_mask) != generation) {  // of a descriptor that was closed meanwhile
        if ((cqe.flags & IORING_CQE_F_BUFFER) != 0)
            buffers_.release_unread(static_cast<std::uint16_t>(cqe.flags >> IORING_CQE_BUFFER_SHIFT));
        return;
    }
    d.feed.on_completion(cqe, buffers_);
    note_news(fd, d);
}

void io_uring_driver::note_news(int fd, descriptor& d) noexcept {
    if (!std::exchange(d.feed.has_news, true)) news_.push_back(fd);
}

void io_uring_driver::serve_news() {
    while (!news_.empty() || !again_.empty()) {
        for (const int fd : news_) serve(fd, *known(fd));
        news_.clear();
        while (!again_.empty()) start_again(static_cast<io_operation&>(again_.pop()));
    }
}

void io_uring_driver::start_again(io_operation& op) {
    try {
        if (!start_now(op)) return;
    } catch (...) {
        op.state = queued;
        again_.push(op);
        throw;
    }
    complete(op, op.result);
    // It came by a call: no completion lets the next accept go on.
    if (op.kind == io_kind::accept) note_news(op.fd, *known(op.fd));
}

// Gives what has arrived to those who wait for it, and keeps the feed at their pace; lets the next accept
// into the kernel.
void io_uring_driver::serve(int fd, descriptor& d) noexcept {
    d.feed.has_news = false;
    const bool runs_ahead = d.feed.runs_ahead();
    while (!d.feed.waiting.empty()) {
        auto& op = static_cast<io_operation&>(d.feed.waiting.front());
        if (!d.feed.take(op, buffers_)) break;
        d.feed.waiting.pop();
        complete(op, op.result);
    }
    if (runs_ahead && try_submit_cancel(user_data_of(fd, d.feed))) d.feed.stopping();
    // Without a feed, whoever counted on it starts anew; so do the accepts, of which one goes to the kernel
    // and the others come back.
    if (d.feed.is_stopped())
        while (!d.feed.waiting.empty()) again_.push(d.feed.waiting.pop());
    if (!d.accepting)
        while (!d.accepts.empty()) again_.push(d.accepts.pop());
}

}  // namespace loopbench::loop
