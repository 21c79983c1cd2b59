// Cancelling, re-arming and waiting in any order ends, and completes each wait once.
// https://github.com/chriskohlhoff/asio/issues/1025
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <random>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

using boost::system::error_code;

constexpr int steps_each = 200'000;

/// Uses its own timers in any order, while another thread runs the context. Returns the number of waits that
/// it has started. Each wait counts in `completed` when it ends.
long use_timers(boost::asio::io_context& context, unsigned seed, std::atomic<long>& completed) {
    std::vector<boost::asio::steady_timer> timers;
    for (int i = 0; i < 100; ++i) timers.emplace_back(context, std::chrono::hours(1));
    std::minstd_rand random(seed);
    long started = 0;
    for (int i = 0; i < steps_each; ++i) {
        auto& timer = timers[random() % timers.size()];
        switch (random() % 5) {
            case 0:
                timer.cancel();
                break;
            case 1:
                timer.cancel_one();
                break;
            case 2:
                timer.expires_after(std::chrono::microseconds(random() % 100));
                break;
            default:
                ++started;
                timer.async_wait([&](error_code) { ++completed; });
        }
        clinic::passed();
    }
    return started;  // the destruction of the timers cancels the waits that are left
}

clinic::verdict check() {
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    std::atomic<long> started{0}, completed{0};
    {
        const std::jthread runner([&] { context.run(); });
        std::vector<std::jthread> users;
        for (unsigned seed = 1; seed <= 2; ++seed)
            users.emplace_back([&, seed] { started += use_timers(context, seed, completed); });
        users.clear();  // waits for them
        work.reset();
    }
    if (completed == started) return clinic::right();
    return clinic::wrong("%ld waits were started, and %ld completed", started.load(), completed.load());
}

}  // namespace

int main() {
    return clinic::judge(check);
}
