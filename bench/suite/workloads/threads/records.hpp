// The records of the workloads threads/... No two threads write to the same record, because a shared counter
// would cost more than the measured operations.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/suite/recording/histogram.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads::detail {

/// A counter that one thread at a time can increment. Any thread can read it. An increment costs as much as
/// that of an ordinary variable.
class alignas(bytes_apart) shown_count {
public:
    void add(std::uint64_t number = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
    }
    std::uint64_t now() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// The counters of several units: threads, chains, strands or connections.
class shown_counts {
public:
    explicit shown_counts(std::size_t units) : counts_(units) {}

    shown_count& operator[](std::size_t unit) noexcept { return counts_[unit]; }
    /// Returns the counts since begin(), or since the construction.
    std::vector<std::uint64_t> now() const;
    std::uint64_t sum() const;
    void begin() { before_ = absolute(); }

private:
    std::vector<std::uint64_t> absolute() const;

    std::vector<shown_count> counts_;
    std::vector<std::uint64_t> before_;
};

/// Returns the smallest share, divided by the mean. Returns 1 if all shares are 0.
double least_share(std::span<const std::uint64_t> shares) noexcept;

/// The operations and latencies of a trial with several threads.
class thread_records {
public:
    /// `count_of_units` is the number of chains, strands or connections that the trial serves alike.
    thread_records(trial& of, std::size_t threads, std::size_t count_of_units)
        : t(of), operations(threads), units(count_of_units), of_thread_(threads) {}

    /// Begins the timed section. No other thread can use the records meanwhile.
    void begin() {
        operations.begin();
        units.begin();
        t.begin();
        is_timed_ = true;
    }
    void end() noexcept { t.end(); }
    bool is_timed() const noexcept { return is_timed_; }

    /// Records a latency in the calling thread, which must be a thread of the runtime. Returns its end.
    trial::time_point record_latency(trial::time_point start) noexcept {
        const trial::time_point end = t.start_of_latency();
        if (t.recording() && is_timed_)
            of_thread_[this_thread_index()].latency.record(std::chrono::nanoseconds(end - start).count());
        return end;
    }
    void record_lateness(time_point deadline) noexcept {
        const auto late = std::chrono::steady_clock::now() - deadline;
        of_thread_[this_thread_index()].lateness.record(std::chrono::nanoseconds(late).count());
    }

    /// Keeps the shares of the threads and of the units. If the units run all the time, the first one that
    /// has made all its operations calls this function, because their shares are equal when all are done.
    /// Otherwise, the last one calls it. Further calls have no effect.
    void keep_shares() {
        if (has_shares_.exchange(true)) return;
        of_units_ = units.now();
        of_threads_ = operations.now();
    }

    /// Fails the trial. Any thread can call this function.
    void fail(std::string reason) {
        const std::lock_guard lock(mutex_);
        t.fail(std::move(reason));
    }

    /// Adds the records of all threads to the trial, and reports the fairness and the number of context
    /// switches. Must be called after the end of run().
    void report();

    trial& t;
    shown_counts operations;  // by thread
    shown_counts units;

private:
    struct alignas(bytes_apart) histograms {
        histogram latency;
        signed_histogram lateness;
    };

    bool is_timed_ = false;
    std::vector<histograms> of_thread_;
    std::atomic<bool> has_shares_{false};
    std::vector<std::uint64_t> of_units_, of_threads_;
    std::mutex mutex_;
};

}  // namespace loopbench::bench::workloads::detail
