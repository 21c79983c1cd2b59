// Progress of a run: how much is done and how long the rest will take. On a terminal that can erase a line it
// is a bar, which also shows the current trial and its ratio so far; in a log it is one line per minute. It
// is written only between trials, so that it never disturbs one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/harness/cli/session/ratios_so_far.hpp"

namespace loopbench::bench {

class progress {
public:
    /// `budget` limits the time left that is shown, counted from now. `log_pause` is the time between two
    /// lines of a log, and before the first one.
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
