// A program that uses both Boost.Asio's own io_context and the io_context of this project.
#include <loopbench/asio.hpp>

int main() {
    loopbench::asio::io_context context(loopbench::asio::design::epoll);
    loopbench::asio::steady_timer timer(context, std::chrono::milliseconds(1));
    timer.async_wait([](boost::system::error_code) {});
    return context.run() == 1 ? 0 : 1;
}
