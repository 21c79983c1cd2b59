// Carries a plan out, block by block, and knows the rules of a run: what is not run again, and when to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/experiment/plan.hpp"
#include "bench/trial/trial.hpp"

namespace loopbench::bench {

struct trial_record {
    std::uint64_t block = 0;  // from 0
    cell where;
    trial_outcome outcome;
    std::uint64_t attempt = 0;                // from 0; above when the block was repeated
    std::size_t layout = 0;                   // of its contender's
    std::optional<std::string> machine = {};  // that it was made on; of shards alone
};

/// Why a cell has no numbers.
struct exclusion {
    reports::cell_status status = reports::cell_status::failed;
    std::string reason;
};

/// A shard as it went into a merged record.
struct merged_shard {
    shard part;
    std::vector<std::string> command;
    reports::environment where;
    bool finished = true;  // its share is done, or its budget was spent
    std::uint64_t blocks_finished = 0;
};

/// Why a contender cannot run a workload, as far as its own list says.
std::optional<exclusion> exclusion_before(const contender& who, const std::string& workload);

/// The same of every cell of the plan: [workload][contender].
std::vector<std::vector<std::optional<exclusion>>> exclusions_before(const run_plan& plan);

struct run_outcome {
    std::vector<trial_record> trials;                             // in the order in which they ended
    std::vector<std::vector<std::optional<exclusion>>> excluded;  // [workload][contender]
    std::uint64_t blocks_finished = 0;
    bool interrupted = false;
    bool budget_spent = false;         // fewer blocks than planned
    std::uint64_t blocks_planned = 0;  // the plan's, or what its precision was found to need
    std::uint64_t repeated = 0;        // workloads of a block that were run again, as a trial was disturbed
    std::vector<merged_shard> merged = {};  // by number; empty unless the record was merged from shards
};

/// In so many blocks a cell has to have had no number before it has none in any: a load generator that was
/// too late, or memory that could not be locked, is of the moment, and the first block is no other than the
/// next.
inline constexpr std::size_t blocks_to_try = 3;

/// Why a cell is not run again after this trial; nothing when it is. What was not supported in a block is
/// missing in that block alone if the cell had a number in another (`before`), or may have one yet.
std::optional<exclusion> exclusion_after(const run_plan& plan, const std::vector<trial_record>& before,
                                         const trial_record& record);

/// Told of each trial as it happens; called between trials, never during one.
class run_observer {
public:
    virtual ~run_observer() = default;
    /// `done` of `total` trials are behind us.
    virtual void before_trial(const trial_request& request, std::uint64_t done, std::uint64_t total) = 0;
    virtual void after_trial(const trial_record& record) = 0;
};

/// Time since the start of the run; injected so that budgets can be tested without waiting.
using run_clock = std::function<std::chrono::nanoseconds()>;

/// Runs the plan, or its part. A cell that failed is not run again, nor one that is unsupported in block
/// after block (exclusion_after). With a budget, a block begins only when the longest one so far would still
/// fit, no trial begins after its end, and one that is running then is ended and does not count. The trials
/// of one workload in one block are run again, once, when one of them was disturbed: at most a quarter of the
/// planned ones, and while the budget lasts. With a precision the plan's blocks are the most that it may find
/// to need (stopping.hpp). Exceptions of executor and observer pass.
///
/// `done` is what an earlier run of the same plan has done already (its trials and exclusions): it is not
/// done again, but where it stopped among the trials of a workload in a block, these are all made again, so
/// that they are pairs.
run_outcome run(const run_plan& plan, trial_executor& executor, run_observer& observer,
                const run_clock& clock, run_outcome done = {});

}  // namespace loopbench::bench
