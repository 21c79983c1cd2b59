// How often verdicts are right where the truth is known: a contender against itself, and against itself
// slowed down by a known share of its time. They are judged by judge_all() (bench/statistics/verdict.hpp), as
// those of every report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/experiment/plan.hpp"
#include "bench/experiment/record.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

struct calibration_sizes {
    std::uint64_t aa_tries = 320,
                  aa_blocks = 20;           // comparisons of a contender with itself, and blocks of each
    std::uint64_t tries = 40, blocks = 20;  // of each slowdown; as many blocks as compare has
};

inline constexpr unsigned slowdown_pct_max = 99;

/// `base`, described as its one contender `who` is, with the contenders that this is made into: itself, its
/// aa_copy, and itself slowed down by each of `slowdowns_pct`, from 1 to slowdown_pct_max. Their names are
/// slowed-00 (the baseline), slowed-0~, slowed-03 and so on; names and environments are of the same length
/// (see add_aa_copy).
run_plan calibration_plan(const run_plan& base, const contender& who,
                          std::span<const unsigned> slowdowns_pct);

/// In which way all trials of the plan are made. Throws usage_error when its workloads are not all made in
/// one: a rate is of one way.
reports::pairing pairing_of(const run_plan& plan);

/// Throws usage_error when a trial of a slowed contender does not say that it was slowed down: then it does
/// not know LOOPBENCH_SLOWDOWN, and nothing that is found would mean anything.
void check_slowdowns(const session_record& slowed);

/// The plan of the trials that the interleaved ones are compared with: the contender as it is and slowed
/// down, sequentially. Nothing if `slowed`, the plan with slowdowns, is not interleaved.
std::optional<run_plan> referee_plan(const run_plan& slowed);

/// Compares interleaved trials with those of the referee: times agree within 15 %, ratios within 5 %.
/// Workloads that lack a number in one of them are left out.
std::vector<reports::pairing_agreement> judge_pairings(const session_record& interleaved,
                                                       const session_record& referee);

/// Judges what was measured. `equal` is a run of a plan without slowdowns: of each of its workloads,
/// `aa_blocks` blocks after the other are one comparison, and each is judged alone. `slowed` is one of a plan
/// with slowdowns: `blocks` after the other are one try of each. No block is of two tries, and nothing in a
/// trial is taken apart or pooled. Throws usage_error when the two are not of one machine and the same work.
reports::calibration judge_calibration(const session_record& equal, const session_record& slowed,
                                       const calibration_sizes& sizes);

}  // namespace loopbench::bench
