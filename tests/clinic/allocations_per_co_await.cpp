// How many allocations does a `co_await` of a timer make?
// https://github.com/chriskohlhoff/asio/issues/1167 https://github.com/chriskohlhoff/asio/issues/985
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/clinic/allocations.hpp"
#include "tests/clinic/clinic.hpp"

namespace {

namespace net = boost::asio;

constexpr int awaits = 10'000;

net::awaitable<void> wait(long& made) {
    net::steady_timer timer(co_await net::this_coro::executor);
    for (int i = -100; i < awaits; ++i) {  // the first hundred fill the caches
        if (i == 0) made = -clinic::allocations;
        timer.expires_after(std::chrono::nanoseconds(0));
        co_await timer.async_wait(net::use_awaitable);
        clinic::passed();
    }
    made += clinic::allocations;
}

clinic::verdict check() {
    net::io_context context(1);
    long made = -1;
    net::co_spawn(context, wait(made), net::detached);
    context.run();
    if (clinic::steps != awaits + 100) return clinic::wrong("only %ld timers fired", clinic::steps.load());
    return clinic::measured(static_cast<double>(made) / awaits, "allocations");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
