#include "loop/net/datagram.hpp"

#include "loop/net/sockets.hpp"

namespace loopbench::loop {

task<io_result> datagram_socket::send_to(std::span<const std::byte> bytes, endpoint to) {
    io_awaiter sending(io(), io_kind::send_to, native_handle(), bytes);
    sending.set_address(&to.address(), to.bytes());
    const std::int64_t result = co_await sending;
    co_return io_result{.bytes = result < 0 ? 0 : bytes.size(),
                        .error = result < 0 ? static_cast<int>(-result) : 0};
}

task<datagram_result> datagram_socket::receive_from(std::span<std::byte> buffer) {
    sockaddr_storage sender{};
    io_awaiter receiving(io(), io_kind::receive_from, native_handle(), buffer);
    receiving.set_address(&sender, sizeof sender);
    const std::int64_t result = co_await receiving;
    if (result < 0) co_return datagram_result{.bytes = 0, .error = static_cast<int>(-result), .sender = {}};
    co_return datagram_result{.bytes = static_cast<std::size_t>(result),
                              .error = 0,
                              .sender = endpoint(sender, receiving.address_size())};
}

endpoint datagram_socket::local() const {
    return local_endpoint(native_handle());
}

}  // namespace loopbench::loop
