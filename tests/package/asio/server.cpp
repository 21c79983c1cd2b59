// A third-party Boost.Asio program: `server PORT` sends back the bytes that each client sends.
#include <array>
#include <boost/asio.hpp>
#include <cstdlib>

using boost::asio::ip::tcp;

boost::asio::awaitable<void> echo(tcp::socket client) {
    std::array<char, 1024> data;
    for (;;) {
        const auto bytes =
            co_await client.async_read_some(boost::asio::buffer(data), boost::asio::use_awaitable);
        co_await boost::asio::async_write(client, boost::asio::buffer(data, bytes),
                                          boost::asio::use_awaitable);
    }
}

boost::asio::awaitable<void> serve(tcp::acceptor acceptor) {
    for (;;) {
        auto client = co_await acceptor.async_accept(boost::asio::use_awaitable);
        boost::asio::co_spawn(acceptor.get_executor(), echo(std::move(client)), boost::asio::detached);
    }
}

int main(int argc, char** argv) {
    boost::asio::io_context context(1);
    const auto port = static_cast<unsigned short>(argc > 1 ? std::atoi(argv[1]) : 8080);
    tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), port});
    boost::asio::co_spawn(context, serve(std::move(acceptor)), boost::asio::detached);
    boost::asio::signal_set ends(context, SIGINT, SIGTERM);
    ends.async_wait([&](auto, auto) { context.stop(); });
    context.run();
    return 0;
}
