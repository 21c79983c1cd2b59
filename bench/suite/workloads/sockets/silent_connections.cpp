#include "bench/suite/workloads/sockets/silent_connections.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace loopbench::bench::workloads::detail {

namespace {

constexpr std::uint32_t connections_per_address = 10'000;

sockaddr_in loopback(std::uint32_t host, std::uint16_t port) noexcept {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + host);
    address.sin_port = htons(port);
    return address;
}

const sockaddr* generic(const sockaddr_in& address) noexcept {
    return reinterpret_cast<const sockaddr*>(&address);
}

/// Opens a connection that stays open until the process ends. Returns 0 or an errno.
int connect_silently(std::uint32_t number, std::uint16_t port) noexcept {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return errno;
    const int on = 1;
    const linger reset{.l_onoff = 1, .l_linger = 0};
    const sockaddr_in local = loopback(1 + number / connections_per_address, 0);
    const sockaddr_in peer = loopback(0, port);
    // With IP_BIND_ADDRESS_NO_PORT, the kernel chooses the port when it knows the peer. Connections to other
    // peers can then use the same port.
    const bool connected = ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) == 0 &&
                           ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) == 0 &&
                           ::bind(fd, generic(local), sizeof local) == 0 &&
                           ::connect(fd, generic(peer), sizeof peer) == 0;
    return connected ? 0 : errno;
}

/// Opens connections on request, and holds them. This function runs in the child process, so it makes only
/// calls that are allowed after a fork.
[[noreturn]] void hold_connections(int channel) noexcept {
    std::uint32_t number = 0;
    for (std::uint16_t port = 0; ::read(channel, &port, sizeof port) == sizeof port;) {
        int error = 0;
        for (std::size_t i = 0; i < silent_peers::at_a_time && error == 0; ++i)
            error = connect_silently(number++, port);
        if (::write(channel, &error, sizeof error) != sizeof error) break;
    }
    ::_exit(0);
}

[[noreturn]] void throw_error(int error, const char* what) {
    throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

silent_peers::silent_peers() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw_error(errno, "socketpair failed");
    process_ = ::fork();
    if (process_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::close(ends[0]);
        hold_connections(ends[1]);
    }
    const int error = errno;
    ::close(ends[1]);
    channel_ = ends[0];
    if (process_ < 0) {
        ::close(channel_);
        throw_error(error, "fork failed");
    }
}

void silent_peers::connect(std::uint16_t port) {
    int error = 0;
    if (::send(channel_, &port, sizeof port, MSG_NOSIGNAL) != sizeof port ||
        ::read(channel_, &error, sizeof error) != sizeof error)
        throw_error(EPIPE, "the process that holds the clients has ended");
    if (error != 0)
        throw_error(error,
                    "a silent client cannot connect (raise the limit on open files with `ulimit -n`, set "
                    "net.ipv4.ip_local_port_range to more than 10,000 ports, and make sure that 127.0.0.0/8 "
                    "is the loopback network)");
}

void silent_peers::end() noexcept {
    if (process_ < 0) return;
    ::close(channel_);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
}

bool machine_lacks(const std::error_code& error) noexcept {
    return error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system ||
           error == std::errc::address_not_available;
}

}  // namespace loopbench::bench::workloads::detail
