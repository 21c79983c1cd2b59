#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

bool compares_two_builds(const reports::report& report);

/// Returns the cells of the table of write_comparison(), the headings first. Empty if nothing was compared.
/// compares_two_builds(report) must be true.
std::vector<std::vector<std::string>> comparison_rows(const reports::report& report);

/// Returns what a comparison of two builds prints: the verdict, a table with one row for each comparison, the
/// most severe first, and remarks. The table has the words of the verdict, no ratios, and at most 100 columns
/// unless names are long. compares_two_builds(report) must be true.
std::string write_comparison(const reports::report& report);

}  // namespace loopbench::bench
