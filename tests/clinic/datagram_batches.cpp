// How long does `async_receive` take for 64 datagrams, compared with `async_wait` and recvmmsg(2)?
// https://github.com/chriskohlhoff/asio/issues/1062
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <functional>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

using boost::asio::ip::udp;
using boost::system::error_code;

constexpr int batch = 64;
using datagram = std::array<char, 64>;

void receive_singly(boost::asio::io_context& context, udp::socket& socket) {
    int left = batch;
    datagram data{};
    std::function<void()> receive = [&] {
        socket.async_receive(boost::asio::buffer(data), [&](error_code, std::size_t bytes) {
            left -= bytes == data.size() ? 1 : 0;
            clinic::passed();
            if (left > 0) receive();
        });
    };
    receive();
    context.run();
}

void receive_together(boost::asio::io_context& context, udp::socket& socket) {
    std::array<datagram, batch> data{};
    std::array<iovec, batch> places{};
    std::array<mmsghdr, batch> messages{};
    for (std::size_t i = 0; i < data.size(); ++i) {
        places[i] = {data[i].data(), data[i].size()};
        messages[i].msg_hdr.msg_iov = &places[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    int left = batch;
    std::function<void()> receive = [&] {
        socket.async_wait(udp::socket::wait_read, [&](error_code) {
            left -= std::max(
                0, ::recvmmsg(socket.native_handle(), messages.data(), batch, MSG_DONTWAIT, nullptr));
            clinic::passed();
            if (left > 0) receive();
        });
    };
    receive();
    context.run();
}

clinic::verdict check() {
    const udp::endpoint any_port(boost::asio::ip::address_v4::loopback(), 0);
    boost::asio::io_context context(1);
    udp::socket receiver(context, any_port), sender(context, any_port);
    sender.connect(receiver.local_endpoint());
    std::array<std::vector<double>, 2> seconds;
    for (std::size_t i = 0; i < 2000; ++i) {
        for (int each = 0; each < batch; ++each) sender.send(boost::asio::buffer(datagram{}));
        context.restart();
        seconds[i % 2].push_back(
            clinic::seconds_of([&] { (i % 2 == 0 ? receive_singly : receive_together)(context, receiver); }));
    }
    for (auto& each : seconds) std::ranges::nth_element(each, each.begin() + 500);
    return clinic::measured(seconds[0][500] / seconds[1][500], "times the time of recvmmsg(2)");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
