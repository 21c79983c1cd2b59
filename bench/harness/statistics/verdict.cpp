#include "bench/harness/statistics/verdict.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "bench/harness/statistics/hosts.hpp"
#include "bench/harness/statistics/sign_test.hpp"

namespace loopbench::bench {

namespace {

using reports::verdict;

struct evidence {
    double p_difference = 1, p_equivalence = 1;
    verdict zone = verdict::inconclusive;
};

double chance_above(const comparison& from, double value) {
    return from.of_few_hosts ? p_few_hosts_above(from.log_ratios, value) : p_above(from.log_ratios, value);
}

double chance_below(const comparison& from, double value) {
    return from.of_few_hosts ? 1 - p_few_hosts_above(from.log_ratios, value)
                             : p_below(from.log_ratios, value);
}

evidence evidence_of(const comparison& from, const verdict_rule& rule) {
    const double t = rule.threshold();
    evidence found{std::min(1.0, 2 * std::min(chance_above(from, t), chance_below(from, -t))),
                   std::min(1.0, 2 * std::max(chance_below(from, t), chance_above(from, -t)))};
    if (std::min(found.p_difference, found.p_equivalence) <= rule.alpha())
        found.zone = zone_of(estimate_of(from, rule.level), t);
    return found;
}

double standard_deviation(std::span<const double> values) {
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    return values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0;
}

double median_absolute_deviation(std::span<const double> values) {
    const double middle = median_of(values);
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - middle));
    return median_of(deviations);
}

double spread_of(std::span<const double> values) {
    constexpr double of_a_normal_distribution = 1.4826;
    constexpr std::size_t many = 50;
    return values.size() < many ? standard_deviation(values)
                                : of_a_normal_distribution * median_absolute_deviation(values);
}

}  // namespace

verdict zone_of(const estimate& found, double threshold) {
    if (!found.low || !found.high) return verdict::inconclusive;
    if (*found.low > threshold) return verdict::faster;
    if (*found.high < -threshold) return verdict::slower;
    if (*found.low > -threshold && *found.high < threshold) return verdict::equivalent;
    return verdict::inconclusive;
}

std::optional<double> detectable_pct(const comparison& from, double threshold, double level) {
    if (from.of_few_hosts) return 100 * std::expm1(threshold + reach_of_few_hosts(from.log_ratios, level));
    const auto share = share_needed(from.log_ratios.size(), level);
    if (!share) return std::nullopt;
    const double z = quantile(boost::math::normal_distribution<double>{}, *share);
    return 100 * std::expm1(threshold + spread_of(from.log_ratios) * z);
}

estimate estimate_of(const comparison& from, double level) {
    return from.of_few_hosts ? few_hosts_with_interval(from.log_ratios, level)
                             : median_with_interval(from.log_ratios, level);
}

estimate ratio_from(const comparison& from, double level) {
    return exponentiated(estimate_of(from, level));
}

std::vector<judged_comparison> judge_all(std::span<const std::vector<double>> comparisons,
                                         const verdict_rule& rule) {
    std::vector<comparison> all;
    for (const auto& log_ratios : comparisons) all.push_back({log_ratios});
    return judge_all(all, rule);
}

std::vector<judged_comparison> judge_all(std::span<const comparison> comparisons, const verdict_rule& rule) {
    std::vector<evidence> found;
    std::vector<double> p_differences, p_equivalences;
    for (const auto& each : comparisons) {
        found.push_back(evidence_of(each, rule));
        p_differences.push_back(found.back().p_difference);
        p_equivalences.push_back(found.back().p_equivalence);
    }
    const auto differs = adjusted(p_differences, rule.how), equals = adjusted(p_equivalences, rule.how);
    const auto significant = [&](double p) { return p <= rule.alpha(); };
    const auto level =
        comparisons.empty()
            ? rule.alpha()
            : level_for_one_more(static_cast<std::size_t>(std::ranges::count_if(differs, significant)),
                                 comparisons.size(), rule.alpha(), rule.how);
    std::vector<judged_comparison> judged(comparisons.size());
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const auto zone = found[i].zone;
        if (is_difference(zone) ? significant(differs[i])
                                : zone == verdict::equivalent && significant(equals[i]))
            judged[i].verdict = zone;
        if (!is_difference(zone) || judged[i].verdict == verdict::inconclusive)
            judged[i].detectable_pct = detectable_pct(comparisons[i], rule.threshold(), level);
    }
    return judged;
}

}  // namespace loopbench::bench
