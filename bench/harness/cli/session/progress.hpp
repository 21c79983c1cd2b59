// The progress is a bar if standard error is a terminal that can erase a line, otherwise one line per minute.
// It is written only between trials, so that writing does not disturb the trials.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/harness/cli/session/ratios_so_far.hpp"

namespace loopbench::bench {

class progress {
public:
    /// Starts the clock of the run. `budget` is the time that the run can use from now on; the shown
    /// remaining time never exceeds it. If standard error is not a terminal, `log_pause` is the minimum time
    /// between two lines.
    explicit progress(std::optional<std::chrono::nanoseconds> budget = {},
                      std::chrono::nanoseconds log_pause = std::chrono::minutes(1));
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    void show(std::string_view workload, std::string_view contender, std::uint64_t done, std::uint64_t total,
              const std::optional<ratio_so_far>& ratio = {});

    /// Shows that the pairing of `workload` is being chosen, and that `done` of `total` pairings have already
    /// been chosen.
    void show_pairing(std::string_view workload, std::uint64_t done, std::uint64_t total);

    /// Shows that the cause of a slowdown is being looked for, and that `done` of `total` searches have
    /// ended.
    void show_cause(std::string_view workload, std::uint64_t done, std::uint64_t total);

    /// Shows a text on the terminal, for example "listing the benchmarks of ./old". Does nothing if standard
    /// error is not a terminal.
    void show_step(std::string_view text);

private:
    using steady_clock = std::chrono::steady_clock;

    [[nodiscard]] bool is_due();
    [[nodiscard]] std::string left(std::uint64_t done, std::uint64_t total) const;

    bool terminal_;
    std::optional<std::chrono::duration<double>> budget_;
    std::chrono::nanoseconds pause_;
    steady_clock::time_point started_ = steady_clock::now();
    std::optional<steady_clock::time_point> shown_;
};

}  // namespace loopbench::bench
