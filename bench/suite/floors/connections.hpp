// The sockets of the floors, which are opened outside the timed section. They are Unix sockets, or TCP
// sockets over 127.0.0.1 with the options that every contender sets: TCP_NODELAY on both ends, nothing else.
#pragma once

#include <cstddef>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a connection, in one process. The sockets are blocking. An echo floor that must not wait
/// passes MSG_DONTWAIT in each call.
struct connection {
    loop::unique_fd client;
    loop::unique_fd server;
};

/// Opens `count` TCP connections over loopback. Throws std::system_error with the call that failed.
std::vector<connection> connect_over_loopback(std::size_t count);

/// Opens `count` pairs of Unix sockets with socketpair(2). Such a pair is equivalent to two sockets that were
/// connected through a path. Throws std::system_error with the call that failed.
std::vector<connection> connect_over_unix_sockets(std::size_t count);

}  // namespace loopbench::bench::floors
