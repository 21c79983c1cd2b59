#pragma once

#include <sys/socket.h>

#include <array>

#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::loop::test {

/// A listener with a full backlog. Connects to this listener stay pending, because the kernel drops further
/// connection requests.
struct full_listener {
    full_listener() {
        fd = unique_fd(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        endpoint any = endpoint::loopback(0);
        checked(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any.address()), any.bytes()), "bind");
        checked(::listen(fd.get(), 0), "listen");
        address = local_endpoint(fd.get());
        for (unique_fd& one : fillers) {
            one = open_stream(AF_INET);
            static_cast<void>(
                ::connect(one.get(), reinterpret_cast<const sockaddr*>(&address.address()), address.bytes()));
        }
    }

    unique_fd fd;
    endpoint address;
    std::array<unique_fd, 2> fillers;
};

}  // namespace loopbench::loop::test
