// A function that another thread posts wakes the context and runs, each time.
// https://github.com/chriskohlhoff/asio/issues/452
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "tests/clinic/clinic.hpp"

namespace {

clinic::verdict check() {
    boost::asio::io_context context(1);
    auto work = boost::asio::make_work_guard(context);
    std::atomic<int> ran{0};
    const std::jthread runner([&] { context.run(); });
    for (int i = 1; i <= 10'000; ++i) {
        boost::asio::post(context, [&ran, i] {
            ran = i;
            ran.notify_one();
        });
        for (int seen = ran; seen < i; seen = ran) ran.wait(seen);
        clinic::passed();
    }
    work.reset();
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
