#include "bench/suite/peers/ev_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

namespace {

bool would_block(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK;
}

template <class Call>
auto uninterrupted(Call call) noexcept {
    decltype(call()) result;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

}  // namespace

ev_direction::ev_direction(event_base* base, int fd, short what) noexcept {
    event_assign(&event_, base, fd, static_cast<short>(what | EV_ET | EV_PERSIST), &on_edge, this);
}

bool ev_direction::wait(ev_waiter& waiter) noexcept {
    if (!added_ && event_add(&event_, nullptr) != 0) return false;
    added_ = true;
    waiter_ = &waiter;
    return true;
}

void ev_direction::stop() noexcept {
    if (std::exchange(added_, false)) event_del(&event_);
    ev_waiter* const waiter = std::exchange(waiter_, nullptr);
    if (waiter == nullptr) return;
    waiter->fd = -1;
    static_cast<void>(waiter->try_again());
    waiter->queue();
}

void ev_direction::on_edge(evutil_socket_t, short what, void* self) noexcept {
    auto& direction = *static_cast<ev_direction*>(self);
    direction.may_be_ready_ = true;
    if ((what & EV_CLOSED) != 0) direction.peer_closed_ = true;
    ev_waiter* const waiter = direction.waiter_;
    if (waiter == nullptr || !waiter->try_again()) return;
    direction.waiter_ = nullptr;
    waiter->completed();
}

ev_read_awaiter::ev_read_awaiter(library_loop& owner, ev_socket* socket, std::span<std::byte> in) noexcept
    : ev_awaiter(owner, socket == nullptr ? nullptr : &socket->reading(),
                 socket == nullptr ? -1 : socket->fd()),
      in_(in),
      from_pipe_(socket != nullptr && socket->is_pipe()) {}

bool ev_read_awaiter::attempt() noexcept {
    const ssize_t count = uninterrupted([this] {
        return from_pipe_ ? ::read(fd, in_.data(), in_.size()) : ::recv(fd, in_.data(), in_.size(), 0);
    });
    if (count < 0 && would_block(errno)) {
        direction().exhausted();
        return false;
    }
    if (count < 0) {
        result_ = {.bytes = 0, .error = errno};
        return true;
    }
    result_ = {.bytes = static_cast<std::size_t>(count), .error = 0};
    // After a short read, the adapter usually waits for the next edge. Pipes are an exception: after the edge
    // for the last bytes, no further edge reports that all writers are gone. A pipe is therefore read again
    // at once.
    if (!from_pipe_ && count > 0 && result_->bytes < in_.size()) direction().exhausted();
    return true;
}

loop::io_result ev_read_awaiter::await_resume() const noexcept {
    return result_.value_or(loop::io_result{.bytes = 0, .error = ECANCELED});
}

ev_write_awaiter::ev_write_awaiter(library_loop& owner, ev_socket* socket,
                                   std::span<const std::byte> out) noexcept
    : ev_awaiter(owner, socket == nullptr ? nullptr : &socket->writing(),
                 socket == nullptr ? -1 : socket->fd()),
      rest_(out),
      to_pipe_(socket != nullptr && socket->is_pipe()) {}

bool ev_write_awaiter::attempt() noexcept {
    while (!rest_.empty()) {
        const ssize_t count = uninterrupted([this] {
            return to_pipe_ ? ::write(fd, rest_.data(), rest_.size())
                            : ::send(fd, rest_.data(), rest_.size(), MSG_NOSIGNAL);
        });
        if (count < 0 && would_block(errno)) {
            direction().exhausted();
            return false;
        }
        if (count < 0) {
            error_ = errno;
            return true;
        }
        written_ += static_cast<std::size_t>(count);
        rest_ = rest_.subspan(static_cast<std::size_t>(count));
    }
    error_ = 0;
    return true;
}

loop::io_result ev_write_awaiter::await_resume() const noexcept {
    return {.bytes = written_, .error = error_.value_or(ECANCELED)};
}

ev_stream::ev_stream(library_loop& owner, std::unique_ptr<ev_socket> connected)
    : owner_(&owner), socket_(std::move(connected)) {
    loop::set_no_delay(socket_->fd());  // a Unix socket refuses TCP_NODELAY, which is not an error
}

void ev_stream::shutdown_write() noexcept {
    if (socket_) ::shutdown(socket_->fd(), SHUT_WR);
}

ev_connect_awaiter::ev_connect_awaiter(library_loop& owner, std::unique_ptr<ev_socket> socket,
                                       const loop::endpoint& peer) noexcept
    : ev_awaiter(owner, &socket->writing(), socket->fd()), socket_(std::move(socket)), peer_(peer) {}

bool ev_connect_awaiter::attempt() noexcept {
    if (std::exchange(started_, true)) {
        socklen_t bytes = sizeof error_;
        if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error_, &bytes) != 0) error_ = errno;
        return true;
    }
    const auto* const address = reinterpret_cast<const sockaddr*>(&peer_.address());
    error_ = ::connect(fd, address, peer_.bytes()) == 0 ? 0 : errno;
    return error_ != EINPROGRESS;
}

ev_stream ev_connect_awaiter::await_resume() {
    if (error_ != 0) loop::throw_failed("connect to " + peer_.to_string(), error_);
    return ev_stream(owner(), std::move(socket_));
}

ev_accept_awaiter::ev_accept_awaiter(library_loop& owner, ev_socket* listener) noexcept
    : ev_awaiter(owner, listener == nullptr ? nullptr : &listener->reading(),
                 listener == nullptr ? -1 : listener->fd()),
      base_(listener == nullptr ? nullptr : listener->base()),
      error_(ECANCELED) {}

bool ev_accept_awaiter::attempt() noexcept {
    for (;;) {
        accepted_.reset(::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        error_ = accepted_ ? 0 : errno;
        if (error_ == EINTR || error_ == ECONNABORTED) continue;
        if (!would_block(error_)) return true;
        direction().exhausted();
        error_ = ECANCELED;  // the result if the wait ends without another edge
        return false;
    }
}

ev_stream ev_accept_awaiter::await_resume() {
    if (error_ != 0) loop::throw_failed("accept", error_);
    return ev_stream(owner(), std::make_unique<ev_socket>(base_, std::move(accepted_)));
}

ev_listener::ev_listener(library_loop& owner, event_base* base, const loop::endpoint& local)
    : owner_(&owner), socket_(std::make_unique<ev_socket>(base, loop::open_listener(local))) {}

std::uint16_t ev_listener::port() const {
    return loop::local_endpoint(socket_->fd()).port();
}

}  // namespace loopbench::bench::peers
