// The time for a wait is linear in the number of watched descriptors. poll is level-triggered, and POLLHUP
// and POLLERR cannot be masked; therefore a descriptor stays in the list only while an operation waits on it.
// The timeout of ppoll(2) is in nanoseconds, and is late by the thread's timer slack, 50 us by default.

#include <poll.h>

#include "loop/io/drivers.hpp"
#include "loop/io/readiness.hpp"
#include "loop/io/waiting.hpp"

namespace loopbench::loop {

namespace {

class poll_driver final : public readiness_driver {
public:
    explicit poll_driver(ready_queue& ready) : readiness_driver(ready, /*edge_triggered=*/false) {}

    void wake() noexcept override { wake_.set(); }

    void wait_for_reports(time_point deadline) override {
        timespec storage;
        const timespec* const timeout = relative_timeout(deadline, storage);
        const int count = ::ppoll(watched_.data(), watched_.size(), timeout, nullptr);
        if (count < 0 && errno != EINTR) throw_failed("ppoll");
        if (count <= 0) return;
        if (watched_[0].revents != 0) wake_.clear();
        // The iteration starts at the end of the list: if report() removes an entry, the last entry takes its
        // place, and the last entry was already handled.
        for (std::size_t place = watched_.size() - 1; place > 0; --place) {
            const pollfd seen = watched_[place];
            if (seen.revents == 0) continue;
            report({.fd = seen.fd,
                    .generation = generation_of(seen.fd),
                    .in = (seen.revents & POLLIN) != 0,
                    .out = (seen.revents & POLLOUT) != 0,
                    .hung_up = (seen.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0});
        }
    }

private:
    void watch(int fd, bool in, bool out) override {
        std::size_t& place = place_of_.get(fd);
        if (in || out) {
            if (place == 0) {
                watched_.push_back({});
                place = watched_.size() - 1;
            }
            const int events = (in ? POLLIN | POLLRDHUP : 0) | (out ? POLLOUT : 0);
            watched_[place] = {fd, static_cast<short>(events), 0};
        } else if (place != 0) {
            watched_[place] = watched_.back();
            place_of_[watched_.back().fd] = place;
            watched_.pop_back();
            place = 0;
        }
    }

    wake_event wake_;
    std::vector<pollfd> watched_{{wake_.fd(), POLLIN, 0}};
    descriptor_table<std::size_t> place_of_;  // index in watched_; 0 means not watched
};

}  // namespace

std::unique_ptr<driver> make_poll_driver(ready_queue& ready) {
    return std::make_unique<poll_driver>(ready);
}

}  // namespace loopbench::loop
