#include "loop/io/readiness.hpp"

#include <cerrno>
#include <string>

#include "loop/io/fd.hpp"

namespace loopbench::loop {

namespace {

int socket_domain(int fd) noexcept {
    int domain = AF_UNSPEC;
    socklen_t bytes = sizeof domain;
    static_cast<void>(::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes));
    return domain;
}

}  // namespace

bool readiness_driver::start(io_operation& op) {
    if (op.fd < 0) [[unlikely]] {  // of a stream that is closed
        op.result = -EBADF;
        return true;
    }
    if (op.fd >= fd_limit_) [[unlikely]]
        throw_errno("select cannot watch descriptor " + std::to_string(op.fd) + ", only those below " +
                        std::to_string(fd_limit_) + "; use a design on poll, epoll or io_uring",
                    EINVAL);
    descriptor& d = descriptor_of(op.fd);
    direction& side = d.side_of(op);
    if (side.ready && side.waiting.empty() && try_now(d, side, op)) return true;
    side.waiting.push(op);
    try {
        watch_what_is_wanted(op.fd, d);
    } catch (...) {
        side.waiting.remove(op);
        throw;
    }
    set_pending(op);
    return false;
}

void readiness_driver::cancel(io_operation& op) noexcept {
    discard(op);
    set_pending(op);
    complete(op, -ECANCELED);
}

void readiness_driver::discard(io_operation& op) noexcept {
    descriptor& d = descriptors_[static_cast<std::size_t>(op.fd)];
    d.side_of(op).waiting.remove(op);
    set_not_pending(op);
    watch_what_is_wanted(op.fd, d);
}

void readiness_driver::close(int fd) noexcept {
    descriptor* const d = known(fd);
    if (d == nullptr) return;
    for (direction* side : {&d->in, &d->out})
        while (!side->waiting.empty()) complete(static_cast<io_operation&>(side->waiting.pop()), -ECANCELED);
    // Edge-triggered, closing it takes it out of the set.
    if (!edge_triggered_ && (d->watched_in || d->watched_out)) stop_watching(fd);
    d->reset();
    ++d->generation;  // an event that is on its way still names the old one
}

void readiness_driver::unwatch(int fd) noexcept {
    descriptor* const d = known(fd);
    if (d == nullptr || !d->in.waiting.empty() || !d->out.waiting.empty()) return;
    if (d->watched_in || d->watched_out) stop_watching(fd);
    d->reset();
    ++d->generation;  // closed before it was told, it may live on in a duplicate, and be reported
}

void readiness_driver::wait(time_point deadline) {
    for (const readiness_event& event : wait_for_events(deadline)) on_event(event);
}

readiness_driver::direction& readiness_driver::descriptor::side_of(const io_operation& op) noexcept {
    return is_input(op.kind) ? in : out;
}

void readiness_driver::descriptor::reset() noexcept {
    watched_in = watched_out = always_ready = socket_is_known = false;
    in.ready = out.ready = true;
}

readiness_driver::descriptor& readiness_driver::descriptor_of(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= descriptors_.size()) [[unlikely]]
        descriptors_.resize(2 * index + 16);
    return descriptors_[index];
}

readiness_driver::descriptor* readiness_driver::known(int fd) noexcept {
    const auto index = static_cast<std::size_t>(fd);
    return fd >= 0 && index < descriptors_.size() ? &descriptors_[index] : nullptr;
}

void readiness_driver::watch_what_is_wanted(int fd, descriptor& d) {
    const bool in = edge_triggered_ || !d.in.waiting.empty();
    const bool out = edge_triggered_ || !d.out.waiting.empty();
    if (in == d.watched_in && out == d.watched_out) return;
    watch(fd, d.generation, in, out);
    d.watched_in = in;
    d.watched_out = out;
}

// Makes the call. A stream that gave or took less than was asked for is drained or full: the next call would
// say EAGAIN, so it is not made (epoll(7), "Do I need to continuously read/write").
bool readiness_driver::try_now(descriptor& d, direction& side, io_operation& op) noexcept {
    op.result = attempt(op);
    const bool part_of_whole = op.whole && op.result >= 0 && op.moved < op.size;
    if (op.result == -EAGAIN || part_of_whole) {
        side.ready = false;
        return false;
    }
    if (op.kind == io_kind::receive && op.result > 0 && static_cast<std::size_t>(op.result) < op.size &&
        drained_by_short_read(op.fd, d))
        side.ready = false;
    return true;
}

// Not so after a hang-up: there is the end of the stream to be read. Nor where a read stops short of what is
// there, and an edge-triggered driver hears nothing until more comes: at the urgent mark of TCP, and in a
// Unix stream after a message that carries descriptors (unix(7)); that it is one is asked once.
bool readiness_driver::drained_by_short_read(int fd, descriptor& d) noexcept {
    if (edge_triggered_ && !d.socket_is_known) [[unlikely]] {
        d.socket_is_known = true;
        d.always_ready |= socket_domain(fd) == AF_UNIX;
    }
    return !d.always_ready;
}

void readiness_driver::on_event(const readiness_event& event) noexcept {
    descriptor& d = descriptors_[static_cast<std::size_t>(event.fd)];
    if (d.generation != event.generation) return;  // of a descriptor that was closed meanwhile
    d.always_ready |= event.hung_up || event.urgent;
    if (event.in || event.hung_up) serve(d, d.in);
    if (event.out || event.hung_up) serve(d, d.out);
    watch_what_is_wanted(event.fd, d);
}

void readiness_driver::serve(descriptor& d, direction& side) noexcept {
    side.ready = true;
    while (!side.waiting.empty() && side.ready) {
        auto& op = static_cast<io_operation&>(side.waiting.front());
        if (!try_now(d, side, op)) continue;
        side.waiting.pop();
        complete(op, op.result);
    }
}

}  // namespace loopbench::loop
