// Opens the sockets of the floors, outside the timed section. TCP sockets have the same options as in every
// contender: TCP_NODELAY on both ends, and no other option.
#pragma once

#include <cstddef>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a connection. The sockets are blocking; floors that must not block pass MSG_DONTWAIT.
struct connection {
    loop::unique_fd client;
    loop::unique_fd server;
};

/// Throws std::system_error.
std::vector<connection> connect_over_loopback(std::size_t count);

/// Throws std::system_error.
std::vector<connection> connect_over_unix_sockets(std::size_t count);

}  // namespace loopbench::bench::floors
