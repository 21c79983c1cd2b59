// Datagram sockets: UDP and Unix.
#pragma once

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// The result of receive_from(): the datagram's length, cut to the buffer's length, and its sender.
struct datagram_result : io_result {
    endpoint sender;
};

/// A datagram socket. One receive and one send may be pending at a time.
class datagram_socket : public descriptor {
public:
    using descriptor::descriptor;

    /// Awaitable, gives an io_result. Sends a datagram, whole or not at all. If `to` is empty, sends it to
    /// the connected peer.
    task<io_result> send_to(std::span<const std::byte> bytes, endpoint to);

    /// Awaitable, gives a datagram_result. A datagram of 0 bytes is valid.
    task<datagram_result> receive_from(std::span<std::byte> buffer);

    endpoint local() const { return local_endpoint(native_handle()); }
};

}  // namespace loopbench::loop
