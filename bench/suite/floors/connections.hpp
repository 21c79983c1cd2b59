// The sockets of the echo floors, made outside the timed section: TCP over 127.0.0.1 with the options of
// every contender (TCP_NODELAY on both ends, nothing else), or Unix sockets.
#pragma once

#include <cstddef>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a connection, in one process. The sockets are blocking; a floor that must not wait passes a
/// flag in each call.
struct connection {
    loop::unique_fd client;
    loop::unique_fd server;
};

/// Connects pairs over TCP. Throws std::system_error with the call that failed.
std::vector<connection> connect_over_loopback(std::size_t count);

/// Connects pairs with socketpair(2), which equals two sockets that have met at a path. Throws as above.
std::vector<connection> connect_over_unix_sockets(std::size_t count);

}  // namespace loopbench::bench::floors
