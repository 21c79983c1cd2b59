// The system calls that make and set up sockets. Every socket is non-blocking and close-on-exec.
#pragma once

#include "loop/net/endpoint.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::loop {

/// How many connections may wait for accept() at the most; the kernel caps it at net.core.somaxconn.
inline constexpr int listen_backlog = 4096;

/// A listening stream socket; with SO_REUSEADDR when a port is asked for, and not left to the kernel. Throws
/// std::system_error naming the endpoint and the remedy.
unique_fd open_listener(const endpoint& local);

/// An unconnected stream socket of the family.
unique_fd open_stream(int family);

/// A bound datagram socket; an endpoint without an address (family only) leaves it unbound.
unique_fd open_datagram(const endpoint& local);

/// TCP_NODELAY, where the socket is one of TCP. Small messages go out at once: without it, Nagle's algorithm
/// and delayed acknowledgements can hold a reply for 40 ms.
void set_no_delay(int fd);

/// O_NONBLOCK, for descriptors that we did not make (pipes, standard input).
void set_non_blocking(int fd);

/// A peer that is gone is an error (EPIPE), not the end of the process. Sockets ask for that call by call;
/// pipes cannot.
void ignore_sigpipe();

endpoint local_endpoint(int fd);
endpoint remote_endpoint(int fd);

}  // namespace loopbench::loop
