// A program of an Asio user in which a handler cancels a read that is ready, or releases its socket if
// RELEASES is 1. Ends with 0 if the read was aborted and its byte is still in the socket.
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/asio.hpp>

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

int end_read(tcp::socket& socket) {
#if RELEASES
    return socket.release();
#else
    socket.cancel();
    return ::dup(socket.native_handle());
#endif
}

bool the_end_aborts_a_ready_read() {
    boost::asio::io_context context;
    tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
    tcp::socket one(context), one_peer(context), other(context), other_peer(context);
    one.connect(acceptor.local_endpoint());
    acceptor.accept(one_peer);
    other.connect(acceptor.local_endpoint());
    acceptor.accept(other_peer);
    char byte = ' ', other_byte = ' ';
    error_code ended;
    int left_in = -1, left = 0;
    one.async_read_some(boost::asio::buffer(&byte, 1),
                        [&](error_code, std::size_t) { left_in = end_read(other); });
    other.async_read_some(boost::asio::buffer(&other_byte, 1),
                          [&](error_code error, std::size_t) { ended = error; });
    boost::asio::post(context, [&] {
        one_peer.send(boost::asio::buffer("1", 1));
        other_peer.send(boost::asio::buffer("2", 1));
    });
    context.run();
    ::ioctl(left_in, FIONREAD, &left);
    ::close(left_in);
    return ended == boost::asio::error::operation_aborted && left == 1;
}

}  // namespace

int main() {
    for (int i = 0; i < 10; ++i) {
        if (!the_end_aborts_a_ready_read()) return 1;
    }
    return 0;
}
