// A fixed report with every feature, for golden files.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::tests {

reports::report sample_report();

}  // namespace loopbench::tests
