#include "bench/suite/peers/uv_stream.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "loop/coro/frame_pool.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

namespace {

uv_socket& of(void* data) noexcept {
    return *static_cast<uv_socket*>(data);
}

const sockaddr* address_of(const loop::endpoint& e) noexcept {
    return reinterpret_cast<const sockaddr*>(&e.address());
}

// Returns the errno of a libuv result, or 0 for a success. libuv's errors are negated errnos, except a few
// values such as UV_EOF, which must not be passed to this function.
int errno_of(int result) noexcept {
    return result < 0 ? -result : 0;
}

uv_buf_t buffer_over(std::span<const std::byte> bytes) noexcept {
    uv_buf_t buffer{};  // has no const bytes, because reads use it, too; a write does not change them
    buffer.base = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    buffer.len = bytes.size();
    return buffer;
}

void give_buffer(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    const uv_read_awaiter* const reader = of(handle->data).reader;
    *buffer = reader == nullptr ? uv_buf_t{} : buffer_over(reader->buffer);
}

void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t*) {
    uv_socket& socket = of(stream->data);
    const bool filled_before = std::exchange(socket.filled_the_buffer, false);
    if (count == 0) return;  // libuv reports EAGAIN as 0 bytes
    if (socket.reader == nullptr) {
        // No coroutine reads, so reading stops. This loses nothing, because UV_ENOBUFS means that libuv got
        // no buffer for a read, and libuv reports any other event (an error or the end of the stream) again
        // to the next reader.
        //
        // After a read that has filled its buffer, reading continues, because libuv then asks for another
        // buffer, although there might be no more data.
        if (count != UV_ENOBUFS || !filled_before) uv_read_stop(stream);
        return;
    }
    socket.filled_the_buffer = count == static_cast<ssize_t>(socket.reader->buffer.size());
    std::exchange(socket.reader, nullptr)->complete_with(count);
}

void on_written(uv_write_t* request, int status) {
    uv_write_awaiter* const writer = std::exchange(of(request->handle->data).writer, nullptr);
    if (writer == nullptr) return;
    writer->socket = nullptr;
    if (status == 0) {
        writer->result.bytes += writer->rest.size();
    } else {
        writer->result.error = errno_of(status);
    }
    writer->completed();
}

void on_connected(uv_connect_t* request, int status) {
    uv_connect_awaiter* const connector = std::exchange(of(request->handle->data).connector, nullptr);
    if (connector != nullptr) connector->go_on(status);
}

void on_connection(uv_stream_t* listener, int status) {
    if (status < 0) return;
    uv_socket& socket = of(listener->data);
    socket.holds_connection = true;
    uv_accept_awaiter* const acceptor = std::exchange(socket.acceptor, nullptr);
    if (acceptor != nullptr) acceptor->go_on(false);
}

}  // namespace

void uv_checked(int result, const char* what) {
    if (result < 0) loop::throw_failed(what, -result);
}

uv_socket* uv_socket::open(uv_loop_t& loop, int family) {
    auto* const socket = ::new (loop::frame_pool::allocate(sizeof(uv_socket))) uv_socket;
    // uv_pipe_init and uv_tcp_init cannot fail, because they do not open a socket yet.
    if (family == AF_UNIX) {
        uv_pipe_init(&loop, &socket->of.pipe, 0);
    } else {
        uv_tcp_init(&loop, &socket->of.tcp);
    }
    socket->of.handle.data = socket;
    return socket;
}

void uv_socket::close() noexcept {
    // libuv does not call the callbacks of a closed reader or listener. It calls the callbacks of a writer or
    // a connector later, in the loop. Therefore, only the reader and the acceptor are woken here.
    if (reader != nullptr) {
        reader->socket = nullptr;
        reader->result.error = ECANCELED;
        std::exchange(reader, nullptr)->queue();
    }
    if (acceptor != nullptr) std::exchange(acceptor, nullptr)->go_on(true);
    connector = nullptr;
    uv_close(&of.handle, [](uv_handle_t* closed) {
        auto* const socket = static_cast<uv_socket*>(closed->data);
        std::destroy_at(socket);
        loop::frame_pool::deallocate(socket, sizeof(uv_socket));
    });
}

int uv_socket::fd() const noexcept {
    uv_os_fd_t fd = -1;
    uv_fileno(&of.handle, &fd);
    return fd;
}

void uv_read_awaiter::start() noexcept {
    if (socket == nullptr) {
        result.error = ECANCELED;
        return queue();
    }
    socket->reader = this;
    const int started = uv_read_start(socket->stream(), &give_buffer, &on_read);
    if (started == 0 || started == UV_EALREADY) return;
    socket->reader = nullptr;
    socket = nullptr;
    result.error = errno_of(started);
    queue();
}

void uv_read_awaiter::complete_with(ssize_t outcome) noexcept {
    socket = nullptr;
    if (outcome > 0) {
        result.bytes = static_cast<std::size_t>(outcome);
    } else if (outcome != UV_EOF) {
        result.error = errno_of(static_cast<int>(outcome));
    }
    completed();
}

bool uv_write_awaiter::try_to_write() noexcept {
    if (socket == nullptr) result.error = ECANCELED;
    while (result.error == 0 && !rest.empty()) {
        const uv_buf_t buffer = buffer_over(rest);
        const int written = uv_try_write(socket->stream(), &buffer, 1);
        if (written == UV_EAGAIN) return false;
        result.error = errno_of(written);
        if (written < 0) break;
        result.bytes += static_cast<std::size_t>(written);
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

bool uv_write_awaiter::start() noexcept {
    const uv_buf_t buffer = buffer_over(rest);
    const int started = uv_write(&socket->writing, socket->stream(), &buffer, 1, &on_written);
    result.error = errno_of(started);
    if (started == 0) socket->writer = this;
    return started == 0;
}

uv_connection::uv_connection(library_loop& owner, uv_socket_owner connected)
    : owner_(&owner), socket_(std::move(connected)) {
    if (socket_.get()->is_tcp()) uv_checked(uv_tcp_nodelay(&socket_.get()->of.tcp, 1), "uv_tcp_nodelay");
}

void uv_connection::shutdown_write() noexcept {
    // uv_shutdown, which waits for pending writes, is not needed, because no write is pending after
    // write_all() has completed.
    if (socket_.get() != nullptr) ::shutdown(native_handle(), SHUT_WR);
}

void uv_connect_awaiter::start() noexcept {
    uv_socket& socket = *socket_.get();
    socket.connector = this;
    if (!socket.is_tcp()) {
        uv_pipe_connect(&socket.connecting, &socket.of.pipe, peer_.to_string().c_str(), &on_connected);
        return;
    }
    status_ = uv_tcp_connect(&socket.connecting, &socket.of.tcp, address_of(peer_), &on_connected);
    if (status_ == 0) return;
    socket.connector = nullptr;
    queue();
}

uv_connection uv_connect_awaiter::await_resume() {
    uv_checked(status_, "connect");
    return uv_connection(owner(), std::move(socket_));
}

uv_listener::uv_listener(library_loop& owner, uv_loop_t& loop, const loop::endpoint& local)
    : owner_(&owner), socket_(uv_socket::open(loop, local.family())) {
    uv_socket& socket = *socket_.get();
    const std::string name = local.to_string();
    uv_checked(socket.is_tcp() ? uv_tcp_bind(&socket.of.tcp, address_of(local), 0)
                               : uv_pipe_bind(&socket.of.pipe, name.c_str()),
               ("bind to " + name).c_str());
    uv_checked(uv_listen(socket.stream(), loop::listen_backlog, &on_connection),
               ("listen on " + name).c_str());
}

uv_listener::uv_listener(library_loop& owner, uv_loop_t& loop, loop::unique_fd listening)
    : owner_(&owner), socket_(uv_socket::open(loop, AF_INET)) {
    uv_socket& socket = *socket_.get();
    uv_checked(uv_tcp_open(&socket.of.tcp, listening.get()), "uv_tcp_open");
    listening.release();
    uv_checked(uv_listen(socket.stream(), loop::listen_backlog, &on_connection), "uv_listen");
}

std::uint16_t uv_listener::port() const {
    sockaddr_storage address{};
    int bytes = sizeof address;
    uv_checked(uv_tcp_getsockname(&socket_.get()->of.tcp, reinterpret_cast<sockaddr*>(&address), &bytes),
               "getsockname");
    return loop::endpoint(&address, static_cast<std::size_t>(bytes)).port();
}

bool uv_accept_awaiter::take() noexcept {
    uv_socket& listener =
        *std::exchange(listener_, nullptr);  // the listener can be gone when the coroutine continues
    uv_socket_owner accepted(uv_socket::open(*listener.of.handle.loop, listener.family()));
    error_ = errno_of(uv_accept(listener.stream(), accepted.get()->stream()));
    listener.holds_connection = false;
    if (error_ == 0) accepted_ = std::move(accepted);
    return error_ == 0;
}

uv_connection uv_accept_awaiter::await_resume() {
    if (accepted_.get() == nullptr) loop::throw_failed("accept", error_ != 0 ? error_ : ECANCELED);
    return uv_connection(owner(), std::move(accepted_));
}

}  // namespace loopbench::bench::peers
