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

struct verdict_rule {
    double level = default_level;  // alpha is 1 - level
    double threshold_pct = 1;      // smaller differences have no practical importance
    correction how = correction::benjamini_hochberg;

    [[nodiscard]] double threshold() const { return std::log1p(threshold_pct / 100); }
    [[nodiscard]] double alpha() const { return 1 - level; }
};

struct comparison {
    std::vector<double> log_ratios;  // not empty; a value above 0 means better
    bool of_few_hosts = false;  // true for one value per host and fewer than many_hosts hosts (hosts.hpp)
};

struct judged_comparison {
    reports::verdict verdict = reports::verdict::inconclusive;
    /// The smallest difference that four of five runs like this one would find. It is empty for the verdicts
    /// `faster` and `slower`, and if there are too few pairs.
    std::optional<double> detectable_pct;
};

/// Judges a family of comparisons.
///
/// The verdict `faster` has two conditions: the interval of the median (median.hpp) lies beyond the
/// threshold, and a sign test against the threshold (sign_test.hpp) is significant at alpha after the
/// correction for the family. `slower` has the same conditions on the other side. `equivalent` requires that
/// the interval lies between the two thresholds, and that two sign tests are significant, one against each
/// threshold (D. J. Schuirmann, "A Comparison of the Two One-Sided Tests Procedure", J. Pharmacokinet.
/// Biopharm. 15, 1987); these tests are corrected as a separate family. All tests are two-sided. Thus each
/// uncorrected test agrees with the interval.
///
/// With few hosts (comparison::of_few_hosts), the interval and the tests use Student's t instead.
std::vector<judged_comparison> judge_all(std::span<const comparison> comparisons, const verdict_rule& rule);

std::vector<judged_comparison> judge_all(std::span<const std::vector<double>> comparisons,
                                         const verdict_rule& rule);

/// Judges several families of comparisons. Comparisons with equal keys form one family.
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

estimate estimate_of(const comparison& from, double level = default_level);
estimate ratio_from(const comparison& from, double level = default_level);

/// Returns `faster` or `slower` if the whole interval is beyond the threshold on one side, `equivalent` if it
/// lies between -threshold and +threshold, and otherwise `inconclusive`.
reports::verdict zone_of(const estimate& found, double threshold);

/// Returns the smallest true difference, in per cent, that four of five runs find. For log ratios with a
/// normal distribution and the standard deviation s, the share q of the log ratios lies beyond the threshold
/// if their median is
///     threshold + s * quantile(q).
/// q is share_needed() (sign_test.hpp). For fewer than 50 log ratios, s is their standard deviation. For more
/// log ratios, s is 1.4826 times their median absolute deviation, because outliers hardly change the median
/// absolute deviation (F. R. Hampel, JASA 69, 1974). Returns nothing if share_needed() returns nothing. With
/// few hosts, the difference is the threshold plus reach_of_few_hosts().
std::optional<double> detectable_pct(const comparison& from, double threshold, double level);

}  // namespace loopbench::bench
