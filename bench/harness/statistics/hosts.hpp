// Differences between machines are a separate effect: a hundred blocks of one machine say as little about the
// next machine as ten do.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// A value of one block, mostly a log ratio.
struct host_value {
    std::size_t host = 0;
    double value = 0;
};

/// Returns the median of each host's blocks, in the order of the hosts' numbers.
std::vector<double> medians_of_hosts(std::span<const host_value> values);

/// With fewer hosts than this, an interval needs an assumption about the distribution; from this number on it
/// needs none (median.hpp).
inline constexpr std::size_t many_hosts = 6;

/// Returns the median of at least two hosts' values and the interval of their mean, by Student's t with one
/// degree of freedom less than there are hosts: host effects are assumed to be about normal. Resampling
/// hosts, and blocks within hosts, would not need this assumption but would be wrong: for a promised 95 % it
/// covers 55 % with two hosts, 76 % with three and 88 % with five (tests/statistics/hosts_test.cpp), because
/// the resampled values have too little spread and too short tails (A. C. Cameron, J. B. Gelbach and D. L.
/// Miller, "Bootstrap-Based Improvements for Inference with Clustered Errors", Rev. Econ. Stat. 90, 2008). A
/// p-value that is corrected for hundreds of comparisons would also need correspondingly many draws.
estimate few_hosts_with_interval(std::span<const double> hosts, double level = default_level);

/// Returns how likely such hosts are if their mean is at most `value`: the level at which that interval ends
/// there.
double p_few_hosts_above(std::span<const double> hosts, double value);

/// Returns how far beyond a value the mean of such hosts has to be, so that about three of four runs find it
/// beyond that value at this level (two-sided).
double reach_of_few_hosts(std::span<const double> hosts, double level);

/// Returns the standard deviation between hosts, by layout_deviation() (layout.hpp): a difference between
/// blocks of two hosts contains the effects of both hosts, as a contrast contains the effects of both
/// layouts. Returns nothing if hardly any host has two blocks.
std::optional<double> host_deviation(std::span<const host_value> values);

/// Returns how likely it is that hosts differ as much as these do if there is only noise between them: a
/// one-way analysis of variance (R. A. Fisher, Statistical Methods for Research Workers, 1925), because ranks
/// of three blocks on each of two hosts cannot show anything. Returns nothing if there are fewer than two
/// hosts, or if no host has two blocks.
std::optional<double> p_hosts_are_alike(std::span<const host_value> values);

}  // namespace loopbench::bench
