// poll: the whole list of descriptors goes to the kernel at every wait.
//
// What it costs and what surprises: a wait is linear in the number of watched descriptors, ready or not. It
// is level-triggered, so a descriptor stays in the list only while an operation waits on it; otherwise a peer
// that has hung up would be reported at every wait (POLLHUP and POLLERR cannot be masked). ppoll(2) takes
// nanoseconds, and is late by the thread's timer slack, 50 us by default.

#include <poll.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loop/io/drivers.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/level_triggered.hpp"
#include "loop/io/readiness.hpp"

namespace loopbench::loop {

namespace {

class poll_driver final : public readiness_driver {
public:
    explicit poll_driver(ready_queue& ready);

    void wake() noexcept override { wake_.set(); }

private:
    void watch(int fd, std::uint32_t generation, bool in, bool out) override;
    void stop_watching(int fd) noexcept override { watch(fd, 0, false, false); }
    std::span<const readiness_event> wait_for_events(time_point deadline) override;

    wake_event wake_;
    std::vector<pollfd> watched_;             // the first is wake_
    std::vector<std::uint32_t> generations_;  // in step with watched_
    std::vector<std::size_t> place_of_;       // by fd: its index in watched_; 0 is none
    std::vector<readiness_event> events_;
};

poll_driver::poll_driver(ready_queue& ready)
    : readiness_driver(ready, /*edge_triggered=*/false), watched_{{wake_.fd(), POLLIN, 0}}, generations_{0} {}

void poll_driver::watch(int fd, std::uint32_t generation, bool in, bool out) {
    const auto key = static_cast<std::size_t>(fd);
    if (key >= place_of_.size()) place_of_.resize(2 * key + 16);
    std::size_t& place = place_of_[key];
    if (in || out) {
        if (place == 0) {
            place = watched_.size();
            watched_.push_back({});
            generations_.push_back(0);
        }
        const int events = (in ? POLLIN | POLLRDHUP : 0) | (out ? POLLOUT : 0);
        watched_[place] = {fd, static_cast<short>(events), 0};
        generations_[place] = generation;
    } else if (place != 0) {  // the last one takes the free place
        watched_[place] = watched_.back();
        generations_[place] = generations_.back();
        place_of_[static_cast<std::size_t>(watched_[place].fd)] = place;
        watched_.pop_back();
        generations_.pop_back();
        place_of_[key] = 0;
    }
}

std::span<const readiness_event> poll_driver::wait_for_events(time_point deadline) {
    events_.clear();
    timespec storage;
    const int count = ::ppoll(watched_.data(), watched_.size(), relative_timeout(deadline, storage), nullptr);
    if (count < 0 && errno != EINTR) throw_errno("ppoll");
    if (count <= 0) return {};
    if (watched_[0].revents != 0) wake_.clear();
    for (std::size_t place = 1; place < watched_.size(); ++place) {
        const pollfd& entry = watched_[place];
        if (entry.revents == 0) continue;
        events_.push_back({.fd = entry.fd,
                           .generation = generations_[place],
                           .in = (entry.revents & POLLIN) != 0,
                           .out = (entry.revents & POLLOUT) != 0,
                           .hung_up = (entry.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0});
    }
    return events_;
}

}  // namespace

std::unique_ptr<driver> make_poll_driver(ready_queue& ready) {
    return std::make_unique<poll_driver>(ready);
}

}  // namespace loopbench::loop
