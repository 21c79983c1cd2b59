// Where a socket is, and the system calls that make one: non-blocking and close-on-exec.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string_view>

#include "loop/io/fd.hpp"

namespace loopbench::loop {

/// An IPv4 or IPv6 address with a port, or a path of a Unix socket.
class endpoint {
public:
    endpoint() = default;

    /// `address` in digits, IPv4 or IPv6; throws std::invalid_argument when it is neither.
    static endpoint ip(std::string_view address, std::uint16_t port);

    static endpoint loopback(std::uint16_t port) { return ip("127.0.0.1", port); }

    /// A Unix socket; with a zero in front an abstract name, which needs no file. Throws
    /// std::invalid_argument when the path is empty or longer than the kernel takes (107; 108 with the zero).
    static endpoint unix_path(std::string_view path);

    /// A copy of a sockaddr, of which the kernel says how long it is.
    endpoint(const void* address, std::size_t bytes) noexcept;

    int family() const noexcept { return address_.ss_family; }
    std::uint16_t port() const noexcept;  // 0 when it has none
    std::string to_string() const;        // "127.0.0.1:80", "[::1]:80", the path, or "@name"

    sockaddr_storage& address() noexcept { return address_; }
    const sockaddr_storage& address() const noexcept { return address_; }
    socklen_t bytes() const noexcept { return bytes_; }

private:
    sockaddr_storage address_{};
    socklen_t bytes_ = 0;
};

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

endpoint local_endpoint(int fd);
endpoint remote_endpoint(int fd);

}  // namespace loopbench::loop
