// The generator's connections to its server, and the bytes on them, by whichever calls are cheapest here.
//
// On loopback a send does the receiver's half of TCP as well, and wakes it, so that sends cannot be made much
// cheaper; all the rest can. By io_uring, requests that are due together go with one entry into the kernel,
// which also takes in what has come; replies are found in memory that is shared with the kernel, so that
// looking for them takes no call; and the kernel receives without being asked each time (multishot).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench {

/// One thread.
class link {
public:
    /// What has come on a connection, in order, in pieces of any size; gone when it returns.
    class reader {
    public:
        virtual void arrived(std::size_t connection, std::span<const std::byte> piece) = 0;

    protected:
        ~reader() = default;
    };

    virtual ~link() = default;

    /// Sends now, or with the next exchange(): the bytes stay where they are until the server has answered.
    /// False when the connection takes no more for now.
    virtual bool send(std::size_t connection, std::span<const std::byte> bytes) = 0;

    /// Sends what is left to be sent, and looks for what has come.
    virtual void exchange() = 0;

    /// Hands over what the last exchange() has found. False when a connection ended.
    virtual bool receive(reader& to) = 0;

    virtual std::string_view name() const noexcept = 0;
};

/// Non-blocking from when they are connected; TCP_NODELAY, as the contenders' own connections. Throws
/// std::system_error.
std::vector<loop::unique_fd> connect_to(const loop::endpoint& server, std::size_t connections);

/// Throws std::system_error, with the cause and the remedy when the kernel refuses io_uring.
std::unique_ptr<link> make_uring_link(std::vector<loop::unique_fd> sockets);

/// By a call for each request and each reply; exchange() sleeps for so long while nothing has come.
/// Throws std::system_error.
std::unique_ptr<link> make_epoll_link(std::vector<loop::unique_fd> sockets,
                                      std::chrono::milliseconds patience);

}  // namespace loopbench::bench
