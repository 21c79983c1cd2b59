// Shows the progress of a run: how much is done and how long the rest will take. A terminal that can erase a
// line shows a bar, with the current trial and its ratio so far. A log gets one line per minute. The progress
// is written only between trials, so that it does not disturb them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/harness/cli/session/ratios_so_far.hpp"

namespace loopbench::bench {

class progress {
public:
    /// `budget` is the time from now on that the run can use; the shown remaining time never exceeds it.
    /// `log_pause` is the time before each line of a log.
    explicit progress(std::optional<std::chrono::nanoseconds> budget = {},
                      std::chrono::nanoseconds log_pause = std::chrono::minutes(1));
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    /// Erases the bar.
    ~progress();

    /// Shows that `workload` on `contender` begins after `done` of `total` trials.
    void show(std::string_view workload, std::string_view contender, std::uint64_t done, std::uint64_t total,
              const std::optional<ratio_so_far>& ratio = {});

private:
    using steady_clock = std::chrono::steady_clock;

    bool terminal_;
    std::optional<std::chrono::duration<double>> budget_;
    std::chrono::nanoseconds pause_;
    steady_clock::time_point started_ = steady_clock::now();
    std::optional<steady_clock::time_point> shown_;
};

}  // namespace loopbench::bench
