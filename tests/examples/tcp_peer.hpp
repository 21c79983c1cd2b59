#pragma once

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::tests {

class tcp_peer {
public:
    explicit tcp_peer(loop::unique_fd socket) : socket_(std::move(socket)) {}

    static tcp_peer connected_to(std::uint16_t port) {
        loop::unique_fd socket(loop::checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        const auto where = loop::endpoint::loopback(port);
        loop::checked(
            ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where.address()), where.bytes()),
            "connect");
        return tcp_peer(std::move(socket));
    }

    void send(std::string_view text) const {
        loop::checked(static_cast<int>(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL)),
                      "send");
    }

    /// Sends the text, and waits until the peer's kernel has acknowledged all bytes.
    void deliver(std::string_view text) const {
        send(text);
        for (int on_their_way = 1; on_their_way != 0; std::this_thread::yield())
            loop::checked(::ioctl(socket_.get(), SIOCOUTQ, &on_their_way), "SIOCOUTQ");
    }

    std::string receive(std::size_t bytes) const {
        std::string text(bytes, '\0');
        const auto count = ::recv(socket_.get(), text.data(), bytes, MSG_WAITALL);
        text.resize(static_cast<std::size_t>(loop::checked(static_cast<int>(count), "recv")));
        return text;
    }

    std::uint16_t port() const { return loop::local_endpoint(socket_.get()).port(); }

    void reset() {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        socket_.reset();
    }

    void close() { socket_.reset(); }

private:
    loop::unique_fd socket_;
};

}  // namespace loopbench::tests
