// Opens the sockets of the floors, outside the timed section. The sockets are Unix sockets, or TCP sockets
// over 127.0.0.1 with the same options as in every contender: TCP_NODELAY on both ends, and no other option.
#pragma once

#include <cstddef>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a connection, in one process. The sockets are blocking. Floors that must not block in a call
/// pass MSG_DONTWAIT.
struct connection {
    loop::unique_fd client;
    loop::unique_fd server;
};

/// Opens `count` TCP connections over loopback. Throws std::system_error with the call that failed.
std::vector<connection> connect_over_loopback(std::size_t count);

/// Opens `count` pairs of Unix sockets with socketpair(2). A pair is equivalent to two sockets that were
/// connected through a path. Throws std::system_error with the call that failed.
std::vector<connection> connect_over_unix_sockets(std::size_t count);

}  // namespace loopbench::bench::floors
