// JUnit XML, which CI systems show as tests.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A test for every cell: failed when it is slower than the baseline, in error when it failed, skipped when it is
/// unsupported or nothing could be told.
std::string write_junit(const report& content);

}  // namespace loopbench::reports
