// Machines (hosts) differ from each other, and additional blocks on one machine do not reveal these
// differences. Therefore a comparison on several hosts uses one value per host, the median of its blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

struct host_value {
    std::size_t host = 0;
    double value = 0;
};

std::vector<double> medians_of_hosts(std::span<const host_value> values);

/// The smallest number of hosts for which the interval of median.hpp exists. This interval assumes nothing
/// about the distribution.
inline constexpr std::size_t many_hosts = 6;

/// Returns the median of the hosts' values, and the interval of their mean by Student's t. The interval has
/// `hosts.size() - 1` degrees of freedom, and assumes that the effects of hosts are approximately normal.
/// There must be at least two hosts.
///
/// A bootstrap over hosts would not need this assumption, but its 95 % intervals are too narrow: they cover
/// the mean in 55 % of cases with two hosts, in 76 % with three and in 88 % with five
/// (tests/statistics/hosts_test.cpp; A. C. Cameron, J. B. Gelbach and D. L. Miller, "Bootstrap-Based
/// Improvements for Inference with Clustered Errors", Rev. Econ. Stat. 90, 2008).
estimate few_hosts_with_interval(std::span<const double> hosts, double level = default_level);

/// Returns the one-sided p-value of the hypothesis that the true mean is at most `value`. If the p-value is
/// p, `value` is the lower end of the interval of few_hosts_with_interval() at the level 1 - 2p.
double p_few_hosts_above(std::span<const double> hosts, double value);

/// Returns how far beyond a threshold a true mean must lie, so that the two-sided test finds it in about
/// three of four runs.
double reach_of_few_hosts(std::span<const double> hosts, double level);

/// Returns the standard deviation of the effects of hosts, computed by layout_deviation() (layout.hpp). A
/// difference between blocks of two hosts contains the effects of both hosts, as a contrast contains the
/// effects of two layouts. Returns nothing if too few hosts have two blocks.
std::optional<double> host_deviation(std::span<const host_value> values);

/// Returns the p-value of the hypothesis that the hosts do not differ. Uses a one-way analysis of variance
/// (R. A. Fisher, Statistical Methods for Research Workers, 1925). A rank test is unsuitable, because three
/// blocks on each of two hosts have too few ranks. Returns nothing if there are fewer than two hosts, or if
/// no host has two blocks.
std::optional<double> p_hosts_are_alike(std::span<const host_value> values);

}  // namespace loopbench::bench
