// `a || b` ends with the first of two coroutines, also if two threads run the context.
// https://github.com/chriskohlhoff/asio/issues/1348
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

namespace net = boost::asio;

net::awaitable<int> at_once() {
    co_await net::post(net::use_awaitable);
    co_return 1;
}

net::awaitable<int> late() {
    co_await net::post(net::use_awaitable);
    net::steady_timer timer(co_await net::this_coro::executor, std::chrono::hours(1));
    co_await timer.async_wait(net::use_awaitable);
    co_return 2;
}

net::awaitable<int> first_result() {
    using namespace net::experimental::awaitable_operators;
    const auto found = co_await (at_once() || late());
    co_return found.index() == 0 ? std::get<0>(found) : std::get<1>(found);
}

clinic::verdict check() {
    net::io_context context(2);
    auto work = net::make_work_guard(context);
    std::vector<std::jthread> runners;
    for (int i = 0; i < 2; ++i) runners.emplace_back([&] { context.run(); });
    int found = 1;
    for (int i = 0; i < 2000 && found == 1; ++i) {
        found = net::co_spawn(context, first_result(), net::use_future).get();
        clinic::passed();
    }
    work.reset();
    if (found == 1) return clinic::right();
    return clinic::wrong("the result was %d, of the timer of an hour", found);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
