// A constant report that uses every feature of reports. The golden files contain it in each format.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::tests {

reports::report sample_report();

}  // namespace loopbench::tests
