// Measures how often verdicts are right when the truth is known: a contender is compared with itself, and
// with itself slowed down by a known share of its time. judge_all() (bench/harness/statistics/verdict.hpp)
// judges these comparisons, like those of every report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/experiment/record.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct calibration_sizes {
    std::uint64_t aa_tries = 320,
                  aa_blocks = 20;           // comparisons of a contender with itself, and blocks of each
    std::uint64_t tries = 40, blocks = 20;  // for each slowdown; compare uses the same number of blocks
};

inline constexpr unsigned slowdown_pct_max = 99;

/// Returns `base` with these contenders instead of its only one, `who`: `who` itself, its A/A copy, and `who`
/// slowed down by each of `slowdowns_pct`, from 1 to slowdown_pct_max. Their names are slowed-00 (the
/// baseline), slowed-0~, slowed-03 and so on; all names and environments have the same length (see
/// add_aa_copy).
run_plan calibration_plan(const run_plan& base, const contender& who,
                          std::span<const unsigned> slowdowns_pct);

/// Returns the pairing of all trials of the plan. Throws usage_error if its workloads have different ones,
/// because a rate applies to one pairing.
reports::pairing pairing_of(const run_plan& plan);

/// Throws usage_error if a trial of a slowed contender does not report its slowdown: the contender then does
/// not support LOOPBENCH_SLOWDOWN, and the rates would be meaningless.
void check_slowdowns(const session_record& slowed);

/// Returns the plan of sequential trials with which the interleaved ones are compared: the contender itself
/// and slowed down. Returns nothing if `slowed`, the plan with slowdowns, is not interleaved.
std::optional<run_plan> referee_plan(const run_plan& slowed);

/// Compares interleaved trials with those of the referee: times agree within 15 %, ratios within 5 %.
/// Workloads that lack a number in one of them are left out.
std::vector<reports::pairing_agreement> judge_pairings(const session_record& interleaved,
                                                       const session_record& referee);

/// Computes the rates. `equal` is a run without slowdowns: for each workload, `aa_blocks` consecutive blocks
/// are one comparison, which is judged alone. `slowed` is a run with slowdowns: `blocks` consecutive blocks
/// are one try of each slowdown. Tries share no blocks, and trials are neither split nor pooled. Throws
/// usage_error unless both ran on one machine and did the same work.
reports::calibration judge_calibration(const session_record& equal, const session_record& slowed,
                                       const calibration_sizes& sizes);

}  // namespace loopbench::bench
