#include "bench/harness/machine/address.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

std::optional<std::string> why_no_server_on(const std::string& address) {
    addrinfo wanted{};
    wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (::getaddrinfo(address.c_str(), "0", &wanted, &list) != 0) return "the text is not an IP address";
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found{list, ::freeaddrinfo};
    const reports::unique_fd listener{
        ::socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol)};
    if (!listener || ::bind(listener.get(), found->ai_addr, found->ai_addrlen) != 0 ||
        ::listen(listener.get(), 1) != 0)
        return std::strerror(errno);
    return std::nullopt;
}

}  // namespace loopbench::bench
