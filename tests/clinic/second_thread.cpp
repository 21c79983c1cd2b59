// How long does a round trip of UDP datagrams take with two threads in `run()`, compared with one?
// https://github.com/chriskohlhoff/asio/issues/886
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <stdexcept>

#include "tests/clinic/second_run.hpp"

namespace {

using boost::asio::ip::udp;
using boost::system::error_code;

constexpr int round_trips = 5000;
const udp::endpoint any_port(boost::asio::ip::address_v4::loopback(), 0);

/// One of two ends that send a datagram back and forth.
class player {
public:
    player(boost::asio::io_context& context, int receives) : socket_(context, any_port), left_(receives) {}

    udp::endpoint address() const { return socket_.local_endpoint(); }
    int left() const { return left_; }

    void send(udp::endpoint to) {
        socket_.async_send_to(boost::asio::buffer(&byte_, 1), to,
                              [this](error_code error, std::size_t) { check(error); });
    }
    void receive() {
        socket_.async_receive_from(boost::asio::buffer(&byte_, 1), from_,
                                   [this](error_code error, std::size_t) {
                                       check(error);
                                       const udp::endpoint sender = from_;
                                       const bool is_last = --left_ == 0;
                                       if (!is_last) receive();
                                       if (!is_last || answers_last) send(sender);
                                   });
    }

    bool answers_last = false;

private:
    static void check(error_code error) {
        if (error) throw boost::system::system_error(error);
    }

    udp::socket socket_;
    udp::endpoint from_;
    char byte_ = 'x';
    int left_;
};

double seconds_with(int threads) {
    boost::asio::io_context context(threads);
    player first(context, round_trips), second(context, round_trips);
    second.answers_last = true;
    first.receive();
    second.receive();
    first.send(second.address());
    const double seconds = clinic::seconds_to_run(context, threads);
    if (first.left() != 0 || second.left() != 0) throw std::runtime_error("some datagrams did not arrive");
    clinic::passed();
    return seconds;
}

}  // namespace

int main() {
    return clinic::judge([] { return clinic::compared_with_one_thread(seconds_with); });
}
