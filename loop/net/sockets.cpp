#include "loop/net/sockets.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace loopbench::loop {

namespace {

template <class Address>
Address read(const sockaddr_storage& storage) noexcept {
    Address address;
    std::memcpy(&address, &storage, sizeof address);
    return address;
}

}  // namespace

endpoint::endpoint(const void* address, std::size_t bytes) noexcept
    : bytes_(static_cast<socklen_t>(std::min(bytes, sizeof address_))) {
    std::memcpy(&address_, address, bytes_);
}

endpoint endpoint::ip(std::string_view text, std::uint16_t port) {
    const std::string address(text);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) return {&v4, sizeof v4};
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) return {&v6, sizeof v6};
    throw std::invalid_argument(
        "'" + address + "' is neither an IPv4 nor an IPv6 address; resolve host names to addresses first");
}

endpoint endpoint::unix_path(std::string_view path) {
    sockaddr_un address{};
    // A path ends with a zero byte; an abstract name begins with a zero byte (unix(7)).
    const std::size_t terminator = path.starts_with('\0') ? 0 : 1;
    if (path.empty() || path.size() + terminator > sizeof address.sun_path) {
        throw std::invalid_argument("the path of a Unix socket has " + std::to_string(path.size()) +
                                    " characters; expected 1 to " +
                                    std::to_string(sizeof address.sun_path - terminator));
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return {&address, offsetof(sockaddr_un, sun_path) + path.size() + terminator};
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
        // The path is limited by the address's size, because the kernel may fill the whole of sun_path,
        // without a zero byte at the end.
        const std::size_t bytes = bytes_ - std::min<std::size_t>(bytes_, offsetof(sockaddr_un, sun_path));
        std::string name(local.sun_path, std::min(bytes, sizeof local.sun_path));
        if (name.starts_with('\0')) return "@" + name.substr(1);
        return name.substr(0, name.find('\0'));
    }
    return "unknown";
}

namespace {

unique_fd open_socket(int family, int type) {
    return unique_fd(checked(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
}

void bind_to(int fd, const endpoint& local) {
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&local.address()), local.bytes()) == 0) return;
    const int error = errno;
    const char* remedy = "";
    if (error == EADDRINUSE) {
        remedy = local.family() == AF_UNIX
                     ? " (another program uses this file, or did not remove it when it ended; remove the "
                       "file if no program uses it, or choose another path)"
                     : " (another program uses the port; choose another port, or 0 for any free one)";
    }
    throw_errno("bind to " + local.to_string() + " failed" + remedy, error);
}

template <class Call>
endpoint ask_endpoint(int fd, Call call, const char* what) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    checked(call(fd, reinterpret_cast<sockaddr*>(&address), &bytes), what);
    return {&address, bytes};
}

}  // namespace

namespace {

unique_fd open_bound(const endpoint& local, bool shares_port) {
    unique_fd fd = open_socket(local.family(), SOCK_STREAM);
    // A requested port might still have connections in TIME_WAIT; then bind(2) fails without SO_REUSEADDR.
    const int on = 1;
    if (local.port() != 0)
        checked(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "setsockopt SO_REUSEADDR");
    if (shares_port)
        checked(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), "setsockopt SO_REUSEPORT");
    bind_to(fd.get(), local);
    return fd;
}

void start_listening(int fd) {
    checked(::listen(fd, listen_backlog), "listen");
}

}  // namespace

unique_fd open_listener(const endpoint& local) {
    unique_fd fd = open_bound(local, /*shares_port=*/false);
    start_listening(fd.get());
    return fd;
}

std::vector<unique_fd> open_shared_listeners(const endpoint& local, std::size_t count) {
    std::vector<unique_fd> sockets;
    endpoint chosen = local;
    if (local.port() == 0) {
        // The kernel chooses the port for the first socket, which keeps it until the others have it, too.
        sockets.push_back(open_bound(local, /*shares_port=*/true));
        chosen = local_endpoint(sockets.front().get());
    } else {
        // A socket without SO_REUSEPORT finds out whether another program uses the port; otherwise, the two
        // programs would share the connections.
        open_bound(local, /*shares_port=*/false);
    }
    while (sockets.size() < count) sockets.push_back(open_bound(chosen, /*shares_port=*/true));
    for (const unique_fd& each : sockets) start_listening(each.get());
    return sockets;
}

unique_fd open_stream(int family) {
    return open_socket(family, SOCK_STREAM);
}

unique_fd open_datagram(const endpoint& local) {
    unique_fd fd = open_socket(local.family(), SOCK_DGRAM);
    if (local.bytes() != 0) bind_to(fd.get(), local);
    return fd;
}

void set_no_delay(int fd) {
    const int on = 1;
    if (::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0) return;
    // The errors EOPNOTSUPP and ENOPROTOOPT are ignored, because a Unix socket does not have this option.
    if (errno != EOPNOTSUPP && errno != ENOPROTOOPT) throw_failed("setsockopt TCP_NODELAY");
}

endpoint local_endpoint(int fd) {
    return ask_endpoint(fd, ::getsockname, "getsockname");
}
endpoint remote_endpoint(int fd) {
    return ask_endpoint(fd, ::getpeername, "getpeername");
}

}  // namespace loopbench::loop
