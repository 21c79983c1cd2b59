// The sockets of the generator, made as the contenders make theirs.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "bench/generator/link.hpp"

namespace loopbench::bench {

namespace {

loop::unique_fd connect_to(std::uint16_t port) {
    loop::unique_fd socket(loop::checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer.sin_port = htons(port);
    const int on = 1;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer) != 0 ||
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        loop::throw_errno("the generator cannot connect to the contender");
    return socket;
}

}  // namespace

std::vector<loop::unique_fd> connect_to(std::uint16_t port, std::size_t connections) {
    std::vector<loop::unique_fd> sockets;
    while (sockets.size() < connections) sockets.push_back(connect_to(port));
    return sockets;
}

}  // namespace loopbench::bench
