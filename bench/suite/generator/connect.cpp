// Opens the generator's sockets in the same way as contenders open theirs.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "bench/suite/generator/link.hpp"

namespace loopbench::bench {

namespace {

loop::unique_fd connected_socket(const loop::endpoint& server) {
    loop::unique_fd socket(loop::checked(::socket(server.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    const int on = 1;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&server.address()), server.bytes()) != 0 ||
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        loop::throw_errno("the generator cannot connect to the contender at " + server.to_string());
    return socket;
}

}  // namespace

std::vector<loop::unique_fd> connect_to(const loop::endpoint& server, std::size_t connections) {
    std::vector<loop::unique_fd> sockets;
    while (sockets.size() < connections) sockets.push_back(connected_socket(server));
    return sockets;
}

}  // namespace loopbench::bench
