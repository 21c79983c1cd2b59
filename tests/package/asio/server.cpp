// A Boost.Asio program of somebody's, in short.
#include <boost/asio.hpp>
#include <cstdio>

int main() {
    boost::asio::io_context context;
    boost::asio::steady_timer timer(context, std::chrono::milliseconds(1));
    timer.async_wait([](boost::system::error_code error) { std::puts(error ? "no" : "served"); });
    context.run();
    return boost::asio::has_service<boost::asio::detail::scheduler>(context) ? 1 : 0;
}
