// A cancelled parallel group ends, although one of its operations ignores this type of cancellation.
// https://github.com/boostorg/asio/issues/458
#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;

clinic::verdict check() {
    net::io_context context;
    auto [silent, peer] = clinic::connection(context);
    net::steady_timer timer(context, std::chrono::hours(1));
    std::array<char, 2> data{};
    net::cancellation_signal signal;
    int ended = 0;
    const auto handler = [&](const auto&...) { ++ended; };
    // A cancellation of type `total` ends the timer. async_read ignores it, so the group has to end the read.
    net::experimental::make_parallel_group(timer.async_wait(net::deferred),
                                           net::async_read(silent, net::buffer(data), net::deferred))
        .async_wait(net::experimental::wait_for_one(), net::bind_cancellation_slot(signal.slot(), handler));
    net::post(context, [&] { signal.emit(net::cancellation_type::total); });
    context.run_for(clinic::patience_of_a_handler);
    if (ended == 1) return clinic::right();
    return clinic::wrong("the group did not end within %d s",
                         static_cast<int>(clinic::patience_of_a_handler.count()));
}

}  // namespace

int main() {
    return clinic::judge(check);
}
