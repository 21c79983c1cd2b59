#include "loop/drivers/poll.hpp"

#include <cerrno>

#include "loop/drivers/relative_timeout.hpp"
#include "loop/system_error.hpp"

namespace loopbench::loop {

poll_poller::poll_poller() : watched_{{bell_.fd(), POLLIN, 0}}, generations_{0} {}

void poll_poller::watch(int fd, std::uint32_t generation, bool in, bool out) {
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

int poll_poller::wait_for_events(time_point deadline) {
    timespec storage;
    const int count = ::ppoll(watched_.data(), watched_.size(), relative_timeout(deadline, storage), nullptr);
    if (count >= 0) return count;
    if (errno == EINTR) return 0;
    throw_errno("ppoll");
}

void poll_poller::collect() {
    if (watched_[0].revents != 0) bell_.silence();
    for (std::size_t place = 1; place < watched_.size(); ++place) {
        const pollfd& entry = watched_[place];
        if (entry.revents == 0) continue;
        found_.push_back({.fd = entry.fd,
                          .generation = generations_[place],
                          .in = (entry.revents & POLLIN) != 0,
                          .out = (entry.revents & POLLOUT) != 0,
                          .hung_up = (entry.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0});
    }
}

}  // namespace loopbench::loop
