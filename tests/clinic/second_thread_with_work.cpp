// How long do handlers that compute for 20 µs take with two threads in `run()`, compared with one?
// https://www.boost.org/doc/libs/1_81_0/doc/html/boost_asio/overview/core/threads.html
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <stdexcept>

#include "tests/clinic/second_run.hpp"

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
    const double seconds = clinic::seconds_to_run(context, threads);
    if (ran != handlers) throw std::runtime_error("some handlers did not run");
    clinic::passed();
    return seconds;
}

}  // namespace

int main() {
    return clinic::judge([] { return clinic::compared_with_one_thread(seconds_with); });
}
