// Measures how often verdicts are right, by comparisons whose correct verdict is known: a contender is
// compared with itself, and with copies that are slowed down by a known share of their time.
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
                  aa_blocks = 20;           // blocks in each A/A try
    std::uint64_t tries = 40, blocks = 20;  // for each slowdown
};

inline constexpr unsigned slowdown_pct_max = 99;

/// Returns a copy of `base` whose contenders are slowed-00 (`who` itself), slowed-0~ (its A/A copy) and
/// slowed copies. For each percentage in `slowdowns_pct` (1 to slowdown_pct_max), there is one copy, such as
/// slowed-03. All names and environments have the same length (see add_aa_copy).
run_plan calibration_plan(const run_plan& base, const contender& who,
                          std::span<const unsigned> slowdowns_pct);

/// Returns the pairing of all workloads. Throws usage_error if their pairings differ, because a calibration
/// is valid for only one pairing.
reports::pairing pairing_of(const run_plan& plan);

/// Throws usage_error if a trial of a slowed contender does not report its slowdown, which means that the
/// contender does not support LOOPBENCH_SLOWDOWN.
void check_slowdowns(const session_record& slowed);

/// Returns the plan of a run with sequential trials. judge_pairings() compares these trials with the
/// interleaved trials of `slowed`. Returns nothing if `slowed` is not interleaved.
std::optional<run_plan> referee_plan(const run_plan& slowed);

/// Compares interleaved with sequential trials. The two pairings agree on a workload if its times differ by
/// at most 15 % and its ratios by at most 5 %. Ignores workloads for which one of the two runs has no
/// numbers.
std::vector<reports::pairing_agreement> judge_pairings(const session_record& interleaved,
                                                       const session_record& referee);

/// Computes how often verdicts were right without slowdowns (`equal`) and with slowdowns (`slowed`). A try
/// consists of consecutive blocks of one workload and slowdown; two tries never share a block. Throws
/// usage_error unless both runs come from the same machine and build, and did the same work.
reports::calibration judge_calibration(const session_record& equal, const session_record& slowed,
                                       const calibration_sizes& sizes);

}  // namespace loopbench::bench
