// select: the driver of the founding documents, with the limits that made everybody leave it.
//
// What surprises: a descriptor of 1024 or more does not fit into an fd_set, and setting its bit writes past
// the end of the set (AMQP-CPP#378), so it is refused here with an error. A wait costs a pass over every
// number up to the highest. pselect(2) takes nanoseconds, and is late by the thread's timer slack, 50 us by
// default. There is no separate report of a hang-up: the descriptor is readable, and the read says the rest.

#include <sys/select.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loop/io/drivers.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/level_triggered.hpp"
#include "loop/io/readiness.hpp"

namespace loopbench::loop {

namespace {

void set_bit(fd_set& set, int fd, bool on) noexcept {
    on ? FD_SET(fd, &set) : FD_CLR(fd, &set);
}

class select_driver final : public readiness_driver {
public:
    explicit select_driver(ready_queue& ready);

    void wake() noexcept override { wake_.set(); }

private:
    void watch(int fd, std::uint32_t generation, bool in, bool out) override;
    void stop_watching(int fd) noexcept override { watch(fd, 0, false, false); }
    std::span<const readiness_event> wait_for_events(time_point deadline) override;

    wake_event wake_;
    fd_set readers_;
    fd_set writers_;
    int highest_;
    std::array<std::uint32_t, FD_SETSIZE> generations_{};
    std::vector<readiness_event> events_;
};

select_driver::select_driver(ready_queue& ready)
    : readiness_driver(ready, /*edge_triggered=*/false, FD_SETSIZE), highest_(wake_.fd()) {
    if (wake_.fd() >= FD_SETSIZE)
        throw_errno("select cannot watch descriptor " + std::to_string(wake_.fd()) +
                        "; open fewer files before, or use a design on poll, epoll or io_uring",
                    EINVAL);
    FD_ZERO(&readers_);
    FD_ZERO(&writers_);
    FD_SET(wake_.fd(), &readers_);
}

void select_driver::watch(int fd, std::uint32_t generation, bool in, bool out) {
    set_bit(readers_, fd, in);
    set_bit(writers_, fd, out);
    generations_[static_cast<std::size_t>(fd)] = generation;
    if (in || out) {
        highest_ = std::max(highest_, fd);
    } else {
        while (!FD_ISSET(highest_, &readers_) && !FD_ISSET(highest_, &writers_)) --highest_;  // ends at wake_
    }
}

std::span<const readiness_event> select_driver::wait_for_events(time_point deadline) {
    events_.clear();
    fd_set readable = readers_;
    fd_set writable = writers_;
    timespec storage;
    const timespec* const timeout = relative_timeout(deadline, storage);
    const int count = ::pselect(highest_ + 1, &readable, &writable, nullptr, timeout, nullptr);
    if (count < 0 && errno != EINTR) throw_errno("pselect");
    if (count <= 0) return {};
    for (int fd = 0; fd <= highest_; ++fd) {
        const bool in = FD_ISSET(fd, &readable);
        const bool out = FD_ISSET(fd, &writable);
        if (fd == wake_.fd()) {
            if (in) wake_.clear();
        } else if (in || out) {
            events_.push_back({.fd = fd,
                               .generation = generations_[static_cast<std::size_t>(fd)],
                               .in = in,
                               .out = out,
                               .hung_up = false});
        }
    }
    return events_;
}

}  // namespace

std::unique_ptr<driver> make_select_driver(ready_queue& ready) {
    return std::make_unique<select_driver>(ready);
}

}  // namespace loopbench::loop
