// Cancelling, re-arming and waiting in any order ends, and completes each wait once.
// https://github.com/chriskohlhoff/asio/issues/1025
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <random>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

using boost::system::error_code;

clinic::verdict check() {
    boost::asio::io_context context(1);
    std::vector<boost::asio::steady_timer> timers;
    for (int i = 0; i < 100; ++i) timers.emplace_back(context, std::chrono::hours(1));
    std::minstd_rand random(1);
    long started = 0, completed = 0;
    for (int i = 0; i < 200'000; ++i) {
        auto& timer = timers[random() % timers.size()];
        switch (random() % 6) {
            case 0:
                timer.cancel();
                break;
            case 1:
                timer.cancel_one();
                break;
            case 2:
                timer.expires_after(std::chrono::microseconds(random() % 100));
                break;
            case 3:
                context.poll();
                context.restart();
                break;
            default:
                ++started;
                timer.async_wait([&](error_code) { ++completed; });
        }
        clinic::passed();
    }
    for (auto& timer : timers) timer.cancel();
    context.restart();
    context.run();
    if (completed == started) return clinic::right();
    return clinic::wrong("%ld waits were started, and %ld completed", started, completed);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
