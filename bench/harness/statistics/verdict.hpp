// Turns log ratios into words: faster, slower, equivalent or inconclusive, for all comparisons of one report
// at once, because their number decides how much evidence each of them needs.
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/statistics/correction.hpp"
#include "bench/harness/statistics/median.hpp"
#include "reports/model/words.hpp"

namespace loopbench::bench {

/// The definition of a difference.
struct verdict_rule {
    double level = default_level;  // alpha is 1 - level
    double threshold_pct = 1;      // smaller differences are of no practical interest
    correction how = correction::benjamini_hochberg;

    /// Returns half of the width of the zone of equivalence, on the scale of log ratios.
    [[nodiscard]] double threshold() const { return std::log1p(threshold_pct / 100); }
    [[nodiscard]] double alpha() const { return 1 - level; }
};

/// The data of one comparison.
struct comparison {
    std::vector<double> log_ratios;  // above 0 is better; not empty
    bool of_few_hosts = false;       // one value for each host, and fewer than many_hosts (hosts.hpp)
};

struct judged_comparison {
    reports::verdict verdict = reports::verdict::inconclusive;
    /// The smallest detectable difference, which four of five such runs would find, for verdicts that are not
    /// a difference; nothing if so few pairs cannot show any.
    std::optional<double> detectable_pct;
};

/// Judges a family of comparisons, each the log ratios of its pairs (above 0 is better; none empty).
///
/// `faster` needs both: an interval of the median (median.hpp) beyond the threshold, and a sign test against
/// the threshold (sign_test.hpp) that is significant at alpha after the correction for the family. `slower`
/// likewise; `equivalent` needs the interval within the zone and two such tests, one against each threshold
/// (D. J. Schuirmann, "A Comparison of the Two One-Sided Tests Procedure", J. Pharmacokinet. Biopharm. 15,
/// 1987), corrected as a separate family. A test is two-sided, so that without a correction it agrees with
/// the interval.
///
/// With few hosts, the interval and the tests are those of Student's t.
std::vector<judged_comparison> judge_all(std::span<const comparison> comparisons, const verdict_rule& rule);

/// Judges a family of comparisons by blocks.
std::vector<judged_comparison> judge_all(std::span<const std::vector<double>> comparisons,
                                         const verdict_rule& rule);

/// Judges several families at once: comparisons with equal keys are one family.
template <class key>
std::vector<judged_comparison> judge_families(const std::vector<key>& families,
                                              const std::vector<comparison>& comparisons,
                                              const verdict_rule& rule) {
    std::map<key, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < families.size(); ++i) members[families[i]].push_back(i);
    std::vector<judged_comparison> all(comparisons.size());
    for (const auto& [family, places] : members) {
        std::vector<comparison> of_it;
        for (const auto place : places) of_it.push_back(comparisons[place]);
        const auto judged = judge_all(of_it, rule);
        for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = judged[i];
    }
    return all;
}

/// Returns the median and its interval, as a verdict uses them.
estimate estimate_of(const comparison& from, double level = default_level);
/// Returns the same, exponentiated.
estimate ratio_from(const comparison& from, double level = default_level);

/// Returns where the interval of a log ratio lies: beyond the threshold on either side, within it, or
/// neither.
reports::verdict zone_of(const estimate& found, double threshold);

/// Returns the smallest true difference in percent that such a test finds in four of five runs. Log ratios
/// with the spread s of a normal distribution have the share q beyond the threshold if their median is
///     threshold + s * quantile(q).
/// s is the standard deviation of few log ratios, and 1.4826 times the median absolute deviation of many,
/// which outliers do not change (F. R. Hampel, JASA 69, 1974). Returns nothing if share_needed
/// (sign_test.hpp) returns nothing. With few hosts it is reach_of_few_hosts() beyond the threshold.
std::optional<double> detectable_pct(const comparison& from, double threshold, double level);

}  // namespace loopbench::bench
