// `poll()` runs the ready functions while another thread is in a long handler.
// https://www.boost.org/doc/libs/1_81_0/doc/html/boost_asio/reference/io_context/poll/overload1.html
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>

#include "tests/clinic/clinic.hpp"

namespace {

clinic::verdict check() {
    boost::asio::io_context context;
    std::promise<void> begun, ended;
    std::size_t polled = 0;
    boost::asio::post(context, [&] {
        begun.set_value();
        ended.get_future().wait();
    });
    {
        const std::jthread runner([&] { context.run(); });
        begun.get_future().wait();
        for (int i = 0; i < 10; ++i) boost::asio::post(context, [] {});
        polled = context.poll();
        ended.set_value();
    }
    if (polled == 10) return clinic::right();
    return clinic::wrong("poll() ran %zu of 10 ready functions", polled);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
