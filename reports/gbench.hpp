// Google Benchmark's own JSON, for the tools that read it (compare.py, CI actions, Bencher's cpp_google).
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A row for every trial that has a time; rows of equal names are repetitions. No aggregates: a chart takes a
/// deviation for a time. Nor is there a row for a cell without numbers, whose time a chart would take for 0.
std::string write_gbench(const report& content);

}  // namespace loopbench::reports
