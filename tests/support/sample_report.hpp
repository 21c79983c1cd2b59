// A constant report with everything that is difficult to write in some format: hostile names, missing
// numbers, and ratios with and without intervals.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::tests {

reports::report sample_report();

}  // namespace loopbench::tests
