// `stop()` in another thread ends a `run()` that sleeps.
// https://github.com/boostorg/beast/issues/3007 https://github.com/chriskohlhoff/asio/issues/1757
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "tests/clinic/clinic.hpp"

namespace {

clinic::verdict check() {
    boost::asio::io_context context;
    const auto work = boost::asio::make_work_guard(context);
    boost::asio::steady_timer timer(context, std::chrono::hours(1));
    timer.async_wait([](boost::system::error_code) {});
    for (int i = 0; i < 300; ++i) {
        std::atomic<bool> runs{false};
        boost::asio::post(context, [&] {
            runs = true;
            runs.notify_one();
        });
        std::jthread runner([&] { context.run(); });
        runs.wait(false);
        if (i % 2 == 0) std::this_thread::yield();
        context.stop();
        runner.join();
        if (!context.stopped()) return clinic::wrong("run() returned, but the context was not stopped");
        context.restart();
        clinic::passed();
    }
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
