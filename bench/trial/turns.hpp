// Taking turns: the suite's half. (The contenders' half, and the protocol, is
// bench/workloads/trial/turns.hpp.)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/trial/laws.hpp"
#include "bench/trial/process/child_process.hpp"

namespace loopbench::bench {

/// What a turn is. The untimed part is to be as long as it takes until what the others did to the caches is
/// not to be seen any more (reports/evidence/settle).
struct turn_lengths {
    std::chrono::nanoseconds untimed = std::chrono::microseconds{500},
                             timed = std::chrono::microseconds{1500};  // whole microseconds
    bool operator==(const turn_lengths&) const = default;
};
inline constexpr std::chrono::seconds longest_turn_part{1};

/// Who does not give its turn back within this time is ended. Its process may have to end in it.
inline constexpr std::chrono::seconds turn_limit{10};

struct turn_rules {
    std::uint64_t seed = 0;             // of the order in each round
    std::chrono::nanoseconds enough{};  // timed work after which a contender is told to end
    std::chrono::nanoseconds limit{};   // for all of them
    int stop_fd = -1;                   // when it becomes readable, all are ended
    std::chrono::nanoseconds turn = turn_limit;
    turn_lengths lengths = {};
    std::function<void(std::size_t, const child_outcome&)> ended = {};  // called for each as it ends, if any
};

struct outcome_by_turns {
    child_outcome child;
    bool out_of_time = false;  // ended by the limit that is for all of them
    /// The i-th slices of all are of one round, some milliseconds apart.
    std::vector<slice> slices;
};

/// Runs all of them at once, one at a time working, until all have ended. Their requests say the core. For
/// those that know nothing of turns it is as if they were run one after the other. None is started any more
/// when all are to end. Main thread only; see run_child().
std::vector<outcome_by_turns> run_in_turns(std::span<const child_request> requests, const turn_rules& rules);

}  // namespace loopbench::bench
