// The generator's connections to its server, with the cheapest system calls that the kernel offers.
//
// On loopback, the system call that sends also does the receiver's half of TCP and wakes the receiver, so a
// send cannot be made much cheaper. With io_uring, one system call sends all requests that are due and
// collects the received data. The check for replies needs no system call, because replies appear in memory
// that the kernel shares with the generator.
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

/// A group of connections between the generator and its server. Only one thread at a time can use a link.
class link {
public:
    /// A receiver of the replies. The bytes of each connection arrive in order, in pieces of any size. A
    /// piece is valid only during the call of arrived().
    class reader {
    public:
        virtual void arrived(std::size_t connection, std::span<const std::byte> piece) = 0;

    protected:
        ~reader() = default;
    };

    virtual ~link() = default;

    /// Sends `bytes` now, or during the next exchange(). The bytes must stay valid until the server has
    /// answered. Returns false if the connection accepts no more data now.
    virtual bool send(std::size_t connection, std::span<const std::byte> bytes) = 0;

    virtual void exchange() = 0;

    virtual bool receive(reader& to) = 0;

    virtual std::string_view name() const noexcept = 0;
};

/// Opens connections with TCP_NODELAY, as on the contenders' own connections. Throws std::system_error.
std::vector<loop::unique_fd> connect_to(const loop::endpoint& server, std::size_t connections);

/// Returns a link that uses io_uring. Throws std::system_error with the cause and the remedy if the kernel
/// refuses io_uring.
std::unique_ptr<link> make_uring_link(std::vector<loop::unique_fd> sockets);

/// Returns a link that uses epoll, with one system call for each request and each reply. exchange() sleeps
/// for up to `patience` if no data has arrived. Throws std::system_error.
std::unique_ptr<link> make_epoll_link(std::vector<loop::unique_fd> sockets,
                                      std::chrono::milliseconds patience);

}  // namespace loopbench::bench
