#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace loopbench::bench {

using elapsed_time = std::chrono::duration<double>;

/// Estimates the remaining time, or returns nothing if no trial is done. Assumes that the remaining trials
/// take as long on average as the `done` trials. `budget` starts at the same time as `elapsed`, and limits
/// the estimate.
inline std::optional<elapsed_time> time_left(elapsed_time elapsed, std::uint64_t done, std::uint64_t total,
                                             std::optional<elapsed_time> budget) {
    if (done == 0) return std::nullopt;
    const auto left =
        elapsed / static_cast<double>(done) * static_cast<double>(total - std::min(done, total));
    if (!budget) return left;
    return std::min(left, std::max(*budget - elapsed, elapsed_time::zero()));
}

/// Formats times below 90 s as "42 s", and longer times as "2:05 min" or "1:00:00 h".
inline std::string countdown(elapsed_time left) {
    constexpr std::int64_t minute = 60, hour = 60 * minute, seconds_up_to = 90;
    const auto seconds = static_cast<std::int64_t>(std::llround(left.count()));
    if (seconds < seconds_up_to) return fmt::format("{} s", seconds);
    if (seconds < hour) return fmt::format("{}:{:02} min", seconds / minute, seconds % minute);
    return fmt::format("{}:{:02}:{:02} h", seconds / hour, seconds % hour / minute, seconds % minute);
}

}  // namespace loopbench::bench
