// Feeds: the multishot receive that a stream keeps armed, or a listener's multishot accept; what it brings
// before anybody asks, and its pace.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "loop/drivers/io_uring.hpp"

namespace loopbench::loop {

bool io_uring_driver::take_arrived(descriptor& d, io_operation& op) noexcept {
    if (d.arrivals.empty() && !d.ended) return false;
    if (op.kind != io_kind::readable && !is_fed(d, op.kind)) return false;
    if (op.kind == io_kind::readable) {
        op.result = 0;
    } else if (d.arrivals.empty()) {
        op.result = d.end;
        d.ended = false;
    } else if (d.listening) {
        op.result = take_connection(d);
    } else {
        op.result = static_cast<std::int64_t>(buffers_.take(d.arrivals, std::span(op.data, op.size)));
    }
    return true;
}

// Connections that wait are linked through their own places in the table: nobody else knows them yet.
void io_uring_driver::append_connection(int listener, int connection) {
    descriptor_of(connection);  // the table may have to grow
    uring_arrivals& arrivals = descriptor_of(listener).arrivals;
    if (arrivals.empty()) {
        arrivals.first = static_cast<std::uint32_t>(connection);
    } else {
        descriptors_[arrivals.last].next = connection;
    }
    arrivals.last = static_cast<std::uint32_t>(connection);
    ++arrivals.count;
}

int io_uring_driver::take_connection(descriptor& d) noexcept {
    const std::uint32_t connection = d.arrivals.first;
    d.arrivals.first = static_cast<std::uint32_t>(descriptors_[connection].next);
    --d.arrivals.count;
    return static_cast<int>(connection);
}

void io_uring_driver::discard_arrived(descriptor& d) noexcept {
    if (!d.listening) return buffers_.discard(d.arrivals);
    while (!d.arrivals.empty()) ::close(take_connection(d));
}

std::uint64_t io_uring_driver::feed_tag(int fd, const descriptor& d) noexcept {
    return tag(d.listening ? owner::listener : owner::feed, d.life, static_cast<std::uint32_t>(fd));
}

void io_uring_driver::start_feed(int fd, descriptor& d) {
    io_uring_sqe& entry = ring_.submission();
    if (d.listening) {
        io_uring_prep_multishot_accept(&entry, fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } else {
        io_uring_prep_recv_multishot(&entry, fd, nullptr, 0, 0);
        entry.flags |= IOSQE_BUFFER_SELECT;
        entry.buf_group = uring_buffers::group;
    }
    entry.user_data = feed_tag(fd, d);
    d.feed = feed_state::running;
}

void io_uring_driver::stop_feed(int fd, descriptor& d) {
    submit_cancel(feed_tag(fd, d));
    d.feed = feed_state::stopping;
    d.ahead = true;
}

// Takes back an operation that waits for what the feed brings. With the last of them a listener's feed stops:
// bytes can only be for this reader, but a connection may be for another process.
void io_uring_driver::leave(io_operation& op) {
    descriptor& d = descriptor_of(op.fd);
    d.waiting.remove(op);
    if (d.listening && d.waiting.empty() && d.feed == feed_state::running) stop_feed(op.fd, d);
}

// Gives what has arrived to those who wait for it, and keeps the feed at their pace.
void io_uring_driver::serve(int fd, descriptor& d) {
    const bool too_many = d.arrivals.count > arrivals_max;
    const bool too_much = d.listening ? too_many && d.waiting.empty()  // not a burst that a server waits for
                                      : too_many || d.arrivals.bytes >= uring_buffers::buffer_bytes;
    while (!d.waiting.empty()) {
        auto& op = static_cast<io_operation&>(d.waiting.front());
        if (!take_arrived(d, op)) break;
        d.waiting.pop();
        complete(op, op.result);
    }
    if (d.listening) d.ended = false;  // nobody is left to be told; whoever accepts next will find out
    if (d.feed == feed_state::stopped) {
        resume(fd, d);
    } else if (d.feed == feed_state::running && too_much) {
        stop_feed(fd, d);
    }
}

// There is no feed, or no accept, any more, and there may be operations that counted on it.
void io_uring_driver::resume(int fd, descriptor& d) {
    if (d.waiting.empty() || d.accepting) return;
    const bool accepts = static_cast<io_operation&>(d.waiting.front()).kind == io_kind::accept;
    if (!d.ahead && (d.listening || !accepts)) return start_feed(fd, d);
    while (!d.waiting.empty() && !d.accepting) submit(static_cast<io_operation&>(d.waiting.pop()));
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

void io_uring_driver::on_connection(std::uint32_t generation, int fd, const uring_completion& completion) {
    const bool accepted = completion.result >= 0;
    if ((descriptor_of(fd).life & generation_mask) != generation) {
        if (accepted) ::close(completion.result);
        return;
    }
    if (accepted) append_connection(fd, completion.result);
    descriptor& d = descriptor_of(fd);
    if (completion.is_final()) {
        const bool asked_for = d.feed == feed_state::stopping && completion.result == -ECANCELED;
        d.feed = feed_state::stopped;
        d.ended = !accepted && !asked_for;
        d.end = completion.result;
    }
    if (fed_.empty() || fed_.back() != fd) fed_.push_back(fd);
}

}  // namespace loopbench::loop
