#include "loop/net/endpoint.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace loopbench::loop {

namespace {

template <class Address>
endpoint make(const Address& address, std::size_t bytes = sizeof(Address)) noexcept {
    sockaddr_storage storage{};
    std::memcpy(&storage, &address, sizeof address);
    return {storage, static_cast<socklen_t>(bytes)};
}

template <class Address>
Address read(const sockaddr_storage& storage) noexcept {
    Address address;
    std::memcpy(&address, &storage, sizeof address);
    return address;
}

}  // namespace

endpoint endpoint::ip(std::string_view text, std::uint16_t port) {
    const std::string address(text);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) return make(v4);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) return make(v6);
    throw std::invalid_argument("'" + address +
                                "' is neither an IPv4 nor an IPv6 address; resolve names first");
}

endpoint endpoint::loopback(std::uint16_t port) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return make(v4);
}

endpoint endpoint::unix_path(std::string_view path) {
    sockaddr_un address{};
    // A path ends with a zero; an abstract name begins with one, and its length is the address's (unix(7)).
    const std::size_t terminator = path.starts_with('\0') ? 0 : 1;
    if (path.empty() || path.size() + terminator > sizeof address.sun_path) {
        throw std::invalid_argument("the path of a Unix socket has 1 to " +
                                    std::to_string(sizeof address.sun_path - terminator) +
                                    " characters; this one has " + std::to_string(path.size()));
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return make(address, offsetof(sockaddr_un, sun_path) + path.size() + terminator);
}

std::uint16_t endpoint::port() const noexcept {
    if (family() == AF_INET) return ntohs(read<sockaddr_in>(address_).sin_port);
    if (family() == AF_INET6) return ntohs(read<sockaddr_in6>(address_).sin6_port);
    return 0;
}

std::string endpoint::to_string() const {
    char text[INET6_ADDRSTRLEN] = "";
    if (family() == AF_INET) {
        const auto v4 = read<sockaddr_in>(address_);
        ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        return std::string(text) + ":" + std::to_string(port());
    }
    if (family() == AF_INET6) {
        const auto v6 = read<sockaddr_in6>(address_);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        return "[" + std::string(text) + "]:" + std::to_string(port());
    }
    if (family() == AF_UNIX) {
        const auto local = read<sockaddr_un>(address_);
        // The kernel may fill all of sun_path, without a zero at the end; an unnamed socket has no path at
        // all.
        const std::size_t bytes = bytes_ - std::min<std::size_t>(bytes_, offsetof(sockaddr_un, sun_path));
        std::string name(local.sun_path, std::min(bytes, sizeof local.sun_path));
        if (name.starts_with('\0')) return "@" + name.substr(1);
        return name.substr(0, name.find('\0'));
    }
    return "unknown";
}

}  // namespace loopbench::loop
