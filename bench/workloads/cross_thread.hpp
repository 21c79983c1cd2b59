// Waking a loop from another thread, on the same core or on another.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bench/runtime.hpp"
#include "bench/workloads/cores.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

/// Posts before anything is timed. For so long a virtual machine wakes a sleeping core in two thirds of the
/// time that it takes from then on.
inline constexpr std::uint64_t warm_up_posts = 1000;

namespace detail {

/// Posts one function after the other from a thread on the given core, each when the one before has run.
template <Runtime R>
class posting_thread {
public:
    posting_thread(R& runtime, trial& t, int core)
        : runtime_(runtime), t_(t), done_(runtime), thread_(start_on_core(core, [this] { post_all(); })) {}
    ~posting_thread() {
        allow(posts());  // when the loop gave up, the thread must not wait for it
        thread_.join();
    }

    auto start_and_wait() {
        allow(1);
        return done_.wait();
    }
    std::uint64_t posts() const noexcept { return warm_up_posts + t_.operations(); }
    std::uint64_t ran() const noexcept { return ran_; }

private:
    using clock = std::chrono::steady_clock;

    void allow(std::uint64_t posts) {
        allowed_.store(static_cast<std::uint32_t>(posts), std::memory_order_release);
        allowed_.notify_one();
    }

    void post_all() {
        for (std::uint64_t i = 0; i < posts(); ++i) {
            for (std::uint32_t seen = 0; (seen = allowed_.load(std::memory_order_acquire)) <= i;)
                allowed_.wait(seen);
            runtime_.post_from_any_thread(
                [this, posted = t_.start_of_latency()] { run_in_the_loop(posted); });
        }
    }

    void run_in_the_loop(clock::time_point posted) {
        if (t_.recording() && ran_ >= warm_up_posts)
            t_.latency().record(std::chrono::nanoseconds(clock::now() - posted).count());
        if (++ran_ == warm_up_posts) t_.begin();
        if (ran_ < posts()) return allow(ran_ + 1);
        t_.end();  // here, so that waking the task is not timed
        done_.set();
    }

    R& runtime_;
    trial& t_;
    typename R::event done_;
    std::uint64_t ran_ = 0;
    std::atomic<std::uint32_t> allowed_ = 0;  // how many posts the thread may have made; a futex has 32 bits
    std::thread thread_;
};

}  // namespace detail

/// One operation: another thread posts a function, the sleeping loop wakes and runs it, and the thread is
/// told; the first thousand times are not timed. Both threads are kept on their cores, which are one or two.
/// The latency is from before the post to when the function runs.
template <Runtime R, int Cores>
task_of<R> post_cross_thread(R& runtime, trial& t) {
    const int mine = this_core();
    const auto theirs = core_of_other_thread(mine, Cores, t);
    if (!theirs) co_return;
    const kept_on_core here(mine);
    detail::posting_thread<R> other(runtime, t, *theirs);
    co_await other.start_and_wait();
    t.prove("functions that ran", other.posts(), other.ran());
}

}  // namespace loopbench::bench::workloads
