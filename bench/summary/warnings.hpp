// Everything that a run may have to warn of, each with its remedy, in one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment/samples.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// What has to be said of `found`, a report of these that has everything else.
std::vector<reports::warning> warnings_of(const run_plan& plan, const run_outcome& outcome,
                                          const sample_table& samples, const reports::report& found);

reports::warning baseline_not_measured(const std::string& baseline);

/// `cells`: who is faster where. Without a reason (`why` is empty) it says that none is known.
reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why);

/// How far the ratios on two hosts are from each other at the most, as a logarithm.
double widest_gap(const reports::host_effect& effect);

}  // namespace loopbench::bench
