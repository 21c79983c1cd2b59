// The sockets of the echo floors, made outside of what is timed: TCP over 127.0.0.1 with the options of every
// contender (TCP_NODELAY on both ends, nothing else), or Unix sockets.
#pragma once

#include <cstddef>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends, in one process. The sockets are blocking: a floor that must not wait says so call by call.
struct connection {
    loop::unique_fd client;
    loop::unique_fd server;
};

/// Throws std::system_error with the call that failed.
std::vector<connection> connect_over_loopback(std::size_t count);

/// By socketpair(2): what two sockets are, once they have met at a path. Throws as above.
std::vector<connection> connect_over_unix_sockets(std::size_t count);

}  // namespace loopbench::bench::floors
