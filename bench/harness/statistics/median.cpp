#include "bench/harness/statistics/median.hpp"

#include <algorithm>
#include <cmath>

namespace loopbench::bench {

double median_of(std::span<const double> samples) {
    std::vector<double> values(samples.begin(), samples.end());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator) {
    std::vector<double> log_ratios;
    for (std::size_t block = 0; block < std::min(numerator.size(), denominator.size()); ++block) {
        const auto &above = numerator[block], &below = denominator[block];
        if (!above || !below) continue;
        const double quotient = *above / *below;
        if (*above <= 0 || *below <= 0 || quotient <= 0 || !std::isfinite(quotient)) return {};
        log_ratios.push_back(std::log(quotient));
    }
    return log_ratios;
}

std::vector<double> paired_log_ratios(std::span<const std::optional<double>> mine,
                                      std::span<const std::optional<double>> theirs,
                                      reports::direction better) {
    return better == reports::direction::smaller ? paired_log_ratios(theirs, mine)
                                                 : paired_log_ratios(mine, theirs);
}

double log_quotient(double numerator, double denominator) {
    if (numerator == denominator) return 0;
    return std::clamp(std::log(numerator) - std::log(denominator), -log_beyond_ratios, log_beyond_ratios);
}

estimate exponentiated(estimate of_logs) {
    of_logs.median = std::exp(of_logs.median);
    if (of_logs.low) of_logs.low = std::exp(*of_logs.low);
    if (of_logs.high) of_logs.high = std::exp(*of_logs.high);
    return of_logs;
}

estimate ratio_from(std::span<const double> log_ratios, double level) {
    return exponentiated(median_with_interval(log_ratios, level));
}

}  // namespace loopbench::bench
