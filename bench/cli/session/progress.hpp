// A bar for whoever watches a run: what runs now, how it stands so far, how much is done and how long it will
// take. It is drawn between trials alone, so that it never disturbs one, and only on a terminal that can
// erase a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/cli/session/ratios_so_far.hpp"

namespace loopbench::bench {

class progress {
public:
    /// What is shown takes no longer than `budget` from now.
    explicit progress(std::optional<std::chrono::nanoseconds> budget = {});
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    /// Erases the bar.
    ~progress();

    /// `workload` on `contender` begins after `done` of `total` trials.
    void show(std::string_view workload, std::string_view contender, std::uint64_t done, std::uint64_t total,
              const std::optional<ratio_so_far>& ratio = {});

private:
    using steady_clock = std::chrono::steady_clock;

    bool terminal_;
    std::optional<std::chrono::duration<double>> budget_;
    steady_clock::time_point started_ = steady_clock::now();
    std::optional<steady_clock::time_point> drawn_;
};

}  // namespace loopbench::bench
