// Everything that a run can warn of, each with its remedy, in one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/experiment/samples.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the warnings for `found`, a report of this plan and outcome that is otherwise complete.
std::vector<reports::warning> warnings_of(const run_plan& plan, const run_outcome& outcome,
                                          const sample_table& samples, const reports::report& found);

reports::warning baseline_not_measured(const std::string& baseline);

/// Returns a warning; `cells` says which contenders are faster on which workloads. If `why` is empty, it says
/// that no reason is known.
reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why);

/// Returns the largest distance between the ratios of two hosts, as a logarithm.
double widest_gap(const reports::host_effect& effect);

}  // namespace loopbench::bench
