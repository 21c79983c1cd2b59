// tripwire.cpp must stop this program, because Asio creates its own scheduler for the timer, and this
// scheduler starts a thread.
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <loopbench/asio.hpp>

int main() {
    loopbench::asio::io_context context;
    const boost::asio::any_io_executor executor = context.get_executor();
    boost::asio::steady_timer timer(executor, std::chrono::milliseconds(1));
    timer.wait();
}
