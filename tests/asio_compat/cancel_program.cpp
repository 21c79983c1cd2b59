// A program of an Asio user in which a handler cancels a read that is ready. Ends with 0 if the read was
// aborted and its byte is still in the socket.
#include <boost/asio.hpp>

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

bool cancel_aborts_a_ready_read() {
    boost::asio::io_context context;
    tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
    tcp::socket one(context), one_peer(context), other(context), other_peer(context);
    one.connect(acceptor.local_endpoint());
    acceptor.accept(one_peer);
    other.connect(acceptor.local_endpoint());
    acceptor.accept(other_peer);
    char byte = ' ', other_byte = ' ';
    error_code ended;
    one.async_read_some(boost::asio::buffer(&byte, 1), [&](error_code, std::size_t) { other.cancel(); });
    other.async_read_some(boost::asio::buffer(&other_byte, 1),
                          [&](error_code error, std::size_t) { ended = error; });
    boost::asio::post(context, [&] {
        one_peer.send(boost::asio::buffer("1", 1));
        other_peer.send(boost::asio::buffer("2", 1));
    });
    context.run();
    return ended == boost::asio::error::operation_aborted && other.available() == 1;
}

}  // namespace

int main() {
    for (int i = 0; i < 10; ++i) {
        if (!cancel_aborts_a_ready_read()) return 1;
    }
    return 0;
}
