// Measures how long it takes to re-arm one of 10,000 waiting timers, as a server does for the time limit of
// an active connection. armed:1 re-arms the same timer each time; armed:10000 re-arms all timers one after
// the other, so that none is in a cache. `loopbench compare` uses three builds: unchanged, without threads,
// and with dropin.hpp (reports/evidence/asio_programs).
#include <benchmark/benchmark.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>

namespace {

class limits {
public:
    explicit limits(std::size_t armed_again) : armed_again_(armed_again) {
        for (int i = 0; i < 10'000; ++i) arm(timers_.emplace_back(context_));
    }

    void arm_again(benchmark::IterationCount times) {
        left_ = times;
        context_.restart();
        boost::asio::post(context_, [this] { arm_next(); });
        context_.run();
    }

private:
    void arm(boost::asio::steady_timer& timer) {
        timer.expires_after(std::chrono::seconds(30));
        timer.async_wait([this](boost::system::error_code) { arm_next(); });
    }
    void arm_next() {
        if (left_-- == 0) return context_.stop();
        next_ = (next_ + 4'999) % armed_again_;
        arm(timers_[next_]);
    }

    boost::asio::io_context context_{1};
    std::deque<boost::asio::steady_timer> timers_;
    const std::size_t armed_again_;
    std::size_t next_ = 0;
    benchmark::IterationCount left_ = 0;
};

void rearm(benchmark::State& state) {
    limits all(static_cast<std::size_t>(state.range(0)));
    while (state.KeepRunningBatch(state.max_iterations)) all.arm_again(state.max_iterations);
}
BENCHMARK(rearm)->Name("timer/rearm/timers:10000")->ArgName("armed")->Arg(1)->Arg(10'000);

}  // namespace

BENCHMARK_MAIN();
