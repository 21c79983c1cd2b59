// Statistics of several machines. Differences between machines are a separate effect: a hundred blocks on one
// machine say as little about the next machine as ten blocks do.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// A value of one block, usually a log ratio.
struct host_value {
    std::size_t host = 0;
    double value = 0;
};

/// Returns the median of each host's blocks, ordered by the hosts' numbers.
std::vector<double> medians_of_hosts(std::span<const host_value> values);

/// The number of hosts from which on an interval needs no assumption about the distribution (median.hpp).
/// With fewer hosts, it needs one.
inline constexpr std::size_t many_hosts = 6;

/// Returns the median of the values of two or more hosts, and the interval of their mean. The interval uses
/// Student's t with one degree of freedom less than there are hosts, and thus assumes that the effects of
/// hosts are approximately normal.
///
/// A bootstrap over hosts, and over blocks within hosts, would not need this assumption, but its intervals
/// are too narrow: an interval at 95 % covers 55 % with two hosts, 76 % with three and 88 % with five
/// (tests/statistics/hosts_test.cpp). The reason is that resampled values have too small a spread and too
/// short tails (A. C. Cameron, J. B. Gelbach and D. L. Miller, "Bootstrap-Based Improvements for Inference
/// with Clustered Errors", Rev. Econ. Stat. 90, 2008). In addition, a p-value that is corrected for hundreds
/// of comparisons would need correspondingly many draws.
estimate few_hosts_with_interval(std::span<const double> hosts, double level = default_level);

/// Returns the probability of values as high as those of these hosts if the true mean is at most `value`. At
/// this level, the interval of few_hosts_with_interval() ends at `value`.
double p_few_hosts_above(std::span<const double> hosts, double value);

/// Returns the distance from a threshold at which a true mean is detected in about three of four runs like
/// this one: the test at this level (two-sided) then finds the mean beyond the threshold.
double reach_of_few_hosts(std::span<const double> hosts, double level);

/// Returns the standard deviation between hosts. Uses layout_deviation() (layout.hpp), because a difference
/// between blocks of two hosts contains the effects of both hosts in the same way as a contrast contains the
/// effects of both layouts. Returns nothing if too few hosts have two blocks.
std::optional<double> host_deviation(std::span<const host_value> values);

/// Returns the probability that hosts differ at least as much as these if there is only noise between them.
/// Uses a one-way analysis of variance (R. A. Fisher, Statistical Methods for Research Workers, 1925). A rank
/// test would not do, because three blocks on each of two hosts have too few ranks to show a difference.
/// Returns nothing if there are fewer than two hosts, or if no host has two blocks.
std::optional<double> p_hosts_are_alike(std::span<const host_value> values);

}  // namespace loopbench::bench
