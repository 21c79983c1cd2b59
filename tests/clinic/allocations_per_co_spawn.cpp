// How many allocations does a `co_spawn` make, if 1000 coroutines live at once?
// https://github.com/chriskohlhoff/asio/issues/1167 https://github.com/chriskohlhoff/asio/issues/985
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/clinic/allocations.hpp"
#include "tests/clinic/clinic.hpp"

namespace {

namespace net = boost::asio;

constexpr int rounds = 10, coroutines = 1000;

net::awaitable<void> child() {
    co_await net::post(net::use_awaitable);
    clinic::passed();
}

clinic::verdict check() {
    net::io_context context(1);
    long made = 0;
    for (int i = 0; i <= rounds; ++i) {  // the first round fills the caches
        if (i == 1) made = -clinic::allocations;
        net::post(context, [&] {
            for (int each = 0; each < coroutines; ++each) net::co_spawn(context, child(), net::detached);
        });
        context.run();
        context.restart();
    }
    made += clinic::allocations;
    constexpr int expected = (rounds + 1) * coroutines;
    if (clinic::steps != expected)
        return clinic::wrong("%ld of %d coroutines ended", clinic::steps.load(), expected);
    return clinic::measured(static_cast<double>(made) / (rounds * coroutines), "allocations");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
