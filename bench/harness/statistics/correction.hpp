// Forty comparisons at 5 % raise a false alarm in 87 % of all reports. Both corrections below reduce that to
// 5 % if nothing differs at all; they behave differently if much differs.
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
/// - holm keeps the chance of even one false difference below alpha, whatever else is true: for gates, where
///   one false alarm stops a release. Its cost: nothing can be found unless one p-value is below alpha / m.
/// - benjamini_hochberg keeps the expected share of false differences among those found below alpha: for
///   reports, which compare a hundred results in few blocks, and most of which do differ. With seven blocks
///   the smallest p-value is 1/64, and Holm would call a factor of ten inconclusive.
enum class correction { holm, benjamini_hochberg };

constexpr auto names_of(correction) {
    return std::to_array<std::string_view>({"holm", "benjamini-hochberg"});
}

/// Returns the p-values, each within [0, 1], adjusted so that comparing them with alpha keeps the guarantee
/// for the family. S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 6,
/// 1979; Y. Benjamini and Y. Hochberg, "Controlling the False Discovery Rate", J. R. Statist. Soc. B 57,
/// 1995, which also holds for the positively dependent comparisons with one baseline (Y. Benjamini and D.
/// Yekutieli, Ann. Statist. 29, 2001).
std::vector<double> adjusted(std::span<const double> p_values, correction how);

/// Returns the level that one more comparison would have had to meet if `found` of `count` met theirs.
double level_for_one_more(std::size_t found, std::size_t count, double alpha, correction how);

}  // namespace loopbench::bench
