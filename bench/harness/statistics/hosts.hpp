// Statistics of several machines (hosts). Machines differ from each other, and additional blocks on one
// machine do not reveal these differences.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// The value of one block, usually a log ratio, and the number of the host on which the block ran.
struct host_value {
    std::size_t host = 0;
    double value = 0;
};

/// Returns the median of the values of each host, in the order of the hosts' numbers.
std::vector<double> medians_of_hosts(std::span<const host_value> values);

/// The smallest number of hosts for which the interval of median.hpp can be used, which assumes nothing about
/// the distribution of the values.
inline constexpr std::size_t many_hosts = 6;

/// Returns the median of the values of two or more hosts, and the interval of the mean of these values. The
/// interval uses Student's t with `hosts.size()` - 1 degrees of freedom. Thus it assumes that the effects of
/// hosts are approximately normal.
///
/// A bootstrap over hosts, and over blocks within hosts, would not need this assumption, but its intervals
/// are too narrow. A 95 % interval covers the mean in 55 % of cases with two hosts, in 76 % with three and in
/// 88 % with five (tests/statistics/hosts_test.cpp). The reason is that resampled values have too small a
/// spread and too short tails (A. C. Cameron, J. B. Gelbach and D. L. Miller, "Bootstrap-Based Improvements
/// for Inference with Clustered Errors", Rev. Econ. Stat. 90, 2008). In addition, a correction for hundreds
/// of comparisons would need hundreds of times as many draws.
estimate few_hosts_with_interval(std::span<const double> hosts, double level = default_level);

/// Returns the one-sided p-value of the hypothesis that the true mean of the hosts' values is at most
/// `value`. If this p-value is p, the interval of few_hosts_with_interval() at the level 1 - 2p ends at
/// `value`.
double p_few_hosts_above(std::span<const double> hosts, double value);

/// Returns the distance from a threshold at which a true mean is usually detected: if the mean lies this far
/// beyond the threshold, the two-sided test at this level is significant in about three of four runs like
/// this one.
double reach_of_few_hosts(std::span<const double> hosts, double level);

/// Returns the standard deviation of the effects of hosts. Uses layout_deviation() (layout.hpp), because a
/// difference between blocks of two hosts contains the effects of the two hosts, as a contrast contains the
/// effects of two layouts. Returns nothing if too few hosts have two blocks.
std::optional<double> host_deviation(std::span<const host_value> values);

/// Returns the p-value of the hypothesis that all hosts have the same mean. Uses a one-way analysis of
/// variance (R. A. Fisher, Statistical Methods for Research Workers, 1925). Does not use a rank test, because
/// three blocks on each of two hosts have too few ranks for a significant difference. Returns nothing if
/// there are fewer than two hosts, or if no host has two blocks.
std::optional<double> p_hosts_are_alike(std::span<const host_value> values);

}  // namespace loopbench::bench
