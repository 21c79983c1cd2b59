// A function that another thread posts wakes the context and runs, each time.
// https://github.com/chriskohlhoff/asio/issues/452
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <random>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

/// Posts functions one after the other, each up to 100 µs after the one before it has run. If a wake-up is
/// lost, this function never returns, and the watchdog reports a hang.
void post_functions(boost::asio::io_context& context, unsigned seed) {
    std::minstd_rand random(seed);
    std::atomic<int> ran{0};
    for (int i = 1; i <= 10'000; ++i) {
        const auto when = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 100);
        while (std::chrono::steady_clock::now() < when) std::this_thread::yield();
        boost::asio::post(context, [&ran, i] {
            ran = i;
            ran.notify_one();
        });
        for (int seen = ran; seen < i; seen = ran) ran.wait(seen);
        clinic::passed();
    }
}

clinic::verdict check() {
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    const std::jthread runner([&] { context.run(); });
    {
        std::vector<std::jthread> posters;
        for (unsigned seed = 1; seed <= 2; ++seed)
            posters.emplace_back([&, seed] { post_functions(context, seed); });
    }
    work.reset();
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
