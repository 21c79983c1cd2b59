#include "loop/drivers/select.hpp"

#include <algorithm>
#include <cerrno>

#include "loop/drivers/relative_timeout.hpp"
#include "loop/system_error.hpp"

namespace loopbench::loop {

namespace {

void set_bit(fd_set& set, int fd, bool on) noexcept {
    on ? FD_SET(fd, &set) : FD_CLR(fd, &set);
}

}  // namespace

void select_poller::refuse(int fd) {
    if (fd < FD_SETSIZE) return;
    throw_errno("select cannot watch descriptor " + std::to_string(fd) + ", only those below " +
                    std::to_string(FD_SETSIZE) + "; use a design on poll, epoll or io_uring",
                EINVAL);
}

select_poller::select_poller() : highest_(bell_.fd()) {
    refuse(bell_.fd());
    FD_ZERO(&readers_);
    FD_ZERO(&writers_);
    FD_SET(bell_.fd(), &readers_);
}

void select_poller::watch(int fd, std::uint32_t generation, bool in, bool out) {
    set_bit(readers_, fd, in);
    set_bit(writers_, fd, out);
    generations_[static_cast<std::size_t>(fd)] = generation;
    if (in || out) {
        highest_ = std::max(highest_, fd);
    } else {
        while (!FD_ISSET(highest_, &readers_) && !FD_ISSET(highest_, &writers_))
            --highest_;  // ends at the bell
    }
}

int select_poller::wait_for_events(time_point deadline) {
    readable_ = readers_;
    writable_ = writers_;
    timespec storage;
    const timespec* const timeout = relative_timeout(deadline, storage);
    const int count = ::pselect(highest_ + 1, &readable_, &writable_, nullptr, timeout, nullptr);
    if (count >= 0) return count;
    if (errno == EINTR) return 0;
    throw_errno("pselect");
}

void select_poller::collect() {
    for (int fd = 0; fd <= highest_; ++fd) {
        const bool in = FD_ISSET(fd, &readable_);
        const bool out = FD_ISSET(fd, &writable_);
        if (fd == bell_.fd()) {
            if (in) bell_.silence();
        } else if (in || out) {
            found_.push_back({.fd = fd,
                              .generation = generations_[static_cast<std::size_t>(fd)],
                              .in = in,
                              .out = out,
                              .hung_up = false});
        }
    }
}

}  // namespace loopbench::loop
