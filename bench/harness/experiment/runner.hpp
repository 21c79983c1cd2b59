// Executes a plan, block by block, and applies the rules of a run: which trials are not repeated, and when to
// stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/run_trial.hpp"

namespace loopbench::bench {

struct trial_record {
    std::uint64_t block = 0;  // from 0
    cell where;
    trial_outcome outcome;
    std::uint64_t attempt = 0;                // from 0; above 0 if the block was repeated
    std::size_t layout = 0;                   // of its contender
    std::optional<std::string> machine = {};  // the machine that it ran on; only in shards
};

/// The reason why a result has no numbers.
struct exclusion {
    reports::result_status status = reports::result_status::failed;
    std::string reason;
};

/// A shard, as it went into a merged record.
struct merged_shard {
    shard part;
    std::vector<std::string> command;
    reports::environment where;
    bool finished = true;  // its share is done, or its budget is spent
    std::uint64_t blocks_finished = 0;
};

/// Returns why a contender cannot run a workload, according to its own list.
std::optional<exclusion> exclusion_before(const contender& who, const std::string& workload);

/// Returns the same for every workload and contender of the plan: [workload][contender].
std::vector<std::vector<std::optional<exclusion>>> exclusions_before(const run_plan& plan);

struct run_outcome {
    std::vector<trial_record> trials;                             // in the order in which they ended
    std::vector<std::vector<std::optional<exclusion>>> excluded;  // [workload][contender]
    std::uint64_t blocks_finished = 0;
    bool interrupted = false;
    bool budget_spent = false;              // fewer blocks than planned
    std::uint64_t blocks_planned = 0;       // the plan's, or the number that its precision needed
    std::uint64_t repeated = 0;             // workloads of a block that ran again after a disturbance
    std::vector<merged_shard> merged = {};  // by number; empty unless merged from shards
};

/// The number of blocks without a result after which the runner gives up on that result. One block is not
/// enough: a load generator that was too late, or memory that could not be locked, are temporary problems.
inline constexpr std::size_t blocks_to_try = 3;

/// Returns why these trials are not run again after this one; nothing if they are. A result that is
/// unsupported in one block is missing only in that block if another block (`before`) has a number, or may
/// still get one.
std::optional<exclusion> exclusion_after(const run_plan& plan, const std::vector<trial_record>& before,
                                         const trial_record& record);

/// An observer of the trials; called between trials, never during one.
class run_observer {
public:
    virtual ~run_observer() = default;
    /// Called with the next trial; `done` of `total` trials are finished.
    virtual void before_trial(const trial_request& request, std::uint64_t done, std::uint64_t total) = 0;
    virtual void after_trial(const trial_record& record) = 0;
};

/// A function that returns the time since the start of the run; passed in, so that tests of budgets need not
/// wait.
using run_clock = std::function<std::chrono::nanoseconds()>;

/// Runs the plan, or this session's part of it. A contender that failed on a workload does not run it again;
/// nor does one that is unsupported in several blocks (exclusion_after). With a budget, a block begins only
/// if the longest block so far would still fit. No trial begins after the budget's end, and one that is
/// running then is ended and does not count. If a trial was disturbed, the trials of its workload in that
/// block are run again, once: at most a quarter of the planned trials, and while the budget lasts. With a
/// precision, the plan's blocks are the maximum (stopping.hpp). Exceptions of executor and observer pass
/// through.
///
/// `done` is the work of an earlier run of the same plan (its trials and exclusions), which is not repeated.
/// If that run stopped among the trials of a workload in a block, all of these are run again, so that they
/// are pairs.
run_outcome run(const run_plan& plan, trial_executor& executor, run_observer& observer,
                const run_clock& clock, run_outcome done = {});

}  // namespace loopbench::bench
