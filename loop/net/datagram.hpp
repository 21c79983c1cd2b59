// Datagram sockets: UDP and Unix.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "loop/net/io_awaiter.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// What receive_from() gives: the datagram's length, cut to the buffer's, and where it came from.
struct datagram_result {
    std::size_t bytes = 0;
    int error = 0;
    endpoint sender;
};

/// One receive and one send may be pending at a time.
template <class Loop>
class basic_datagram_socket : public descriptor<Loop> {
public:
    using descriptor<Loop>::descriptor;

    /// Awaitable, gives an io_result. A datagram goes out whole or not at all.
    task<io_result> send_to(std::span<const std::byte> bytes, endpoint to) {
        io_awaiter<Loop> sending(this->loop(), io_kind::send_to, this->native_handle(),
                                 const_cast<std::byte*>(bytes.data()), bytes.size());
        sending.set_address(&to.address(), to.bytes());
        const std::int64_t result = co_await sending;
        co_return io_result{.bytes = result < 0 ? 0 : bytes.size(),
                            .error = result < 0 ? static_cast<int>(-result) : 0};
    }

    /// Awaitable, gives a datagram_result; a datagram of 0 bytes is one.
    task<datagram_result> receive_from(std::span<std::byte> buffer) {
        sockaddr_storage sender{};
        io_awaiter<Loop> receiving(this->loop(), io_kind::receive_from, this->native_handle(), buffer.data(),
                                   buffer.size());
        receiving.set_address(&sender, sizeof sender);
        const std::int64_t result = co_await receiving;
        if (result < 0)
            co_return datagram_result{.bytes = 0, .error = static_cast<int>(-result), .sender = {}};
        co_return datagram_result{.bytes = static_cast<std::size_t>(result),
                                  .error = 0,
                                  .sender = endpoint(sender, receiving.address_size())};
    }

    endpoint local() const { return local_endpoint(this->native_handle()); }
};

}  // namespace loopbench::loop
