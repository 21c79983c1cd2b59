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

/// The memory for a call of recvmmsg(2).
struct many_messages {
    many_messages() {
        for (std::size_t i = 0; i < data.size(); ++i) {
            places[i] = {data[i].data(), data[i].size()};
            headers[i].msg_hdr.msg_iov = &places[i];
            headers[i].msg_hdr.msg_iovlen = 1;
        }
    }
    many_messages(const many_messages&) = delete;
    many_messages& operator=(const many_messages&) = delete;

    std::array<datagram, batch> data{};
    std::array<iovec, batch> places{};
    std::array<mmsghdr, batch> headers{};
};

void receive_together(boost::asio::io_context& context, udp::socket& socket, many_messages& to) {
    int left = batch;
    std::function<void()> receive = [&] {
        socket.async_wait(udp::socket::wait_read, [&](error_code) {
            left -= std::max(
                0, ::recvmmsg(socket.native_handle(), to.headers.data(), batch, MSG_DONTWAIT, nullptr));
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
    many_messages messages;
    const auto median_of = [&](auto receive) {
        std::vector<double> seconds;
        for (int i = 0; i < 200; ++i) {
            for (int each = 0; each < batch; ++each) sender.send(boost::asio::buffer(datagram{}));
            context.restart();
            seconds.push_back(clinic::seconds_of(receive));
        }
        std::ranges::nth_element(seconds, seconds.begin() + 100);
        return seconds[100];
    };
    const auto singly = [&] { receive_singly(context, receiver); };
    const auto together = [&] { receive_together(context, receiver, messages); };
    return clinic::measured(
        clinic::quotients([&] { return median_of(singly); }, [&] { return median_of(together); }),
        "times the time of recvmmsg(2)");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
