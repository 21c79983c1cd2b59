#include "loop/net/stream.hpp"

#include <algorithm>

namespace loopbench::loop {

void descriptor::close() noexcept {
    if (!fd_) return;
    const auto guard = loop_->guard_writes();
    io_->close(fd_.get());
    fd_.reset();
}

namespace {

constexpr nanoseconds shortest_pause = std::chrono::milliseconds(1);
constexpr nanoseconds longest_pause = std::chrono::milliseconds(20);

// Errors after which accept() pauses and tries again: a temporary lack of resources, EPERM from a firewall,
// and network errors of the new connection, which programs should treat "like EAGAIN by retrying"
// (accept(2)).
constexpr int passing_errors[] = {EMFILE,    ENFILE, ENOBUFS,      ENOMEM,     ENETDOWN,    ENOPROTOOPT,
                                  EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM};

}  // namespace

task<stream> listener::accept() {
    nanoseconds pause = shortest_pause;
    for (;;) {
        const std::int64_t result = co_await io_awaiter(io(), io_kind::accept, native_handle());
        if (result >= 0) {
            unique_fd fd(static_cast<int>(result));
            set_no_delay(fd.get());
            co_return stream(loop(), std::move(fd));
        }
        const int error = static_cast<int>(-result);
        if (error == ECONNABORTED || error == EPROTO) continue;  // the peer has closed the connection
        if (std::ranges::find(passing_errors, error) == std::end(passing_errors))
            throw_failed("accept", error);
        co_await loop().sleep_for(pause);
        if (!is_open()) throw_failed("accept", ECANCELED);
        pause = std::min(2 * pause, longest_pause);
    }
}

listener event_loop::listen(const endpoint& local) {
    return {*this, open_listener(local)};
}

listener event_loop::listen_on(std::string_view address) {
    return listen(endpoint::ip(address, 0));
}

listener event_loop::listen_unix(std::string_view path) {
    return listen(endpoint::unix_path(path));
}

task<stream> event_loop::connect(endpoint peer) {
    stream connected(*this, open_stream(peer.family()));
    set_no_delay(connected.native_handle());
    io_awaiter connecting(io(), io_kind::connect, connected.native_handle());
    connecting.set_address(&peer.address(), peer.bytes());
    const std::int64_t result = co_await connecting;
    if (result < 0) throw_failed("connect to " + peer.to_string(), static_cast<int>(-result));
    co_return std::move(connected);
}

}  // namespace loopbench::loop
