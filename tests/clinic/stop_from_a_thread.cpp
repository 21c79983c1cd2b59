// `stop()` in another thread ends a `run()` that sleeps or is about to sleep.
// https://github.com/boostorg/beast/issues/3007
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fstream>

#include "tests/clinic/clinic.hpp"

namespace {

/// Returns true if the thread sleeps (proc(5)).
bool sleeps(int thread) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;  // the name of this program has no blanks
    return state == "S";
}

clinic::verdict check() {
    boost::asio::io_context context;
    const auto work = boost::asio::make_work_guard(context);
    boost::asio::steady_timer timer(context, std::chrono::hours(1));
    timer.async_wait([](boost::system::error_code) {});
    for (int i = 0; i < 300; ++i) {
        std::atomic<int> thread{0};
        boost::asio::post(context, [&] {
            thread = ::gettid();
            thread.notify_one();
        });
        std::jthread runner([&] { context.run(); });
        thread.wait(0);
        while (i % 2 == 0 && !sleeps(thread)) std::this_thread::yield();
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
