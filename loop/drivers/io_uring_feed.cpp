// Feeds: the multishot receive that a stream keeps armed, the data that it brings before anybody asks, and its pace.
#include <cerrno>
#include <span>

#include "loop/drivers/io_uring.hpp"

namespace loopbench::loop {

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
