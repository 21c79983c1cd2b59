#include "bench/suite/floors/connections.hpp"

#include <sys/socket.h>

#include <array>
#include <utility>

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::endpoint;
using loop::unique_fd;

unique_fd open_socket() {
    return unique_fd(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
}

void bind_and_listen(int fd) {
    const endpoint any_port = endpoint::loopback(0);
    checked(::bind(fd, reinterpret_cast<const sockaddr*>(&any_port.address()), any_port.bytes()),
            "bind to 127.0.0.1");
    checked(::listen(fd, loop::listen_backlog), "listen on 127.0.0.1");
}

}  // namespace

unique_fd connect_to(const endpoint& server) {
    unique_fd client = open_socket();
    checked(::connect(client.get(), reinterpret_cast<const sockaddr*>(&server.address()), server.bytes()),
            "connect to 127.0.0.1");
    loop::set_no_delay(client.get());
    return client;
}

std::vector<connection> connect_over_loopback(std::size_t count) {
    const unique_fd listener = open_socket();
    bind_and_listen(listener.get());
    const endpoint server = loop::local_endpoint(listener.get());
    std::vector<connection> connections;
    connections.reserve(count);
    while (connections.size() < count) {
        connection made{.client = connect_to(server), .server = {}};
        made.server.reset(checked(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept"));
        loop::set_no_delay(made.server.get());
        connections.push_back(std::move(made));
    }
    return connections;
}

std::vector<connection> connect_over_unix_sockets(std::size_t count) {
    std::vector<connection> connections;
    connections.reserve(count);
    while (connections.size() < count) {
        std::array<int, 2> fds{};
        checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), "socketpair");
        connections.push_back({.client = unique_fd(fds[0]), .server = unique_fd(fds[1])});
    }
    return connections;
}

}  // namespace loopbench::bench::floors
