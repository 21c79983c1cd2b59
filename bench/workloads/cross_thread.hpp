// Waking a loop from another thread, on the same core or on another.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>

#include "bench/runtime.hpp"
#include "bench/workloads/cores.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

/// What comes before anything is timed: so many posts, or so much time, since there are loops that take long
/// for one. A sleeping core of a virtual machine is woken faster at first than from then on.
class warm_up_of_posts {
public:
    bool is_over_after(std::uint64_t posts) const noexcept {
        return posts >= posts_max || std::chrono::steady_clock::now() - start_ >= time_max;
    }

private:
    static constexpr std::uint64_t posts_max = 2000;
    static constexpr std::chrono::milliseconds time_max{150};
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

namespace detail {

/// Posts one function after the other from a thread on the given core, each when the one before has run.
template <Runtime R>
class posting_thread {
public:
    posting_thread(R& runtime, trial& t, int core)
        : runtime_(runtime), t_(t), done_(runtime), thread_(start_on_core(core, [this] { post_all(); })) {}
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
        ++ran_;
        if (!untimed_) {
            if (warm_up_.is_over_after(ran_)) {
                untimed_ = ran_;
                t_.begin();
            }
            return allow(ran_ + 1);
        }
        if (t_.recording()) t_.latency().record(std::chrono::nanoseconds(clock::now() - posted).count());
        if (ran_ < *untimed_ + t_.operations()) return allow(ran_ + 1);
        t_.end();  // here, so that waking the task is not timed
        done_.set();
    }

    R& runtime_;
    trial& t_;
    typename R::event done_;
    warm_up_of_posts warm_up_;
    std::optional<std::uint64_t> untimed_;  // how many ran in the warm-up, when it is over
    std::uint64_t ran_ = 0;
    std::atomic<std::uint64_t> posted_ = 0;
    std::atomic<std::uint32_t> allowed_ = 0;  // how many posts the thread may have made; a futex has 32 bits
    std::thread thread_;                      // last: it uses all of the above
};

}  // namespace detail

/// One operation: another thread posts a function, the sleeping loop wakes and runs it, and the thread is
/// told. A warm-up comes before. Both threads are kept on their cores, which are one or two. The latency is
/// from before the post to when the function runs.
template <Runtime R, int Cores>
task_of<R> post_cross_thread(R& runtime, trial& t) {
    const auto cores = cores_for_two_threads(Cores, t);
    if (!cores) co_return;
    const kept_on_core here(cores->first);
    detail::posting_thread<R> other(runtime, t, cores->second);
    co_await other.start_and_wait();
    t.prove("functions that ran", other.posted(), other.ran());
}

}  // namespace loopbench::bench::workloads
