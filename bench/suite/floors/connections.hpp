// The sockets of the floors are opened outside the timed section. TCP sockets have the same options as in
// every contender: TCP_NODELAY on both ends, and no other option.
#pragma once

#include <cstddef>
#include <vector>

#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::floors {

/// The two ends of a connection. The sockets are blocking; floors that must not block pass MSG_DONTWAIT.
struct connection {
    loop::unique_fd client;
    loop::unique_fd server;
};

/// Opens a client's TCP socket that is connected to the server. Throws std::system_error.
loop::unique_fd connect_to(const loop::endpoint& server);

/// Opens `count` TCP connections over loopback. Throws std::system_error.
std::vector<connection> connect_over_loopback(std::size_t count);

/// Opens `count` pairs of connected Unix sockets. Throws std::system_error.
std::vector<connection> connect_over_unix_sockets(std::size_t count);

}  // namespace loopbench::bench::floors
