// The generator's connections to its server, with the cheapest calls that this kernel has.
//
// On loopback a send also does the receiver's half of TCP, and wakes the receiver, so sends cannot be made
// much cheaper; everything else can. With io_uring, requests that are due together enter the kernel in one
// call, which also collects what has arrived. Replies are found in memory that is shared with the kernel, so
// looking for them takes no call. The kernel receives without a new request for each reply (multishot).
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

/// Connections to a server. For one thread.
class link {
public:
    /// A receiver of each connection's bytes, in order, in pieces of any size. A piece is valid only during
    /// the call.
    class reader {
    public:
        virtual void arrived(std::size_t connection, std::span<const std::byte> piece) = 0;

    protected:
        ~reader() = default;
    };

    virtual ~link() = default;

    /// Sends now, or with the next exchange(): the bytes must stay valid until the server has answered.
    /// Returns false if the connection takes no more for now.
    virtual bool send(std::size_t connection, std::span<const std::byte> bytes) = 0;

    /// Sends what is queued, and looks for what has arrived.
    virtual void exchange() = 0;

    /// Passes on what the last exchange() has found. Returns false if a connection ended.
    virtual bool receive(reader& to) = 0;

    virtual std::string_view name() const noexcept = 0;
};

/// Connects sockets with TCP_NODELAY, like the contenders' own connections. Throws std::system_error.
std::vector<loop::unique_fd> connect_to(const loop::endpoint& server, std::size_t connections);

/// Returns a link that uses io_uring. Throws std::system_error, with the cause and the remedy, if the kernel
/// refuses it.
std::unique_ptr<link> make_uring_link(std::vector<loop::unique_fd> sockets);

/// Returns a link that makes one call for each request and each reply; exchange() sleeps for up to `patience`
/// while nothing has arrived. Throws std::system_error.
std::unique_ptr<link> make_epoll_link(std::vector<loop::unique_fd> sockets,
                                      std::chrono::milliseconds patience);

}  // namespace loopbench::bench
