// Corrections for many comparisons. Forty comparisons at 5 % raise a false alarm in 87 % of all reports. If
// nothing differs at all, both corrections below reduce this share to 5 %. They behave differently if many
// contenders differ.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "reports/model/words.hpp"

namespace loopbench::bench {

using reports::name_of;

/// The correction of the p-values of one family of comparisons.
///
/// - holm keeps the chance of even one false difference below alpha, whatever else is true. It is for gates,
///   where one false alarm stops a release. Its cost: among m comparisons, no difference is found unless one
///   p-value is below alpha / m.
/// - benjamini_hochberg keeps the expected share of false differences among all found differences below
///   alpha. It is for reports, which compare a hundred results in few blocks, and in which most results
///   differ. With seven blocks the smallest p-value is 1/64, and Holm's method would call a factor of ten
///   inconclusive.
enum class correction { holm, benjamini_hochberg };

constexpr auto names_of(correction) {
    return std::to_array<std::string_view>({"holm", "benjamini-hochberg"});
}

/// Returns the adjusted p-values. Comparing them with alpha keeps the guarantee for the whole family. All
/// p-values are within [0, 1]. The methods are those of S. Holm, "A Simple Sequentially Rejective Multiple
/// Test Procedure", Scand. J. Statist. 6, 1979, and of Y. Benjamini and Y. Hochberg, "Controlling the False
/// Discovery Rate", J. R. Statist. Soc. B 57, 1995. The latter is also valid for positively dependent
/// comparisons, like those with one baseline (Y. Benjamini and D. Yekutieli, Ann. Statist. 29, 2001).
std::vector<double> adjusted(std::span<const double> p_values, correction how);

/// Returns the level that one more comparison would have to meet if `found` of `count` comparisons met their
/// levels.
double level_for_one_more(std::size_t found, std::size_t count, double alpha, correction how);

}  // namespace loopbench::bench
