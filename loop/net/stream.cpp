#include "loop/net/stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::loop {

descriptor& descriptor::operator=(descriptor&& other) noexcept {
    if (this != &other) {
        close();
        loop_ = other.loop_;
        io_ = other.io_;
        fd_ = std::move(other.fd_);
    }
    return *this;
}

void descriptor::close() noexcept {
    if (!fd_) return;
    const event_loop::run_guard guard(*loop_);
    io_->close(fd_.get());
    fd_.reset();
}

void stream::shutdown_write() noexcept {
    ::shutdown(native_handle(), SHUT_WR);
}

namespace {

constexpr nanoseconds shortest_pause = std::chrono::milliseconds(1);
constexpr nanoseconds longest_pause = std::chrono::seconds(1);

bool out_of_resources(int error) noexcept {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// An error of one connection, which is gone then: "treat them like EAGAIN by retrying" (accept(2)). EPERM is
// the firewall's. With a pause all the same, since a broken network breaks the next one too.
bool is_of_the_connection(int error) noexcept {
    switch (error) {
        case ENETDOWN:
        case ENOPROTOOPT:
        case EHOSTDOWN:
        case ENONET:
        case EHOSTUNREACH:
        case EOPNOTSUPP:
        case ENETUNREACH:
        case EPERM:
            return true;
        default:
            return false;
    }
}

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
        if (error == ECONNABORTED || error == EPROTO) continue;  // the peer was gone before we came
        if (!out_of_resources(error) && !is_of_the_connection(error)) throw_errno("accept", error);
        co_await loop().sleep_for(pause);
        if (!is_open()) throw_errno("accept", ECANCELED);
        pause = std::min(2 * pause, longest_pause);
    }
}

std::uint16_t listener::port() const {
    return local_endpoint(native_handle()).port();
}

task<stream> connect_stream(event_loop& loop, endpoint peer) {
    stream connected(loop, open_stream(peer.family()));
    set_no_delay(connected.native_handle());
    io_awaiter connecting(loop.io(), io_kind::connect, connected.native_handle());
    connecting.set_address(&peer.address(), peer.bytes());
    const std::int64_t result = co_await connecting;
    if (result < 0) throw_errno("connect to " + peer.to_string(), static_cast<int>(-result));
    co_return std::move(connected);
}

listener event_loop::listen(const endpoint& local) {
    return {*this, open_listener(local)};
}

listener event_loop::listen() {
    return listen(endpoint::loopback(0));
}

listener event_loop::listen_unix(std::string_view path) {
    return listen(endpoint::unix_path(path));
}

task<stream> event_loop::connect(endpoint peer) {
    return connect_stream(*this, peer);
}

task<stream> event_loop::connect(std::uint16_t port) {
    return connect_stream(*this, endpoint::loopback(port));
}

task<stream> event_loop::connect_unix(std::string_view path) {
    return connect_stream(*this, endpoint::unix_path(path));
}

}  // namespace loopbench::loop
