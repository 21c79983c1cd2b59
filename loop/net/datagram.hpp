#pragma once

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// The number of received bytes and the sender. A datagram that is longer than the buffer is truncated.
struct datagram_result : io_result {
    endpoint sender;
};

/// A datagram socket. One receive and one send may be pending at a time.
class datagram_socket : public descriptor {
public:
    using descriptor::descriptor;

    /// Sends a datagram, completely or not at all, to `to`, or to the connected peer if `to` is empty.
    task<io_result> send_to(std::span<const std::byte> bytes, endpoint to);

    /// Receives a datagram, which may have 0 bytes.
    task<datagram_result> receive_from(std::span<std::byte> buffer);

    endpoint local() const { return local_endpoint(native_handle()); }
};

}  // namespace loopbench::loop
