// Where a socket is: an IPv4 or IPv6 address with a port, or a path of a Unix socket.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace loopbench::loop {

class endpoint {
public:
    endpoint() = default;

    /// `address` in digits, IPv4 or IPv6; throws std::invalid_argument when it is neither.
    static endpoint ip(std::string_view address, std::uint16_t port);

    /// 127.0.0.1.
    static endpoint loopback(std::uint16_t port);

    /// A Unix socket; with a zero in front an abstract name, which needs no file. Throws
    /// std::invalid_argument when the path is empty or longer than the kernel takes (107; 108 with the zero).
    static endpoint unix_path(std::string_view path);

    /// From what the kernel filled in.
    endpoint(const sockaddr_storage& address, socklen_t bytes) noexcept : address_(address), bytes_(bytes) {}

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

}  // namespace loopbench::loop
