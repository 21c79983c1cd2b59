// A parallel group without operations calls its handler or reports an error.
// https://github.com/chriskohlhoff/asio/issues/1375
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <stdexcept>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

namespace net = boost::asio;

clinic::verdict check() {
    net::io_context context;
    std::vector<decltype(std::declval<net::steady_timer&>().async_wait(net::deferred))> none;
    int called = 0;
    try {
        net::experimental::make_parallel_group(std::move(none))
            .async_wait(net::experimental::wait_for_all(), [&](const auto&...) { ++called; });
    } catch (const std::logic_error&) {  // since Boost 1.90
        return clinic::right();
    }
    context.run();
    if (called == 1) return clinic::right();
    return clinic::wrong("the handler was called %d times", called);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
