// The histogram of a trial's latencies. It uses a fixed amount of memory, because a contender that allocated
// or sorted while it measures would change its own results.
//
// The histogram is log-linear, like HdrHistogram (http://hdrhistogram.org). Each value below 256 has its own
// counter, and each power of two above is split into 128 counters. A percentile differs from the recorded
// value by at most 1/256 of the value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace loopbench::bench {

/// A histogram of durations in nanoseconds, from 0 to the largest int64. Only its constructor allocates
/// memory. Only one thread at a time can use it.
class histogram {
public:
    histogram() : counters_(counter_count) {}

    void record(std::int64_t value_ns) noexcept { record_many(value_ns, 1); }

    void record_many(std::int64_t value_ns, std::uint64_t times) noexcept {
        if (times == 0) return;
        const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(value_ns, 0));
        counters_[counter_of(value)] += times;
        count_ += times;
        sum_ns_ += static_cast<double>(value) * static_cast<double>(times);
        min_ns_ = std::min(min_ns_, static_cast<std::int64_t>(value));
        max_ns_ = std::max(max_ns_, static_cast<std::int64_t>(value));
    }

    /// Adds all values of another histogram.
    void add(const histogram& other) noexcept {
        for (std::size_t counter = 0; counter < counters_.size(); ++counter)
            counters_[counter] += other.counters_[counter];
        count_ += other.count_;
        sum_ns_ += other.sum_ns_;
        min_ns_ = std::min(min_ns_, other.min_ns_);
        max_ns_ = std::max(max_ns_, other.max_ns_);
    }

    /// Sets the exact minimum, maximum and mean. record_many() cannot restore these values from the counters
    /// of another histogram, because it records each value as the middle of its counter's range.
    void set_exact(std::int64_t min_ns, std::int64_t max_ns, double mean_ns) noexcept {
        if (count_ == 0) return;
        min_ns_ = min_ns;
        max_ns_ = max_ns;
        sum_ns_ = mean_ns * static_cast<double>(count_);
    }

    std::uint64_t count() const noexcept { return count_; }

    // Returns the exact minimum. This function, max_ns() and mean_ns() return 0 if nothing was recorded.
    std::int64_t min_ns() const noexcept { return count_ == 0 ? 0 : min_ns_; }
    std::int64_t max_ns() const noexcept { return max_ns_; }
    double mean_ns() const noexcept { return count_ == 0 ? 0.0 : sum_ns_ / static_cast<double>(count_); }

    /// Returns the percentile by the nearest-rank rule. This is the smallest value such that at least
    /// `percent` per cent (0 to 100) of all values are not larger. The result is accurate to 1/256.
    std::int64_t percentile_ns(double percent) const noexcept;

    /// Returns the value with this rank: 1 is the smallest value, and count() is the largest. The result is
    /// accurate to 1/256.
    std::int64_t value_at_rank_ns(std::uint64_t rank) const noexcept;

    /// Calls use(lowest, highest, count) for every counter that is not 0, in ascending order. The counter has
    /// counted the values from `lowest` to `highest`, including these two values.
    template <class Use>
    void for_each_bucket(Use use) const {
        for (std::size_t counter = 0; counter < counters_.size(); ++counter)
            if (counters_[counter] > 0)
                use(lowest_of(counter), lowest_of(counter) + (width_of(counter) - 1), counters_[counter]);
    }

    template <class Use>
    void for_each_bucket_backwards(Use use) const {
        for (std::size_t counter = counters_.size(); counter-- > 0;)
            if (counters_[counter] > 0)
                use(lowest_of(counter), lowest_of(counter) + (width_of(counter) - 1), counters_[counter]);
    }

private:
    static constexpr unsigned precision_bits = 7;
    static constexpr std::size_t counter_count = (63 - precision_bits + 1) << precision_bits;

    // Returns the index of the counter for a value. The index is the number in the value's leading 8 bits,
    // plus 128 for each bit after them.
    static constexpr std::size_t counter_of(std::uint64_t value) noexcept {
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        const unsigned shift = bits > precision_bits + 1 ? bits - precision_bits - 1 : 0;
        return (std::size_t{shift} << precision_bits) + static_cast<std::size_t>(value >> shift);
    }

    static std::int64_t lowest_of(std::size_t counter) noexcept;
    static std::int64_t width_of(std::size_t counter) noexcept;

    std::vector<std::uint64_t> counters_;
    std::uint64_t count_ = 0;
    double sum_ns_ = 0;
    std::int64_t min_ns_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t max_ns_ = 0;
};

/// Returns the smallest rank, from 1, such that at least `percent` per cent of `count` values have this rank
/// or a lower one.
std::uint64_t nearest_rank(double percent, std::uint64_t count) noexcept;

/// A histogram of lateness in nanoseconds. A negative value means that a timer fired early.
class signed_histogram {
public:
    void record(std::int64_t late_ns) noexcept {
        if (late_ns < 0) {
            early_.record(late_ns == std::numeric_limits<std::int64_t>::min()
                              ? std::numeric_limits<std::int64_t>::max()
                              : -late_ns);
        } else {
            late_.record(late_ns);
        }
    }

    void add(const signed_histogram& other) noexcept {
        early_.add(other.early_);
        late_.add(other.late_);
    }

    std::uint64_t count() const noexcept { return early_.count() + late_.count(); }
    std::uint64_t early_count() const noexcept { return early_.count(); }

    std::int64_t min_ns() const noexcept { return early_.count() > 0 ? -early_.max_ns() : late_.min_ns(); }
    std::int64_t max_ns() const noexcept { return late_.count() > 0 ? late_.max_ns() : -early_.min_ns(); }

    double mean_ns() const noexcept;

    /// Calls use(lowest, highest, count) for every bucket in ascending order. Buckets of early timers have
    /// negative bounds and come first.
    template <class Use>
    void for_each_bucket(Use use) const {
        early_.for_each_bucket_backwards([&](std::int64_t lowest, std::int64_t highest, std::uint64_t count) {
            use(-highest, -lowest, count);
        });
        late_.for_each_bucket(use);
    }

    std::int64_t percentile_ns(double percent) const noexcept;

private:
    histogram early_;
    histogram late_;
};

}  // namespace loopbench::bench
