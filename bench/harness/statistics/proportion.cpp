#include "bench/harness/statistics/proportion.hpp"

#include <boost/math/distributions/binomial.hpp>

namespace loopbench::bench {

namespace {

using binomial = boost::math::binomial_distribution<double>;

}  // namespace

std::pair<double, double> proportion_interval(std::uint64_t successes, std::uint64_t trials, double level) {
    const double n = static_cast<double>(trials), k = static_cast<double>(successes), tail = (1 - level) / 2;
    return {binomial::find_lower_bound_on_p(n, k, tail), binomial::find_upper_bound_on_p(n, k, tail)};
}

double proportion_at_most(std::uint64_t successes, std::uint64_t trials, double level) {
    return binomial::find_upper_bound_on_p(static_cast<double>(trials), static_cast<double>(successes),
                                           1 - level);
}

}  // namespace loopbench::bench
