#include "loop/net/datagram.hpp"

namespace loopbench::loop {

task<io_result> datagram_socket::send_to(std::span<const std::byte> bytes, endpoint to) {
    transfer_awaiter sending(io(), io_kind::send_to, native_handle(), bytes);
    if (to.bytes() != 0) sending.set_address(&to.address(), to.bytes());
    co_return co_await sending;
}

task<datagram_result> datagram_socket::receive_from(std::span<std::byte> buffer) {
    sockaddr_storage sender{};
    transfer_awaiter receiving(io(), io_kind::receive_from, native_handle(), buffer);
    receiving.set_address(&sender, sizeof sender);
    const io_result received = co_await receiving;
    co_return datagram_result{received, endpoint(&sender, receiving.address_size())};
}

}  // namespace loopbench::loop
