#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if the workloads of the reports have different sizes. Accepts reports of other
/// programs, which contain no plan. The message contains the files' names, `then_name` and `now_name`.
void refuse_other_size(const reports::report& then, const std::string& then_name, const reports::report& now,
                       const std::string& now_name);

std::string made_otherwise(reports::pairing then, reports::pairing now);

std::vector<reports::warning> other_conditions(const reports::report& then, const reports::report& now);

}  // namespace loopbench::bench
