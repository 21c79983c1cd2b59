// The files of the simulated kernel. The network takes time, delivers data in parts, and sometimes breaks
// connections.
#include <algorithm>
#include <array>

#include "tests/simulation/kernel.hpp"

namespace loopbench::simulation {

namespace {

constexpr std::array<std::size_t, 6> limits{1, 7, 100, 2048, 20'000, 300'000};

}  // namespace

void eventfd_file::add() {
    ++count;
    if (!kernel_.is_planted(defect::lost_wakeup, 20)) kernel_.changed(*this);
}

void timer_file::set(nanoseconds when) {
    has_fired_ = false;
    const unsigned setting = ++setting_;
    const bool fires = !kernel_.is_planted(defect::lost_timer, 50);
    const nanoseconds delay = std::max(when - kernel_.time(), nanoseconds(0));
    kernel_.after(delay, [this, keep = shared_from_this(), setting, fires] {
        if (setting != setting_ || !fires) return;
        has_fired_ = true;
        kernel_.changed(*this);
    });
}

socket_file::socket_file(kernel& of, int domain)
    : file(of),
      domain_(domain),
      send_limit_(limits[of.random.below(limits.size())]),
      receive_limit_(limits[of.random.below(limits.size())]) {}

unsigned socket_file::events() const noexcept {
    switch (state_) {
        case state::fresh:
            return ready::out | ready::hang_up | (error_ != 0 ? ready::error | ready::in | ready::end : 0);
        case state::connecting:
            return 0;
        case state::listening:
            return backlog_.empty() ? 0 : ready::in;
        case state::connected:
            break;
    }
    unsigned found = 0;
    if (!received_.empty()) found |= ready::in;
    if (has_ended) found |= ready::in | ready::end;
    if (has_room_ || sends_end_) found |= ready::out;
    if (has_ended && sends_end_) found |= ready::hang_up;
    if (error_ != 0) found |= ready::in | ready::out | ready::error | ready::hang_up | ready::end;
    return found;
}

std::int64_t socket_file::bind_to(std::string name) {
    if (kernel_.listeners.contains(name)) return -EADDRINUSE;
    name_ = std::move(name);
    return 0;
}

std::int64_t socket_file::listen(std::size_t backlog_max) {
    state_ = state::listening;
    backlog_max_ = kernel_.random.one_in(4) ? 1 + kernel_.random.below(3) : backlog_max;
    kernel_.listeners.insert_or_assign(name_, std::static_pointer_cast<socket_file>(shared_from_this()));
    return 0;
}

std::int64_t socket_file::connect_to(const std::string& name) {
    if (error_ != 0) return -std::exchange(error_, 0);
    if (state_ == state::connecting) return -EALREADY;
    if (state_ == state::connected) return std::exchange(connect_is_reported_, true) ? -EISCONN : 0;
    const auto found = kernel_.listeners.find(name);
    const auto listener = found == kernel_.listeners.end() ? nullptr : found->second.lock();
    if (domain_ == AF_UNIX && listener && listener->backlog_.size() >= listener->backlog_max_) return -EAGAIN;
    if (domain_ == AF_UNIX || kernel_.random.one_in(4)) {
        establish(name);
        connect_is_reported_ = true;
        return -std::exchange(error_, 0);
    }
    state_ = state::connecting;
    is_connecting = true;
    kernel_.after(kernel_.random.time_of_any_magnitude(24),
                  [this, keep = shared_from_this(), name] { establish(name); });
    return kernel_.is_interrupted() ? -EINTR : -EINPROGRESS;
}

void socket_file::establish(const std::string& name) {
    is_connecting = false;
    if (is_closed_) return;
    const auto found = kernel_.listeners.find(name);
    const auto listener = found == kernel_.listeners.end() ? nullptr : found->second.lock();
    if (!listener || listener->backlog_.size() >= listener->backlog_max_) {
        state_ = state::fresh;
        error_ = ECONNREFUSED;
    } else {
        const auto accepted = std::make_shared<socket_file>(kernel_, domain_);
        const auto client = std::static_pointer_cast<socket_file>(shared_from_this());
        client->is_client = true;
        client->connection = accepted->connection = kernel_.next_connection();
        client->connect_both(accepted);
        accepted->connect_both(client);
        listener->backlog_.push_back(accepted);
        kernel_.changed(*listener);
        if (kernel_.random.one_in(10)) {
            kernel_.after(kernel_.random.time_of_any_magnitude(30), [client, accepted] {
                client->reset_by_peer();
                accepted->reset_by_peer();
            });
        }
    }
    kernel_.changed(*this);
}

void socket_file::connect_both(const std::shared_ptr<socket_file>& other) {
    state_ = state::connected;
    peer = other;
}

std::int64_t socket_file::accept() {
    if (state_ != state::listening) return -EINVAL;
    accept_was_refused = false;
    if (backlog_.empty()) return -EAGAIN;
    if (kernel_.random.one_in(50)) {
        accept_was_refused = true;
        return kernel_.random.one_in(2) ? -EMFILE : -ENOBUFS;
    }
    const auto accepted = backlog_.front();
    backlog_.pop_front();
    if (kernel_.random.one_in(50)) {
        accepted->release();
        return -ECONNABORTED;
    }
    return kernel_.open(accepted);
}

std::int64_t socket_file::send(std::span<const std::byte> bytes) {
    if (error_ != 0) return -std::exchange(error_, 0);
    if (state_ != state::connected) return -ENOTCONN;
    if (sends_end_ || was_reset) return -EPIPE;
    if (!has_room_) return -EAGAIN;
    const std::size_t room = send_limit_ - under_way_.size();
    const std::size_t count = std::min(room, bytes.size());
    const std::size_t kept = count - (kernel_.is_planted(defect::miscounted_send, 50) ? 1 : 0);
    under_way_.insert(under_way_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(kept));
    taken += count;
    has_room_ = count < room && count == bytes.size();
    network_takes_time();
    return static_cast<std::int64_t>(count);
}

std::int64_t socket_file::receive(std::span<std::byte> buffer) {
    if (!received_.empty()) {
        std::size_t count = std::min(received_.size(), buffer.size());
        if (domain_ == AF_UNIX) {  // reads end at each message, as with SCM_RIGHTS (unix(7))
            count = std::min(count, messages_.front());
            messages_.front() -= count;
            if (messages_.front() == 0) messages_.pop_front();
        }
        const auto end = received_.begin() + static_cast<std::ptrdiff_t>(count);
        std::copy(received_.begin(), end, buffer.begin());
        received_.erase(received_.begin(), end);
        if (peer) peer->network_takes_time();
        return static_cast<std::int64_t>(count);
    }
    if (error_ != 0) return -std::exchange(error_, 0);
    if (has_ended) return 0;
    return state_ == state::connected ? -EAGAIN : -ENOTCONN;
}

std::int64_t socket_file::shut_down_writing() {
    if (state_ != state::connected) return -ENOTCONN;
    sends_end_ = true;
    network_takes_time();
    return 0;
}

void socket_file::release() {
    is_closed_ = true;
    if (state_ == state::listening) {
        kernel_.listeners.erase(name_);
        for (const auto& each : backlog_) each->release();
        backlog_.clear();
    }
    if (state_ != state::connected || !peer) return;
    sends_end_ = true;
    if (peer->is_closed_) {
        peer->peer.reset();
        peer.reset();
    } else if (!received_.empty()) {
        under_way_.clear();
        was_reset = end_is_sent_ = true;
        kernel_.after(kernel_.random.time_of_any_magnitude(16), [broken = peer] { broken->reset_by_peer(); });
    } else {
        network_takes_time();
    }
}

void socket_file::reset_by_peer() {
    was_reset = has_room_ = true;
    under_way_.clear();
    peer.reset();
    if (is_closed_ || state_ != state::connected) return;
    error_ = sends_end_ && kernel_.random.one_in(2) ? EPIPE : ECONNRESET;
    has_ended = true;
    kernel_.changed(*this);
}

void socket_file::network_takes_time() {
    if (is_carrying_ || !peer || (under_way_.empty() && (!sends_end_ || end_is_sent_))) return;
    is_carrying_ = true;
    // Most deliveries take at most 16 µs (as on one machine), some take up to 67 ms (as in a distant
    // network).
    kernel_.after(kernel_.random.time_of_any_magnitude(kernel_.random.one_in(20) ? 26 : 14),
                  [this, keep = shared_from_this()] {
                      is_carrying_ = false;
                      carry();
                  });
}

void socket_file::carry() {
    if (!peer) return;
    socket_file& to = *peer;
    if (to.is_closed_) {
        if (!under_way_.empty()) reset_by_peer();
        return;
    }
    if (under_way_.empty()) {
        if (!sends_end_ || std::exchange(end_is_sent_, true)) return;
        if (kernel_.is_planted(defect::lost_end, 20)) return;
        to.has_ended = true;
        return kernel_.changed(to);
    }
    const std::size_t room = to.receive_limit_ - std::min(to.receive_limit_, to.received_.size());
    std::size_t count = std::min(room, under_way_.size());
    if (count == 0) return;
    if (count > 1 && kernel_.random.one_in(2)) count = 1 + kernel_.random.below(count);
    const auto end = under_way_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<std::byte> part(under_way_.begin(), end);
    under_way_.erase(under_way_.begin(), end);
    if (kernel_.is_planted(defect::swapped_bytes, 100) && count > 1) std::swap(part.front(), part.back());
    if (kernel_.is_planted(defect::lost_byte, 100)) part.pop_back();
    to.arrived += part.size();
    to.received_.insert(to.received_.end(), part.begin(), part.end());
    if (domain_ == AF_UNIX && !part.empty()) to.messages_.push_back(part.size());
    kernel_.changed(to);
    // Linux reports free space only when a third of the buffer is free.
    if (!has_room_ && under_way_.size() <= send_limit_ * 2 / 3) tell_room();
    network_takes_time();
}

void socket_file::tell_room() {
    has_room_ = true;
    kernel_.changed(*this);
}

}  // namespace loopbench::simulation
