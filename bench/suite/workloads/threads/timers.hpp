#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "bench/suite/workloads/threads/work.hpp"

namespace loopbench::bench::workloads::detail {

/// Clocks, which tick every millisecond, with absolute deadlines, at all homes. They call ticked(clock) for
/// each tick, after its lateness was recorded.
template <ThreadedTimers R, class Ticked>
class ticking {
public:
    ticking(R& loops, thread_records& to, std::size_t clocks, Ticked ticked)
        : runtime_(loops), records_(to), ticked_(std::move(ticked)), left_(clocks) {}

    std::size_t clocks() const noexcept { return left_.size(); }

    /// Lets each clock tick `ticks` times, or until the first tick after stop(). Each clock then calls
    /// ended().
    template <class Ended>
    void start(std::uint64_t ticks, Ended ended) {
        const time_point begin = std::chrono::steady_clock::now();
        for (std::size_t clock = 0; clock < clocks(); ++clock) {
            left_[clock].value = ticks;
            runtime_.post(home_of(clock), [this, clock, begin, ended] { next(clock, begin, ended); });
        }
    }
    void stop() noexcept { is_stopped_.store(true, std::memory_order_release); }

private:
    struct alignas(bytes_apart) count {
        std::uint64_t value = 0;
    };

    std::size_t home_of(std::size_t clock) const { return clock % runtime_.homes(); }

    template <class Ended>
    void next(std::size_t clock, time_point last, Ended ended) {
        const time_point deadline = last + timer_period;
        runtime_.arm(home_of(clock), deadline, [this, clock, deadline, ended] {
            records_.record_lateness(deadline);
            ticked_(clock);
            if (--left_[clock].value > 0 && !is_stopped_.load(std::memory_order_acquire))
                return next(clock, deadline, ended);
            ended();
        });
    }

    R& runtime_;
    thread_records& records_;
    Ticked ticked_;
    std::vector<count> left_;
    std::atomic<bool> is_stopped_{false};
};

inline constexpr std::chrono::milliseconds blocked_time{1};

/// Measures the lateness of clocks at all homes, while one function after the other blocks a thread.
template <ThreadedTimers R>
class blocking_trial {
public:
    blocking_trial(R& loops, trial& t, std::size_t clocks)
        : runtime_(loops),
          records_(t, loops.threads(), clocks),
          clocks_(loops, records_, clocks, count_tick{records_}),
          running_(clocks) {}

    void run() {
        trial& t = records_.t;
        const std::uint64_t ticks = std::max<std::uint64_t>(1, t.operations() / clocks_.clocks());
        t.did(ticks * clocks_.clocks());
        runtime_.post(0, [this, ticks] {
            records_.begin();
            block();
            clocks_.start(ticks, [this] {
                records_.keep_shares();
                if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
                records_.end();
                is_over_.store(true, std::memory_order_release);
            });
        });
        runtime_.run();
        t.prove("number of ticks", ticks * clocks_.clocks(), records_.units.sum());
        if (blocks_ == 0) t.fail("no function blocked a thread");
        records_.report();
    }

private:
    struct count_tick {
        thread_records& records;
        void operator()(std::size_t clock) const {
            records.operations[this_thread_index()].add();
            records.units[clock].add();
        }
    };

    void block() {
        runtime_.post_to_any([this] {
            ++blocks_;
            std::this_thread::sleep_for(blocked_time);
            is_over_.load(std::memory_order_acquire) ? runtime_.finish() : block();
        });
    }

    R& runtime_;
    thread_records records_;
    ticking<R, count_tick> clocks_;
    std::atomic<std::size_t> running_;
    std::atomic<bool> is_over_{false};
    std::uint64_t blocks_ = 0;
};

/// Measures the threads while they have nothing to do. Each home has a timer that does not fire.
template <ThreadedTimers R>
class idle_trial {
public:
    idle_trial(R& loops, trial& t)
        : runtime_(loops), records_(t, loops.threads(), 1), waiting_(loops.homes()) {}

    void run() {
        for (std::size_t home = 0; home < runtime_.homes(); ++home)
            runtime_.post(home, [this, home] {
                runtime_.arm(home, std::chrono::steady_clock::now() + std::chrono::hours(1),
                             [this] { fired_.fetch_add(1); });
                if (waiting_.fetch_sub(1, std::memory_order_acq_rel) == 1)
                    runtime_.post(0, [this] { begin(); });
            });
        runtime_.run();
        prove_idleness(records_, fired_);
        records_.report();
    }

private:
    void begin() {
        left_ = records_.t.operations();
        records_.begin();
        wait();
    }

    void wait() {
        const time_point deadline = std::chrono::steady_clock::now() + idle_time_of(records_.t);
        runtime_.arm(0, deadline, [this, deadline] {
            records_.record_lateness(deadline);
            records_.operations[this_thread_index()].add();
            if (--left_ > 0) return wait();
            records_.end();
            runtime_.finish();
        });
    }

    R& runtime_;
    thread_records records_;
    std::atomic<std::size_t> waiting_;
    std::atomic<std::uint64_t> fired_{0};
    std::uint64_t left_ = 0;
};

}  // namespace loopbench::bench::workloads::detail
