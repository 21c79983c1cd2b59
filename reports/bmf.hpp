// Bencher's metric format, https://bencher.dev/docs/reference/bencher-metric-format/.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// Medians with their intervals, by "workload/contender" and metric. A cell without numbers has the measure
/// "failed", "unsupported" or "not_run", which is 1.
std::string write_bmf(const report& content);

}  // namespace loopbench::reports
