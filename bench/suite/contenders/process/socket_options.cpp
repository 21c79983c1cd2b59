#include "bench/suite/contenders/process/socket_options.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace loopbench::bench {

namespace {

struct option {
    std::string_view name;
    int level;
    int number;
};

constexpr std::array number_options{
    option{"TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY},
    option{"TCP_QUICKACK", IPPROTO_TCP, TCP_QUICKACK},
    option{"TCP_CORK", IPPROTO_TCP, TCP_CORK},
    option{"TCP_NOTSENT_LOWAT", IPPROTO_TCP, TCP_NOTSENT_LOWAT},
    option{"SO_SNDBUF", SOL_SOCKET, SO_SNDBUF},
    option{"SO_RCVBUF", SOL_SOCKET, SO_RCVBUF},
    option{"SO_RCVLOWAT", SOL_SOCKET, SO_RCVLOWAT},
    option{"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE},
    option{"SO_BUSY_POLL", SOL_SOCKET, SO_BUSY_POLL},
    option{"SO_PRIORITY", SOL_SOCKET, SO_PRIORITY},
    option{"SO_ZEROCOPY", SOL_SOCKET, SO_ZEROCOPY},
};

std::string error_text() {
    const char* const name = ::strerrorname_np(errno);
    return name != nullptr ? name : "error";
}

std::string number_of(int fd, const option& each) {
    int value = 0;
    socklen_t bytes = sizeof(value);
    return ::getsockopt(fd, each.level, each.number, &value, &bytes) == 0 ? std::to_string(value)
                                                                          : error_text();
}

std::string linger_of(int fd) {
    linger value{};
    socklen_t bytes = sizeof(value);
    if (::getsockopt(fd, SOL_SOCKET, SO_LINGER, &value, &bytes) != 0) return error_text();
    return value.l_onoff == 0 ? "off" : std::to_string(value.l_linger);
}

std::string congestion_of(int fd) {
    std::array<char, 16> name{};  // 16 is the kernel's TCP_CA_NAME_MAX
    socklen_t bytes = name.size();
    if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes) != 0) return error_text();
    return {name.data(), ::strnlen(name.data(), name.size())};
}

}  // namespace

std::string options_of_socket(int fd) {
    std::string text;
    for (const option& each : number_options) text += fmt::format("{}={} ", each.name, number_of(fd, each));
    return text + fmt::format("SO_LINGER={} TCP_CONGESTION={}", linger_of(fd), congestion_of(fd));
}

std::string options_of_connection(int client, int server) {
    return fmt::format("client {}; server {}", options_of_socket(client), options_of_socket(server));
}

}  // namespace loopbench::bench
