// An I/O operation: started once, completed with a result. Drivers see nothing else.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "loop/operation.hpp"

namespace loopbench::loop {

enum class io_kind : std::uint8_t {
    receive,       // from a stream socket
    send,          // to a stream socket; never raises SIGPIPE
    read,          // from anything else: a pipe, a terminal
    write,         // to the same
    receive_from,  // a datagram, with its sender's address
    send_to,       // a datagram, to `address`, or to the connected peer when that is empty
    accept,        // the result is the new descriptor: non-blocking, close-on-exec
    connect,       // to `address`
    readable,      // completes when a read would not block; the result is 0
    writable,      // likewise for a write
};

/// What a driver starts, waits for and completes. The result is a count of bytes or a descriptor, or a
/// negated errno. From start() to completion the operation belongs to the driver and must stay where it is.
struct io_operation : operation {
    int fd = -1;
    std::uint32_t slot = 0;  // the driver's: where it keeps what it knows of a pending operation
    std::int64_t result = 0;
    std::byte* data = nullptr;  // not written through when the kind sends
    std::size_t size = 0;
    sockaddr_storage* address = nullptr;  // receive_from: out; send_to, connect: in
    socklen_t address_bytes = 0;
    io_kind kind = io_kind::readable;
    bool pending = false;     // kept by the driver: true while it waits for the kernel
    bool connecting = false;  // connect(2) has been called and its outcome is awaited
};

constexpr bool is_input(io_kind kind) noexcept {
    return kind == io_kind::receive || kind == io_kind::read || kind == io_kind::receive_from ||
           kind == io_kind::accept || kind == io_kind::readable;
}

/// Makes the system call that the operation stands for, without blocking, and gives what io_operation::result
/// is to be; -EAGAIN when it would block. EINTR is handled here.
std::int64_t attempt(io_operation& op) noexcept;

}  // namespace loopbench::loop
