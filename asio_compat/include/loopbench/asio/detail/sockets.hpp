// Sockets and acceptors of every protocol. Asio's functions (socket_ops) make the system calls. Therefore,
// errors and corner cases are the same as in Asio. The loop decides when the system calls are made.
#pragma once

#include <fcntl.h>

#include <boost/asio/detail/socket_holder.hpp>
#include <boost/asio/detail/socket_ops.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/socket_base.hpp>
#include <cerrno>

#include "loopbench/asio/detail/descriptor_io.hpp"

namespace boost::asio::detail {
template <class Protocol>
class reactive_socket_service;
}

namespace loopbench::asio::detail {

namespace socket_ops = boost::asio::detail::socket_ops;
using boost::asio::socket_base;
using message_flags = socket_base::message_flags;

/// Returns true for a simple transfer: it is on a stream, has one buffer, and has no flags. A simple transfer
/// becomes a send or receive operation of the loop, which the kernel carries out on io_uring. For every other
/// transfer, the loop calls a function that makes the system call.
template <class Native>
bool is_simple(Native& buffers, int flags, socket_ops::state_type state) noexcept {
    return flags == 0 && (state & socket_ops::stream_oriented) != 0 && buffers.count() == 1;
}
template <class Native>
void become_simple(io_op& op, loop::io_kind kind, Native& buffers) noexcept {
    op.kind = kind;
    op.detachable = true;
    op.data = static_cast<std::byte*>(buffers.buffers()->iov_base);
    op.size = buffers.buffers()->iov_len;
}

/// Returns true if the receive can be tried now. For out-of-band data, poll(2) must answer this question,
/// because recv(2) does not report "not yet" (EAGAIN).
inline bool is_ripe(const io_op& op, int flags) noexcept {
    if ((flags & socket_base::message_out_of_band) == 0) return true;
    pollfd state{op.fd, POLLPRI, 0};
    return ::poll(&state, 1, 0) > 0;
}
constexpr loop::io_kind kind_of_receive(int flags) noexcept {
    return (flags & socket_base::message_out_of_band) != 0 ? loop::io_kind::urgent_call
                                                           : loop::io_kind::input_call;
}

template <class Buffers>
struct receive_work : transfer_io {
    using native = native_buffers<boost::asio::mutable_buffer, Buffers>;

    static constexpr tracked_name name{"socket", "async_receive"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    receive_work(const Buffers& to, message_flags with, socket_ops::state_type of)
        : buffers(to), flags(with), state(of) {
        if constexpr (is_null_buffers<Buffers>) {
            become_wait(*this, /*for_input=*/true);
        } else {
            native list(buffers);
            zero_is_end = (state & socket_ops::stream_oriented) != 0;
            is_simple(list, flags, state) ? become_simple(*this, loop::io_kind::receive, list)
                                          : become_call(*this, kind_of_receive(flags));
        }
    }

    bool try_now() noexcept {
        native list(buffers);
        return is_ripe(*this, flags) &&
               socket_ops::non_blocking_recv(fd, list.buffers(), list.count(), flags,
                                             (state & socket_ops::stream_oriented) != 0, ec, bytes);
    }

    Buffers buffers;
    message_flags flags;
    socket_ops::state_type state;
};

template <class Buffers>
struct send_work : transfer_io {
    using native = native_buffers<boost::asio::const_buffer, Buffers>;

    static constexpr tracked_name name{"socket", "async_send"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    send_work(const Buffers& from, message_flags with, socket_ops::state_type of)
        : buffers(from), flags(with) {
        if constexpr (is_null_buffers<Buffers>) {
            become_wait(*this, /*for_input=*/false);
        } else {
            native list(buffers);
            is_simple(list, flags, of) ? become_simple(*this, loop::io_kind::send, list)
                                       : become_call(*this, loop::io_kind::output_call);
        }
    }

    bool try_now() noexcept {
        native list(buffers);
        return socket_ops::non_blocking_send(fd, list.buffers(), list.count(), flags, ec, bytes);
    }

    Buffers buffers;
    message_flags flags;
};

template <class Buffers, class Endpoint>
struct receive_from_work : transfer_io {
    static constexpr tracked_name name{"socket", "async_receive_from"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    receive_from_work(const Buffers& to, Endpoint& from, message_flags with)
        : buffers(to), sender(from), flags(with) {
        if constexpr (is_null_buffers<Buffers>) {
            sender = Endpoint();
            become_wait(*this, /*for_input=*/true);
        } else {
            become_call(*this, kind_of_receive(flags));
        }
    }

    bool try_now() noexcept {
        native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
        std::size_t sender_size = sender.capacity();
        if (!is_ripe(*this, flags) ||
            !socket_ops::non_blocking_recvfrom(fd, list.buffers(), list.count(), flags, sender.data(),
                                               &sender_size, ec, bytes))
            return false;
        if (!ec) sender.resize(sender_size);
        return true;
    }

    Buffers buffers;
    Endpoint& sender;
    message_flags flags;
};

template <class Buffers, class Endpoint>
struct send_to_work : transfer_io {
    static constexpr tracked_name name{"socket", "async_send_to"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    send_to_work(const Buffers& from, const Endpoint& to, message_flags with)
        : buffers(from), receiver(to), flags(with) {
        if constexpr (is_null_buffers<Buffers>) {
            become_wait(*this, /*for_input=*/false);
        } else {
            become_call(*this, loop::io_kind::output_call);
        }
    }

    bool try_now() noexcept {
        native_buffers<boost::asio::const_buffer, Buffers> list(buffers);
        return socket_ops::non_blocking_sendto(fd, list.buffers(), list.count(), flags, receiver.data(),
                                               receiver.size(), ec, bytes);
    }

    Buffers buffers;
    Endpoint receiver;
    message_flags flags;
};

template <class Buffers>
struct receive_message_work : transfer_io {
    static constexpr tracked_name name{"socket", "async_receive_with_flags"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    receive_message_work(const Buffers& to, message_flags with, message_flags& found)
        : buffers(to), flags(with), out_flags(found) {
        if constexpr (is_null_buffers<Buffers>) {
            out_flags = 0;
            become_wait(*this, /*for_input=*/true);
        } else {
            become_call(*this, kind_of_receive(flags));
        }
    }

    bool try_now() noexcept {
        native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
        return is_ripe(*this, flags) && socket_ops::non_blocking_recvmsg(fd, list.buffers(), list.count(),
                                                                         flags, out_flags, ec, bytes);
    }

    Buffers buffers;
    message_flags flags;
    message_flags& out_flags;
};

struct connect_work : plain_io {
    static constexpr tracked_name name{"socket", "async_connect"};

    connect_work() noexcept { become_call(*this, loop::io_kind::output_call); }

    bool try_now() noexcept { return socket_ops::non_blocking_connect(fd, ec); }
};

struct wait_work : plain_io {
    static constexpr tracked_name name{"socket", "async_wait"};

    explicit wait_work(socket_base::wait_type what) noexcept {
        what == socket_base::wait_error ? become_wait_for_error(*this)
                                        : become_wait(*this, what == socket_base::wait_read);
    }
};

template <class Protocol>
struct accept_io : plain_io {
    using endpoint_type = typename Protocol::endpoint;

    static constexpr tracked_name name{"socket", "async_accept"};
    static constexpr bool is_tried_at_start = true;

    accept_io(socket_ops::state_type of, const Protocol& by, endpoint_type* peer) noexcept
        : state(of), protocol(by), endpoint(peer), size(peer == nullptr ? 0 : peer->capacity()) {
        become_call(*this, loop::io_kind::input_call);
    }

    bool try_now() noexcept {
        boost::asio::detail::socket_type fresh = boost::asio::detail::invalid_socket;
        const bool is_done =
            socket_ops::non_blocking_accept(fd, state, endpoint == nullptr ? nullptr : endpoint->data(),
                                            endpoint == nullptr ? nullptr : &size, ec, fresh);
        accepted.reset(fresh);
        return is_done;
    }

    template <class Socket>
    void give_to(Socket& socket) {
        settle(/*zero_is_end=*/false);
        if (ec || accepted.get() == boost::asio::detail::invalid_socket) return;
        if (endpoint != nullptr) endpoint->resize(size);
        socket.assign(protocol, accepted.get(), ec);
        if (!ec) accepted.release();
    }

    socket_ops::state_type state;
    Protocol protocol;
    endpoint_type* endpoint;
    std::size_t size;
    boost::asio::detail::socket_holder accepted;
};

template <class Protocol, class Socket>
struct accept_work : accept_io<Protocol> {
    accept_work(socket_ops::state_type of, const Protocol& by, typename Protocol::endpoint* from,
                Socket& to) noexcept
        : accept_io<Protocol>(of, by, from), peer(to) {}

    template <class Handler>
    auto bind(Handler& handler) {
        this->give_to(peer);
        return bind_result(handler, this->ec);
    }

    Socket& peer;
};

template <class Protocol, class Executor>
struct move_accept_work : accept_io<Protocol> {
    using socket_type = typename Protocol::socket::template rebind_executor<Executor>::other;

    move_accept_work(socket_ops::state_type of, const Protocol& by, typename Protocol::endpoint* from,
                     const Executor& executor)
        : accept_io<Protocol>(of, by, from), peer(executor) {}

    template <class Handler>
    auto bind(Handler& handler) {
        this->give_to(peer);
        return boost::asio::detail::move_binder2<Handler, error_code, socket_type>(0, std::move(handler),
                                                                                   this->ec, std::move(peer));
    }

    socket_type peer;
};

/// Exists only in programs that call cancel() or release(), because it is instantiated with them.
template <class Protocol>
inline const notes_cancel cancel_is_called;

/// The service of Asio's sockets and acceptors. It replaces Asio's reactive_socket_service.
template <class Protocol>
class socket_service {
public:
    using protocol_type = Protocol;
    using endpoint_type = typename Protocol::endpoint;
    using native_handle_type = boost::asio::detail::socket_type;

    struct implementation_type {
        native_handle_type socket = boost::asio::detail::invalid_socket;
        socket_ops::state_type state = 0;
        protocol_type protocol = endpoint_type().protocol();
    };

    explicit socket_service(io_context& context) noexcept : core_(&core_of(context)) {}

    void construct(implementation_type& impl) { impl = implementation_type(); }
    void destroy(implementation_type& impl) {
        error_code ignored;
        close(impl, /*is_destruction=*/true, ignored);
    }
    void move_construct(implementation_type& impl, implementation_type& other) noexcept {
        impl = std::exchange(other, implementation_type());
    }
    void move_assign(implementation_type& impl, socket_service&, implementation_type& other) {
        destroy(impl);
        move_construct(impl, other);
    }
    template <class OtherService>
    void converting_move_construct(implementation_type& impl, OtherService&,
                                   typename OtherService::implementation_type& other) {
        impl.socket = other.socket;
        impl.state = other.state;
        impl.protocol = protocol_type(other.protocol);
        other = {};
    }

    error_code open(implementation_type& impl, const protocol_type& protocol, error_code& ec) {
        if (is_open(impl)) return ec = boost::asio::error::already_open;
        boost::asio::detail::socket_holder fresh(
            socket_ops::socket(protocol.family(), protocol.type(), protocol.protocol(), ec));
        if (fresh.get() == boost::asio::detail::invalid_socket) return ec;
        take(impl, protocol, fresh.release(), 0);
        return ec = {};
    }
    error_code assign(implementation_type& impl, const protocol_type& protocol,
                      const native_handle_type& native, error_code& ec) {
        if (is_open(impl)) return ec = boost::asio::error::already_open;
        if (::fcntl(native, F_GETFD) == -1) return ec = from_errno(errno);
        take(impl, protocol, native, socket_ops::possible_dup);
        return ec = {};
    }
    bool is_open(const implementation_type& impl) const {
        return impl.socket != boost::asio::detail::invalid_socket;
    }
    native_handle_type native_handle(implementation_type& impl) { return impl.socket; }
    error_code close(implementation_type& impl, error_code& ec) {
        ec = {};
        close(impl, /*is_destruction=*/false, ec);
        return ec;
    }
    native_handle_type release(implementation_type& impl, error_code& ec) {
        if (!is_open(impl)) {
            ec = boost::asio::error::bad_descriptor;
            return boost::asio::detail::invalid_socket;
        }
        static_cast<void>(&cancel_is_called<Protocol>);
        BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "socket", &impl, impl.socket, "release"));
        core_->release(impl.socket);
        ec = {};
        return std::exchange(impl, implementation_type()).socket;
    }
    error_code cancel(implementation_type& impl, error_code& ec) {
        static_cast<void>(&cancel_is_called<Protocol>);
        if (!is_open(impl)) return ec = boost::asio::error::bad_descriptor;
        BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "socket", &impl, impl.socket, "cancel"));
        core_->cancel(impl.socket);
        return ec = {};
    }

    // The functions below complete immediately.

    bool at_mark(const implementation_type& impl, error_code& ec) const {
        return socket_ops::sockatmark(impl.socket, ec);
    }
    std::size_t available(const implementation_type& impl, error_code& ec) const {
        return socket_ops::available(impl.socket, ec);
    }
    error_code bind(implementation_type& impl, const endpoint_type& endpoint, error_code& ec) {
        socket_ops::bind(impl.socket, endpoint.data(), endpoint.size(), ec);
        return ec;
    }
    error_code listen(implementation_type& impl, int backlog, error_code& ec) {
        socket_ops::listen(impl.socket, backlog, ec);
        return ec;
    }
    template <class Option>
    error_code set_option(implementation_type& impl, const Option& option, error_code& ec) {
        socket_ops::setsockopt(impl.socket, impl.state, option.level(impl.protocol),
                               option.name(impl.protocol), option.data(impl.protocol),
                               option.size(impl.protocol), ec);
        return ec;
    }
    template <class Option>
    error_code get_option(const implementation_type& impl, Option& option, error_code& ec) const {
        std::size_t size = option.size(impl.protocol);
        socket_ops::getsockopt(impl.socket, impl.state, option.level(impl.protocol),
                               option.name(impl.protocol), option.data(impl.protocol), &size, ec);
        if (!ec) option.resize(impl.protocol, size);
        return ec;
    }
    template <class Command>
    error_code io_control(implementation_type& impl, Command& command, error_code& ec) {
        socket_ops::ioctl(impl.socket, impl.state, command.name(),
                          static_cast<boost::asio::detail::ioctl_arg_type*>(command.data()), ec);
        return ec;
    }
    bool non_blocking(const implementation_type& impl) const {
        return (impl.state & socket_ops::user_set_non_blocking) != 0;
    }
    error_code non_blocking(implementation_type& impl, bool mode, error_code& ec) {
        socket_ops::set_user_non_blocking(impl.socket, impl.state, mode, ec);
        return ec;
    }
    bool native_non_blocking(const implementation_type& impl) const {
        return (impl.state & socket_ops::internal_non_blocking) != 0;
    }
    error_code native_non_blocking(implementation_type& impl, bool mode, error_code& ec) {
        socket_ops::set_internal_non_blocking(impl.socket, impl.state, mode, ec);
        return ec;
    }
    endpoint_type local_endpoint(const implementation_type& impl, error_code& ec) const {
        endpoint_type endpoint;
        std::size_t size = endpoint.capacity();
        if (socket_ops::getsockname(impl.socket, endpoint.data(), &size, ec) != 0) return endpoint_type();
        endpoint.resize(size);
        return endpoint;
    }
    endpoint_type remote_endpoint(const implementation_type& impl, error_code& ec) const {
        endpoint_type endpoint;
        std::size_t size = endpoint.capacity();
        if (socket_ops::getpeername(impl.socket, endpoint.data(), &size, /*cached=*/false, ec) != 0)
            return endpoint_type();
        endpoint.resize(size);
        return endpoint;
    }
    error_code shutdown(implementation_type& impl, socket_base::shutdown_type what, error_code& ec) {
        socket_ops::shutdown(impl.socket, what, ec);
        return ec;
    }

    // The functions below can block.

    error_code wait(implementation_type& impl, socket_base::wait_type what, error_code& ec) {
        switch (what) {
            case socket_base::wait_read:
                socket_ops::poll_read(impl.socket, impl.state, -1, ec);
                break;
            case socket_base::wait_write:
                socket_ops::poll_write(impl.socket, impl.state, -1, ec);
                break;
            case socket_base::wait_error:
                socket_ops::poll_error(impl.socket, impl.state, -1, ec);
                break;
            default:
                ec = boost::asio::error::invalid_argument;
        }
        return ec;
    }
    error_code connect(implementation_type& impl, const endpoint_type& peer, error_code& ec) {
        socket_ops::sync_connect(impl.socket, peer.data(), peer.size(), ec);
        return ec;
    }
    template <class Socket>
    error_code accept(implementation_type& impl, Socket& peer, endpoint_type* endpoint, error_code& ec) {
        if (peer.is_open()) return ec = boost::asio::error::already_open;
        std::size_t size = endpoint == nullptr ? 0 : endpoint->capacity();
        boost::asio::detail::socket_holder fresh(
            socket_ops::sync_accept(impl.socket, impl.state, endpoint == nullptr ? nullptr : endpoint->data(),
                                    endpoint == nullptr ? nullptr : &size, ec));
        if (fresh.get() == boost::asio::detail::invalid_socket) return ec;
        if (endpoint != nullptr) endpoint->resize(size);
        peer.assign(impl.protocol, fresh.get(), ec);
        if (!ec) fresh.release();
        return ec;
    }
    template <class Buffers>
    std::size_t send(implementation_type& impl, const Buffers& buffers, message_flags flags, error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return wait(impl, socket_base::wait_write, ec), 0;
        } else {
            native_buffers<boost::asio::const_buffer, Buffers> list(buffers);
            return socket_ops::sync_send(impl.socket, impl.state, list.buffers(), list.count(), flags,
                                         list.all_empty(), ec);
        }
    }
    template <class Buffers>
    std::size_t receive(implementation_type& impl, const Buffers& buffers, message_flags flags,
                        error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return wait(impl, socket_base::wait_read, ec), 0;
        } else {
            native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
            return socket_ops::sync_recv(impl.socket, impl.state, list.buffers(), list.count(), flags,
                                         list.all_empty(), ec);
        }
    }
    template <class Buffers>
    std::size_t send_to(implementation_type& impl, const Buffers& buffers, const endpoint_type& to,
                        message_flags flags, error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return wait(impl, socket_base::wait_write, ec), 0;
        } else {
            native_buffers<boost::asio::const_buffer, Buffers> list(buffers);
            return socket_ops::sync_sendto(impl.socket, impl.state, list.buffers(), list.count(), flags,
                                           to.data(), to.size(), ec);
        }
    }
    template <class Buffers>
    std::size_t receive_from(implementation_type& impl, const Buffers& buffers, endpoint_type& from,
                             message_flags flags, error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            from = endpoint_type();
            return wait(impl, socket_base::wait_read, ec), 0;
        } else {
            native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
            std::size_t size = from.capacity();
            const std::size_t count = socket_ops::sync_recvfrom(impl.socket, impl.state, list.buffers(),
                                                                list.count(), flags, from.data(), &size, ec);
            if (!ec) from.resize(size);
            return count;
        }
    }
    template <class Buffers>
    std::size_t receive_with_flags(implementation_type& impl, const Buffers& buffers, message_flags flags,
                                   message_flags& out_flags, error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            out_flags = 0;
            return wait(impl, socket_base::wait_read, ec), 0;
        } else {
            native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
            return socket_ops::sync_recvmsg(impl.socket, impl.state, list.buffers(), list.count(), flags,
                                            out_flags, ec);
        }
    }

    // The functions below start asynchronous operations.

    template <class Handler, class IoExecutor>
    void async_wait(implementation_type& impl, socket_base::wait_type what, Handler& handler,
                    const IoExecutor& executor) {
        error_code ec = ready(impl);
        const bool is_known = what == socket_base::wait_read || what == socket_base::wait_write ||
                              what == socket_base::wait_error;
        if (!is_known) ec = boost::asio::error::invalid_argument;
        start<wait_work>(impl, ec, handler, executor, what);
    }
    template <class Handler, class IoExecutor>
    void async_connect(implementation_type& impl, const endpoint_type& peer, Handler& handler,
                       const IoExecutor& executor) {
        error_code ec = ready(impl);
        bool is_done = true;
        if (!ec && socket_ops::connect(impl.socket, peer.data(), peer.size(), ec) != 0) {
            is_done = ec != boost::asio::error::in_progress && ec != boost::asio::error::would_block;
            if (!is_done) ec = {};
        }
        start_io<connect_work>({*core_, &impl}, impl.socket, is_done, ec, handler, executor);
    }
    template <class Socket, class Handler, class IoExecutor>
    void async_accept(implementation_type& impl, Socket& peer, endpoint_type* endpoint, Handler& handler,
                      const IoExecutor& executor) {
        const error_code ec = peer.is_open() ? boost::asio::error::already_open : ready(impl);
        start<accept_work<Protocol, Socket>>(impl, ec, handler, executor, impl.state, impl.protocol, endpoint,
                                             peer);
    }
    template <class PeerExecutor, class Handler, class IoExecutor>
    void async_move_accept(implementation_type& impl, const PeerExecutor& peers, endpoint_type* endpoint,
                           Handler& handler, const IoExecutor& executor) {
        start<move_accept_work<Protocol, PeerExecutor>>(impl, ready(impl), handler, executor, impl.state,
                                                        impl.protocol, endpoint, peers);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_send(implementation_type& impl, const Buffers& buffers, message_flags flags, Handler& handler,
                    const IoExecutor& executor) {
        transfer<send_work<Buffers>, boost::asio::const_buffer>(impl, buffers, handler, executor, buffers,
                                                                flags, impl.state);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_receive(implementation_type& impl, const Buffers& buffers, message_flags flags,
                       Handler& handler, const IoExecutor& executor) {
        transfer<receive_work<Buffers>, boost::asio::mutable_buffer>(impl, buffers, handler, executor,
                                                                     buffers, flags, impl.state);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_send_to(implementation_type& impl, const Buffers& buffers, const endpoint_type& to,
                       message_flags flags, Handler& handler, const IoExecutor& executor) {
        start<send_to_work<Buffers, endpoint_type>>(impl, ready(impl), handler, executor, buffers, to, flags);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_receive_from(implementation_type& impl, const Buffers& buffers, endpoint_type& from,
                            message_flags flags, Handler& handler, const IoExecutor& executor) {
        start<receive_from_work<Buffers, endpoint_type>>(impl, ready(impl), handler, executor, buffers, from,
                                                         flags);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_receive_with_flags(implementation_type& impl, const Buffers& buffers, message_flags flags,
                                  message_flags& out_flags, Handler& handler, const IoExecutor& executor) {
        start<receive_message_work<Buffers>>(impl, ready(impl), handler, executor, buffers, flags, out_flags);
    }

private:
    void take(implementation_type& impl, const protocol_type& protocol, native_handle_type native,
              unsigned state) noexcept {
        const int type = protocol.type();
        impl.socket = native;
        impl.protocol = protocol;
        if (type == SOCK_STREAM) state |= socket_ops::stream_oriented;
        if (type == SOCK_DGRAM) state |= socket_ops::datagram_oriented;
        impl.state = static_cast<socket_ops::state_type>(state);
    }

    void close(implementation_type& impl, bool is_destruction, error_code& ec) {
        if (!is_open(impl)) return;
        BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "socket", &impl, impl.socket, "close"));
        const auto close_socket = [state = impl.state, is_destruction](int fd, error_code& failure) mutable {
            socket_ops::close(fd, state, is_destruction, failure);
        };
        core_->close(impl.socket, (impl.state & socket_ops::possible_dup) != 0, ec, close_socket);
        impl = implementation_type();
    }

    /// Makes the socket non-blocking. Returns the error code of this change.
    error_code ready(implementation_type& impl) {
        error_code ec;
        if ((impl.state & socket_ops::non_blocking) == 0)
            socket_ops::set_internal_non_blocking(impl.socket, impl.state, true, ec);
        return ec;
    }

    template <class Work, class Handler, class IoExecutor, class... Arguments>
    void start(implementation_type& impl, const error_code& ec, Handler& handler, const IoExecutor& executor,
               Arguments&&... arguments) {
        start_io<Work>({*core_, &impl}, impl.socket, ec.failed(), ec, handler, executor,
                       std::forward<Arguments>(arguments)...);
    }

    template <class Work, class Buffer, class Buffers, class Handler, class IoExecutor, class... Arguments>
    void transfer(implementation_type& impl, const Buffers& buffers, Handler& handler,
                  const IoExecutor& executor, Arguments&&... arguments) {
        bool has_nothing_to_do = false;
        if constexpr (!is_null_buffers<Buffers>) {
            has_nothing_to_do = (impl.state & socket_ops::stream_oriented) != 0 &&
                                native_buffers<Buffer, Buffers>::all_empty(buffers);
        }
        const error_code ec = has_nothing_to_do ? error_code() : ready(impl);
        start_io<Work>({*core_, &impl}, impl.socket, has_nothing_to_do || ec.failed(), ec, handler, executor,
                       std::forward<Arguments>(arguments)...);
    }

    core* core_;
};

}  // namespace loopbench::asio::detail
