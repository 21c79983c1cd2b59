#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <limits>
#include <thread>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/trial/cores.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

/// Returns the number of posts before the timed section. On two cores, the number is large, because a virtual
/// machine wakes a sleeping core faster at first than later. On one core, it is small, because a spinning
/// loop keeps the other thread waiting, so that each post can take milliseconds.
constexpr std::uint64_t warm_up_posts(int cores) {
    return cores == 1 ? 10 : 2000;
}

namespace detail {

template <Runtime R>
class posting_thread {
public:
    posting_thread(R& runtime, trial& t, int core, std::uint64_t untimed)
        : runtime_(runtime),
          t_(t),
          done_(runtime),
          untimed_(untimed),
          thread_(start_on_core(core, [this] { post_all(); })) {}
    ~posting_thread() {
        allow(no_more);
        thread_.join();
    }

    auto start_and_wait() {
        allow(1);
        return done_.wait();
    }
    std::uint64_t posted() const noexcept { return posted_; }
    std::uint64_t ran() const noexcept { return ran_; }

private:
    using clock = std::chrono::steady_clock;
    static constexpr std::uint32_t no_more = std::numeric_limits<std::uint32_t>::max();

    void allow(std::uint64_t posts) {
        allowed_.store(static_cast<std::uint32_t>(posts), std::memory_order_release);
        allowed_.notify_one();
    }

    void post_all() {
        for (;;) {
            std::uint32_t seen = 0;
            while ((seen = allowed_.load(std::memory_order_acquire)) <= posted_) allowed_.wait(seen);
            if (seen == no_more) return;
            ++posted_;
            runtime_.post_from_any_thread(
                [this, posted = t_.start_of_latency()] { run_in_the_loop(posted); });
        }
    }

    void run_in_the_loop(clock::time_point posted) {
        if (t_.recording() && ran_ >= untimed_)
            t_.latency().record(std::chrono::nanoseconds(clock::now() - posted).count());
        if (++ran_ == untimed_) t_.begin();
        if (ran_ < untimed_ + t_.operations()) return allow(ran_ + 1);
        t_.end();  // ends here, because the task's wake-up must not be timed
        done_.set();
    }

    R& runtime_;
    trial& t_;
    typename R::event done_;
    std::uint64_t untimed_;
    std::uint64_t ran_ = 0;
    std::atomic<std::uint64_t> posted_ = 0;
    std::atomic<std::uint32_t> allowed_ = 0;  // 32 bits, because it is a futex
    std::thread thread_;                      // declared last, because the thread uses all members above
};

}  // namespace detail

/// Measures posts from another thread. A latency starts just before the post and ends when the function runs.
template <Runtime R, int Cores>
task_of<R> post_cross_thread(R& runtime, trial& t) {
    const auto cores = cores_for_two_threads(Cores, t);
    if (!cores) co_return;
    const kept_on_core here(cores->first);
    detail::posting_thread<R> other(runtime, t, cores->second, warm_up_posts(Cores));
    co_await other.start_and_wait();
    const std::uint64_t posts = warm_up_posts(Cores) + t.operations();
    t.prove("number of functions that ran", posts, other.ran());
    t.prove("number of functions that were posted", posts, other.posted());
}

}  // namespace loopbench::bench::workloads
