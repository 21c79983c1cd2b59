// All sockets are non-blocking and close-on-exec.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::loop {

class endpoint {
public:
    endpoint() = default;

    /// Returns the endpoint of a numeric IPv4 or IPv6 address. Throws std::invalid_argument if `address` is
    /// not numeric.
    static endpoint ip(std::string_view address, std::uint16_t port);

    static endpoint loopback(std::uint16_t port) { return ip("127.0.0.1", port); }

    /// Returns the endpoint of a Unix socket. A path that starts with a zero byte is an abstract name, which
    /// needs no file. Throws std::invalid_argument if the path is empty or longer than 107 bytes (108 bytes
    /// for an abstract name, including its zero byte).
    static endpoint unix_path(std::string_view path);

    endpoint(const void* address, std::size_t bytes) noexcept;

    int family() const noexcept { return address_.ss_family; }
    std::uint16_t port() const noexcept;
    std::string to_string() const;  // "127.0.0.1:80", "[::1]:80", the path, or "@name"

    sockaddr_storage& address() noexcept { return address_; }
    const sockaddr_storage& address() const noexcept { return address_; }
    socklen_t bytes() const noexcept { return bytes_; }

private:
    sockaddr_storage address_{};
    socklen_t bytes_ = 0;
};

/// The maximum number of connections that wait for accept(); the kernel caps it at net.core.somaxconn.
inline constexpr int listen_backlog = 4096;

/// Opens a listening socket, with SO_REUSEADDR unless the kernel chooses the port. Throws a std::system_error
/// that names the endpoint and the remedy.
unique_fd open_listener(const endpoint& local);

/// Opens `count` TCP listening sockets on one port (SO_REUSEPORT). The kernel chooses the socket of each new
/// connection by a hash of the addresses and ports. If a socket is closed, the connections that wait in it
/// are lost. Throws a std::system_error that names the endpoint and the remedy, also if another program uses
/// the port with SO_REUSEPORT.
std::vector<unique_fd> open_shared_listeners(const endpoint& local, std::size_t count);

/// Opens an unconnected stream socket of the address family. Throws std::system_error.
unique_fd open_stream(int family);

/// Opens a datagram socket and binds it to `local`. If `local` has only a family and no address, the socket
/// stays unbound.
unique_fd open_datagram(const endpoint& local);

/// Sets TCP_NODELAY on a TCP socket; otherwise, Nagle's algorithm and delayed acknowledgements can delay a
/// reply by 40 ms.
void set_no_delay(int fd);

endpoint local_endpoint(int fd);
endpoint remote_endpoint(int fd);

}  // namespace loopbench::loop
