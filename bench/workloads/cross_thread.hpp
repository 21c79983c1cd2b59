// Waking a loop from another thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bench/runtime.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Posts one function after the other from a thread of its own, each when the one before has run.
template <Runtime R>
class posting_thread {
public:
    posting_thread(R& runtime, trial& t)
        : runtime_(runtime), t_(t), done_(runtime), thread_([this] { post_all(); }) {}
    ~posting_thread() {
        allow(t_.operations());  // when the loop gave up, the thread must not wait for it
        thread_.join();
    }

    auto start_and_wait() {
        allow(1);
        return done_.wait();
    }
    std::uint64_t ran() const noexcept { return ran_; }

private:
    using clock = std::chrono::steady_clock;

    void allow(std::uint64_t posts) {
        allowed_.store(static_cast<std::uint32_t>(posts), std::memory_order_release);
        allowed_.notify_one();
    }

    void post_all() {
        for (std::uint64_t i = 0; i < t_.operations(); ++i) {
            for (std::uint32_t seen = 0; (seen = allowed_.load(std::memory_order_acquire)) <= i;)
                allowed_.wait(seen);
            runtime_.post_from_any_thread(
                [this, posted = t_.start_of_latency()] { run_in_the_loop(posted); });
        }
    }

    void run_in_the_loop(clock::time_point posted) {
        if (t_.recording()) t_.latency().record(std::chrono::nanoseconds(clock::now() - posted).count());
        if (++ran_ < t_.operations()) return allow(ran_ + 1);
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
/// told. The latency is from before the post to when the function runs.
template <Runtime R>
task_of<R> post_cross_thread(R& runtime, trial& t) {
    detail::posting_thread<R> other(runtime, t);
    t.begin();
    co_await other.start_and_wait();
    t.prove("functions that ran", t.operations(), other.ran());
}

}  // namespace loopbench::bench::workloads
