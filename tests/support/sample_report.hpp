// A constant report that has every feature. Golden files contain this report in each format.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::tests {

reports::report sample_report();

}  // namespace loopbench::tests
