// With two threads in `run()`, a timer fires while another handler takes long.
// https://github.com/chriskohlhoff/asio/issues/1353
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>

#include "tests/clinic/clinic.hpp"

namespace {

using boost::system::error_code;

clinic::verdict check() {
    boost::asio::io_context context;
    boost::asio::steady_timer first(context, std::chrono::milliseconds(1));
    boost::asio::steady_timer second(context, std::chrono::milliseconds(2));
    std::promise<void> second_has_fired;
    bool fired_meanwhile = false;
    first.async_wait([&](error_code) {
        fired_meanwhile = second_has_fired.get_future().wait_for(clinic::patience_of_a_handler) ==
                          std::future_status::ready;
    });
    second.async_wait([&](error_code) { second_has_fired.set_value(); });
    {
        const std::jthread other([&] { context.run(); });
        context.run();
    }
    if (fired_meanwhile) return clinic::right();
    return clinic::wrong("the timer of 2 ms did not fire during a handler of %d s",
                         static_cast<int>(clinic::patience_of_a_handler.count()));
}

}  // namespace

int main() {
    return clinic::judge(check);
}
