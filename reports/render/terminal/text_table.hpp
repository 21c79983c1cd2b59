#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

std::string write_table(const report& content);

}  // namespace loopbench::reports
