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
    std::uint64_t block = 0;
    cell where;
    trial_outcome outcome;
    std::uint64_t attempt = 0;  // above 0 if the row ran again (see run())
    std::size_t layout = 0;
    std::optional<std::string> machine = {};  // only in shards
};

struct exclusion {
    reports::result_status status = reports::result_status::failed;
    std::string reason;
};

struct merged_shard {
    shard part;
    std::vector<std::string> command;
    reports::environment where;
    bool finished = true;
    std::uint64_t blocks_finished = 0;
};

std::optional<exclusion> exclusion_before(const contender& who, const std::string& workload);

/// Returns the reasons why results are excluded before the run. The indices are [workload][contender].
std::vector<std::vector<std::optional<exclusion>>> exclusions_before(const run_plan& plan);

struct run_outcome {
    std::vector<trial_record> trials;
    std::vector<std::vector<std::optional<exclusion>>> excluded;  // [workload][contender]
    std::uint64_t blocks_finished = 0;
    bool interrupted = false;
    bool budget_spent = false;
    std::uint64_t blocks_planned = 0;       // with --precision, it can change after the pilot (stopping.hpp)
    std::uint64_t repeated = 0;             // rows that ran again after a disturbance (see run())
    std::vector<merged_shard> merged = {};  // sorted by number; empty unless merged from shards
};

/// The number of blocks in which a result must have no number before the runner gives up on the result. One
/// block is not enough, because the reason for a missing number can be temporary: for example, the load
/// generator was too late, or memory could not be locked.
inline constexpr std::size_t blocks_to_try = 3;

/// Adds a trial to the outcome. Returns true if its result gets no further trials: either this trial failed,
/// or the result was unsupported in `blocks_to_try` blocks and never had a number. A running session and the
/// reader of journals use this function, so that both get the same outcome.
bool add_trial(run_outcome& outcome, const run_plan& plan, trial_record record);

/// An observer of the run. The runner calls these functions between trials, never during a trial.
class run_observer {
public:
    virtual ~run_observer() = default;
    virtual void before_trial(const trial_request& request, std::uint64_t done, std::uint64_t total) = 0;
    virtual void after_trial(const trial_record& record) = 0;
};

using run_clock = std::function<std::chrono::nanoseconds()>;

/// A rule that ends a run early. Returns true if the blocks that are finished are enough. Statistics for such
/// a rule must allow for a decision after each block (sequential_test.hpp).
using stopping_rule = std::function<bool(const run_outcome& so_far)>;

/// Runs the plan, or this session's shard of the plan. With a budget, a block begins only if the longest
/// block so far would still fit. A trial that is still running at the end of the budget is ended and does not
/// count.
///
/// A row consists of all trials of one workload in one block. A row with a disturbed trial runs a second time
/// if the budget suffices and fewer than a quarter of the planned rows have been repeated. With a precision,
/// the plan's number of blocks is the maximum (stopping.hpp). Does not catch exceptions of the executor or
/// the observer.
///
/// `done` contains the trials and exclusions of an earlier run of the same plan. Rows that the earlier run
/// finished do not run again. After each block, `enough` can end the run; it is not asked before the last
/// block of the earlier run, because `so_far` contains all trials of that run.
run_outcome run(const run_plan& plan, trial_executor& executor, run_observer& observer,
                const run_clock& clock, run_outcome done = {}, const stopping_rule& enough = {});

}  // namespace loopbench::bench
