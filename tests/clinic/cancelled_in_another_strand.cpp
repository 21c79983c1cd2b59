// A parallel group can cancel a coroutine that ends at this moment on another strand.
// https://github.com/chriskohlhoff/asio/issues/1029 https://github.com/chriskohlhoff/asio/issues/1332
//
// This program is compiled with sanitizers: in the reports, a cancellation handler is used after its end.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <random>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

namespace net = boost::asio;
using std::chrono::microseconds;

net::awaitable<void> sleep(microseconds time) {
    net::steady_timer timer(co_await net::this_coro::executor, time);
    co_await timer.async_wait(net::use_awaitable);
}

/// Waits for sleep(), which runs on another strand.
net::awaitable<void> outer(net::io_context& context, microseconds time) {
    co_await net::co_spawn(net::make_strand(context), sleep(time), net::use_awaitable);
}

clinic::verdict check() {
    constexpr int threads = 4, rounds = 4000;
    net::io_context context(threads);
    auto work = net::make_work_guard(context);
    std::vector<std::jthread> runners;
    for (int i = 0; i < threads; ++i) runners.emplace_back([&] { context.run(); });
    std::minstd_rand random(1);
    const auto next = [&] { return microseconds(random() % 100); };
    for (int i = 0; i < rounds; ++i) {
        const auto strand = net::make_strand(context);
        net::steady_timer timer(strand, next());
        net::experimental::make_parallel_group(net::co_spawn(strand, outer(context, next()), net::deferred),
                                               timer.async_wait(net::deferred))
            .async_wait(net::experimental::wait_for_one(), net::use_future)
            .get();
        clinic::passed();
    }
    work.reset();
    return clinic::right();  // a group that does not end hangs
}

}  // namespace

int main() {
    return clinic::judge(check);
}
