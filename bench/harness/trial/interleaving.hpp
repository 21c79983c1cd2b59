// Interleaved measuring: the suite's half. (bench/suite/workloads/trial/slices.hpp has the contenders' half
// and the protocol.)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/harness/trial/laws.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

/// The parts of a slice. The untimed part must last until the other contenders' effect on the caches has
/// disappeared (reports/evidence/settle).
struct slice_lengths {
    std::chrono::nanoseconds untimed = std::chrono::microseconds{500},
                             timed = std::chrono::microseconds{1500};  // whole microseconds
    bool operator==(const slice_lengths&) const = default;
};
inline constexpr std::chrono::seconds longest_slice_part{1};

/// A contender that keeps its slice longer than this is ended. The limit includes the end of its process.
inline constexpr std::chrono::seconds slice_limit{10};

struct slice_rules {
    std::uint64_t seed = 0;             // for the order in each round
    std::chrono::nanoseconds enough{};  // timed work after which a contender must end
    std::chrono::nanoseconds limit{};   // for all of them
    int stop_fd = -1;                   // when it becomes readable, all are ended
    std::chrono::nanoseconds longest_slice = slice_limit;
    slice_lengths lengths = {};
    std::function<void(std::size_t, const child_outcome&)> ended = {};  // called for each as it ends, if set
};

struct outcome_by_slices {
    child_outcome child;
    bool out_of_time = false;  // ended by the common limit
    /// The i-th slices of all contenders belong to one round, some milliseconds apart.
    std::vector<slice> slices;
    std::chrono::nanoseconds harness_waited{};  // for a core, during all slices of the block
};

/// Runs all of them at once, with one working at a time, until all have ended. Their requests name the core.
/// Contenders that do not know slices run one after the other. No contender is started after all must end.
/// Main thread only; see run_child().
std::vector<outcome_by_slices> run_interleaved(std::span<const child_request> requests,
                                               const slice_rules& rules);

}  // namespace loopbench::bench
