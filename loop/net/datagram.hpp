// Datagram sockets: UDP and Unix.
#pragma once

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// What receive_from() gives: the datagram's length, cut to the buffer's, and where it came from.
struct datagram_result : io_result {
    endpoint sender;
};

/// One receive and one send may be pending at a time.
class datagram_socket : public descriptor {
public:
    using descriptor::descriptor;

    /// Awaitable, gives an io_result. A datagram goes out whole or not at all; to the connected peer when
    /// `to` is empty.
    task<io_result> send_to(std::span<const std::byte> bytes, endpoint to);

    /// Awaitable, gives a datagram_result; a datagram of 0 bytes is one.
    task<datagram_result> receive_from(std::span<std::byte> buffer);

    endpoint local() const { return local_endpoint(native_handle()); }
};

}  // namespace loopbench::loop
