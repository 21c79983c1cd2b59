// Everything that a run may have to warn of, each with its remedy, in one list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::bench {

reports::warning was_interrupted(std::uint64_t blocks_finished, std::uint64_t blocks_planned);
reports::warning budget_spent(std::uint64_t blocks_finished, std::uint64_t blocks_planned);
reports::warning too_few_trials();
reports::warning baseline_not_measured(const std::string& baseline);
reports::warning baseline_without_numbers(const std::string& baseline,
                                          const std::vector<std::string>& workloads);

}  // namespace loopbench::bench
