#include "loop/io/io.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

namespace loopbench::loop {

void io_awaiter::cancel_pending(suspension* place) noexcept {
    auto& self = *static_cast<io_awaiter*>(place);
    if (self.pending) self.io_.cancel(self);
}

void io_awaiter::release() noexcept {
    if (pending) {
        io_.discard(*this);
    } else if (result >= 0) {
        ::close(static_cast<int>(result));  // the result is an accepted connection that no coroutine received
    }
}

namespace {

// Starts a connection, or checks its progress. The driver calls this function until the connection is
// established or refused; `op.pending` is false only in the first call. The driver cannot read SO_ERROR
// instead, because SO_ERROR is 0 not only after the connection is established, but also while it is in
// progress.
std::int64_t attempt_connect(const io_operation& op) noexcept {
    const int done = ::connect(op.fd, reinterpret_cast<const sockaddr*>(op.address), op.address_bytes);
    if (done == 0 || (op.pending && errno == EISCONN)) return 0;
    // From connect(2), EAGAIN means that the backlog of a Unix listener is full, and that no connection is in
    // progress. After EINTR, the connect continues in the background (POSIX).
    if (errno == EAGAIN) {
        errno = ENOBUFS;
    } else if (errno == EINPROGRESS || errno == EALREADY || errno == EINTR) {
        errno = EAGAIN;
    }
    return -1;
}

int ask(int fd, short events) noexcept {
    pollfd state{fd, events, 0};
    const int count = ::poll(&state, 1, 0);
    if (count == 0) errno = EAGAIN;
    const bool is_closed = count > 0 && (state.revents & POLLNVAL) != 0;
    if (is_closed) errno = EBADF;
    return count > 0 && !is_closed ? 0 : -1;
}

std::int64_t call(io_operation& op) noexcept {
    auto* const address = reinterpret_cast<sockaddr*>(op.address);
    switch (op.kind) {
        case io_kind::receive:
            return ::recv(op.fd, op.data, op.size, 0);
        case io_kind::send:
            return ::send(op.fd, op.data + op.moved, op.size - op.moved, MSG_NOSIGNAL);
        case io_kind::read:
            return ::read(op.fd, op.data, op.size);
        case io_kind::write:
            return ::write(op.fd, op.data + op.moved, op.size - op.moved);
        case io_kind::receive_from:
            op.address_bytes = sizeof(sockaddr_storage);
            return ::recvfrom(op.fd, op.data, op.size, 0, address,
                              address == nullptr ? nullptr : &op.address_bytes);
        case io_kind::send_to:
            return ::sendto(op.fd, op.data, op.size, MSG_NOSIGNAL, address, op.address_bytes);
        case io_kind::accept:
            return ::accept4(op.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        case io_kind::connect:
            return attempt_connect(op);
        case io_kind::read_file:
            return ::preadv2(op.fd, reinterpret_cast<const iovec*>(op.data), static_cast<int>(op.size),
                             static_cast<off_t>(op.position), /*flags=*/0);
        case io_kind::write_file:
            return ::pwritev2(op.fd, reinterpret_cast<const iovec*>(op.data), static_cast<int>(op.size),
                              static_cast<off_t>(op.position), /*flags=*/0);
        case io_kind::readable:
            return ask(op.fd, POLLIN);
        case io_kind::writable:
            return ask(op.fd, POLLOUT);
        case io_kind::input_call:
        case io_kind::output_call:
        case io_kind::urgent_call:
            break;
    }
    errno = EINVAL;
    return -1;
}

}  // namespace

bool attempt(io_operation& op) noexcept {
    if (op.call != nullptr) return op.call(op);
    std::int64_t result;
    do result = call(op);
    while (result < 0 && errno == EINTR);
    if (result < 0) {
        result = -errno;
    } else if (op.whole) {
        op.moved += static_cast<std::size_t>(result);
        result = op.moved < op.size ? -EAGAIN : static_cast<std::int64_t>(op.moved);
    }
    op.result = result;
    return result != -EAGAIN;
}

}  // namespace loopbench::loop
