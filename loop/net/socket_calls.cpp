#include "loop/net/socket_calls.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <csignal>

#include "loop/system_error.hpp"

namespace loopbench::loop {

namespace {

unique_fd open_socket(int family, int type) {
    return unique_fd(checked(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
}

void set_option(int fd, int level, int option, const char* what) {
    const int on = 1;
    checked(::setsockopt(fd, level, option, &on, sizeof on), what);
}

const sockaddr* address_of(const endpoint& e) noexcept {
    return reinterpret_cast<const sockaddr*>(&e.address());
}

void bind_to(int fd, const endpoint& local) {
    if (::bind(fd, address_of(local), local.bytes()) == 0) return;
    const int error = errno;
    const char* remedy = "";
    if (error == EADDRINUSE) {
        remedy = local.family() == AF_UNIX ? ": another program has it, or has left the file behind; remove "
                                             "the file, or choose another path"
                                           : ": another program has it; choose another, or port 0 for any";
    }
    throw_errno("bind to " + local.to_string() + remedy, error);
}

template <class Call>
endpoint ask_endpoint(int fd, Call call, const char* what) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    checked(call(fd, reinterpret_cast<sockaddr*>(&address), &bytes), what);
    return {address, bytes};
}

}  // namespace

unique_fd open_listener(const endpoint& local) {
    unique_fd fd = open_socket(local.family(), SOCK_STREAM);
    // A port that the kernel chooses is free; one that was asked for may still be in TIME_WAIT.
    if (local.port() != 0) set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, "setsockopt SO_REUSEADDR");
    bind_to(fd.get(), local);
    checked(::listen(fd.get(), listen_backlog), "listen");
    return fd;
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
    if (errno != EOPNOTSUPP && errno != ENOPROTOOPT)
        throw_errno("setsockopt TCP_NODELAY");  // a Unix socket has none
}

void set_non_blocking(int fd) {
    const int flags = checked(::fcntl(fd, F_GETFL), "fcntl F_GETFL");
    checked(::fcntl(fd, F_SETFL, flags | O_NONBLOCK), "fcntl F_SETFL O_NONBLOCK");
}

void ignore_sigpipe() {
    if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) throw_errno("signal SIGPIPE");
}

endpoint local_endpoint(int fd) {
    return ask_endpoint(fd, ::getsockname, "getsockname");
}
endpoint remote_endpoint(int fd) {
    return ask_endpoint(fd, ::getpeername, "getpeername");
}

}  // namespace loopbench::loop
