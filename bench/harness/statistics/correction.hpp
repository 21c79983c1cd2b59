// If no contenders differ, 87 % of all reports with forty comparisons at the 5 % level show at least one
// false difference. Both corrections below reduce this share to 5 %.
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
/// - holm keeps the chance of even one false difference below alpha, for any number of real differences. It
///   is for gates, where one false difference stops a release. Among m comparisons, it finds a difference
///   only if the smallest p-value is at most alpha / m.
/// - benjamini_hochberg keeps the expected share of false differences among all found differences below
///   alpha. It is for reports, which compare a hundred results in few blocks, and in which most results
///   differ. With seven blocks, the smallest possible p-value is 1/64, and Holm's method would call even a
///   factor of ten inconclusive.
enum class correction { holm, benjamini_hochberg };

constexpr auto names_of(correction) {
    return std::to_array<std::string_view>({"holm", "benjamini-hochberg"});
}

/// Returns the adjusted p-values, which are compared with alpha. All p-values must be within [0, 1]. See S.
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 6, 1979, and Y.
/// Benjamini and Y. Hochberg, "Controlling the False Discovery Rate", J. R. Statist. Soc. B 57, 1995. The
/// second method is also valid for comparisons with the same baseline (Y. Benjamini and D. Yekutieli, Ann.
/// Statist. 29, 2001).
std::vector<double> adjusted(std::span<const double> p_values, correction how);

/// Returns the largest p-value with which one more comparison becomes significant if `found` of `count`
/// comparisons already are significant.
double level_for_one_more(std::size_t found, std::size_t count, double alpha, correction how);

}  // namespace loopbench::bench
