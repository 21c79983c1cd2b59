// What differs from machine to machine is an effect of its own: a hundred blocks of one machine say as little
// of the next one as ten.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/statistics/median.hpp"

namespace loopbench::bench {

/// A value of one block, mostly a log ratio.
struct host_value {
    std::size_t host = 0;
    double value = 0;
};

/// The median of each host's blocks, by the hosts' numbers.
std::vector<double> medians_of_hosts(std::span<const host_value> values);

/// With so few hosts an interval needs to assume something (median.hpp): of as many as this there is one that
/// does not.
inline constexpr std::size_t many_hosts = 6;

/// The median of at least two hosts' values and the interval of their mean, by Student's t with a degree of
/// freedom less than there are hosts: effects of hosts are taken to be about normal. To draw hosts, and
/// blocks within hosts, again and again would need no such thing and be wrong: where 95 % are promised, it
/// covers 55 % with two hosts, 76 % with three and 88 % with five (tests/statistics/hosts_test.cpp), as what
/// is drawn has too little spread and too short tails (A. C. Cameron, J. B. Gelbach and D. L. Miller,
/// "Bootstrap-Based Improvements for Inference with Clustered Errors", Rev. Econ. Stat. 90, 2008); and a
/// p-value that is corrected for hundreds of comparisons would want as many draws for each.
estimate few_hosts_with_interval(std::span<const double> hosts, double level = default_level);

/// How likely such hosts are when their mean is at most `value`: the level at which that interval ends there.
double p_few_hosts_above(std::span<const double> hosts, double value);

/// How far beyond a value the mean of such hosts has to be to be found beyond it in about three of four
/// runs, at this level (two-sided).
double reach_of_few_hosts(std::span<const double> hosts, double level);

/// The standard deviation between hosts, by layout_deviation() (layout.hpp): how much a block of one host
/// differs from one of another has their effects in common with every other such pair of blocks, as it is of
/// layouts. Nothing where hardly any host has two blocks.
std::optional<double> host_deviation(std::span<const host_value> values);

/// How likely it is that hosts differ as much as these do when there is nothing but noise between them: a
/// one-way analysis of variance (R. A. Fisher, Statistical Methods for Research Workers, 1925), since ranks
/// of three blocks on each of two hosts can show nothing. Nothing where there are fewer than two hosts, or no
/// host has two blocks.
std::optional<double> p_hosts_are_alike(std::span<const host_value> values);

}  // namespace loopbench::bench
