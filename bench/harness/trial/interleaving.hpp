// The contenders' side and the protocol are in bench/suite/workloads/trial/slices.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/harness/trial/laws.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

/// The lengths of the two parts of a slice. The untimed part must last until the caches no longer contain the
/// data of other contenders (reports/evidence/settle).
struct slice_lengths {
    std::chrono::nanoseconds untimed = std::chrono::microseconds{500},
                             timed = std::chrono::microseconds{1500};  // both parts in whole microseconds
    bool operator==(const slice_lengths&) const = default;
};
inline constexpr std::chrono::seconds longest_slice_part{1};

/// The time within which a contender must reply to a slice. Otherwise, the harness ends the contender.
inline constexpr std::chrono::seconds slice_limit{10};

struct slice_rules {
    std::uint64_t seed = 0;
    std::chrono::nanoseconds enough{};  // after this much timed work, a contender gets no more slices
    std::chrono::nanoseconds limit{};   // for all contenders together
    int stop_fd = -1;
    std::chrono::nanoseconds longest_slice = slice_limit;
    slice_lengths lengths = {};
    // A function that receives the index and the outcome of each contender that has ended.
    std::function<void(std::size_t, const child_outcome&)> ended = {};
};

struct outcome_by_slices {
    child_outcome child;
    bool out_of_time = false;  // true if the common time limit ended the child
    /// The slices of this contender. The i-th slices of all contenders belong to the same round, and are only
    /// milliseconds apart.
    std::vector<slice> slices;
    std::chrono::nanoseconds harness_waited{};  // time in which the harness waited for a core
};

/// Runs the contenders interleaved: all processes exist at the same time, but only one of them works at a
/// time. All requests must name the same core. Contenders that do not support slices run one after the other.
/// After the time limit or an interrupt, no further contender starts. Must be called from the main thread;
/// see run_child().
std::vector<outcome_by_slices> run_interleaved(std::span<const child_request> requests,
                                               const slice_rules& rules);

}  // namespace loopbench::bench
