// How long do handlers that compute for 20 µs take with two threads in `run()`, compared with one?
// https://www.boost.org/doc/libs/1_81_0/doc/html/boost_asio/overview/core/threads.html
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <stdexcept>

#include "tests/clinic/clinic.hpp"

namespace {

constexpr int handlers = 2000;

/// Computes. This takes about 20 µs, a fixed number of steps, so that a preempted thread does its whole work.
[[gnu::noinline]] unsigned compute(unsigned number) {
    for (int i = 0; i < 10'000; ++i) number = number * 1'664'525U + 1'013'904'223U;
    return number;
}

double seconds_with(int threads) {
    boost::asio::io_context context(threads);
    std::atomic<int> ran{0};
    std::atomic<unsigned> result{0};
    for (int i = 0; i < handlers; ++i)
        boost::asio::post(context, [&, i] {
            result.fetch_xor(compute(static_cast<unsigned>(i)), std::memory_order_relaxed);
            ran.fetch_add(1, std::memory_order_relaxed);
        });
    const double seconds = clinic::seconds_of([&] {
        std::vector<std::jthread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back([&] { context.run(); });
        context.run();
    });
    if (ran != handlers) throw std::runtime_error("some handlers did not run");
    clinic::passed();
    return seconds;
}

clinic::verdict check() {
    seconds_with(1);  // the first run fills the caches
    return clinic::measured(clinic::quotients([] { return seconds_with(2); }, [] { return seconds_with(1); }),
                            "times the time with one thread");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
