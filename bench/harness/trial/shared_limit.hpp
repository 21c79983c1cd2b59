#pragma once

#include <algorithm>
#include <chrono>

namespace loopbench::bench {

/// A time limit that several processes share.
class shared_limit {
public:
    using clock = std::chrono::steady_clock;

    explicit shared_limit(clock::time_point end) : end_{end} {}
    explicit shared_limit(std::chrono::nanoseconds limit) : end_{clock::now() + limit} {}

    /// Returns the time limit for the next process: the remaining time, but at least 100 ms, in which an
    /// ordinary process starts and ends.
    [[nodiscard]] std::chrono::nanoseconds left() const {
        constexpr std::chrono::nanoseconds least = std::chrono::milliseconds{100};
        return std::max<std::chrono::nanoseconds>(end_ - clock::now(), least);
    }
    [[nodiscard]] bool is_over() const { return clock::now() >= end_; }

private:
    clock::time_point end_;
};

}  // namespace loopbench::bench
