// Trials as samples: indexed by block, so that a contender's and the baseline's are pairs. Of a shard, or a
// record that not all of them went into, the blocks that are there are counted.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/experiment/runner.hpp"
#include "bench/statistics/hosts.hpp"
#include "bench/statistics/verdict.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {

using samples_by_metric = std::map<std::string, std::vector<std::optional<double>>, std::less<>>;

/// Of the trials of one workload in one block those count that belong together: the last attempt, unless it
/// was cut short.
class counting_attempts {
public:
    explicit counting_attempts(const run_outcome& outcome);

    [[nodiscard]] bool counts(std::uint64_t block, std::size_t workload, std::uint64_t attempt) const;

private:
    using row = std::pair<std::uint64_t, std::size_t>;  // block, workload
    std::map<row, std::uint64_t> best_;
};

/// The machines that trials say they were made on, in the order in which they are met: the hosts of a report
/// have their numbers from there. Where some do not say it, that is one of them; empty where none does.
std::vector<std::string> machines_of(const run_outcome& outcome);

/// Two contenders on one workload, of which `who` is compared with `to`.
struct compared_cells {
    std::size_t workload, who, to;
};

class sample_table {
public:
    static constexpr std::uint64_t all_blocks = std::numeric_limits<std::uint64_t>::max();

    /// The samples of the first `blocks` blocks.
    sample_table(const run_plan& plan, const run_outcome& outcome, std::uint64_t blocks = all_blocks);

    /// Index i of each metric is the i-th block that is there, or nothing where the trial has no number.
    [[nodiscard]] const samples_by_metric& of(cell where) const { return in(where).metrics; }
    /// How its trials were made that have numbers.
    [[nodiscard]] reports::way way_of(cell where) const { return in(where).made; }
    /// Of trials made together, the median share of its time in which the contender left the core; nothing of
    /// others.
    [[nodiscard]] std::optional<double> waited(cell where) const;
    /// How many of the trials that count were disturbed.
    [[nodiscard]] std::uint64_t disturbed() const { return disturbed_; }
    /// Of those that are asked for that: within a turn, a disturbance is an outlier among many.
    [[nodiscard]] std::uint64_t trials() const { return trials_; }

    /// The log ratios of `who` to `to` in one metric, above 0 when `who` is better; empty when there are
    /// none. There is one of each block (of times in turns, the median over its rounds) or, since blocks with
    /// the same layouts share what these do to the speed, one of each pair of layouts: the median of its
    /// blocks.
    [[nodiscard]] std::vector<double> log_ratios(compared_cells of, const reports::metric_info& metric) const;
    /// What a verdict is from: these or, where they are of several hosts, the median of each host's.
    [[nodiscard]] comparison comparison_of(compared_cells of, const reports::metric_info& metric) const;
    /// Log ratios with the machine of each (machines_of); empty where they are of fewer than two.
    [[nodiscard]] std::vector<host_value> by_host(compared_cells of,
                                                  const reports::metric_info& metric) const;
    /// The median of values of a workload by block, of which one is there, and its interval. Of several hosts
    /// it is that of their medians: of the logarithms of these, where all are above 0.
    [[nodiscard]] estimate estimate_of(std::size_t workload,
                                       const std::vector<std::optional<double>>& values) const;
    /// The ratios in time by block, where both were made in turns: each is the median over the rounds of its
    /// block. Nothing elsewhere, where it is the quotient of the two samples.
    [[nodiscard]] std::optional<std::vector<std::optional<double>>> ratios_of_turns(compared_cells of) const;
    /// Where a value is not above zero there is no ratio, but there are these, one as of each ratio.
    struct distances {
        /// log_quotient() of their distances from zero, above 0 when `who` is better: an early timer is as
        /// inaccurate as a late one.
        comparison log_quotients;
        comparison differences;  // the distance of `who` less that of `to`
    };
    [[nodiscard]] distances distances_from_zero(compared_cells of, const reports::metric_info& metric) const;
    /// By how much one layout of the baseline, its twin or `who` is faster or slower than another of the same
    /// contender in a time: the standard deviation of its logarithm. Nothing where that cannot be told from
    /// noise, as hardly any layout was measured in two blocks.
    [[nodiscard]] std::optional<double> layout_deviation(std::size_t workload, std::size_t who,
                                                         const reports::metric_info& metric) const;

private:
    struct block_value {
        std::uint64_t block;  // its place among those that are there, as everywhere in here
        double value;
    };

    struct cell_samples {
        samples_by_metric metrics;
        std::map<std::uint64_t, std::vector<double>> turns;  // by block
        reports::way made = reports::way::apart;
        std::vector<double> waited;
    };

    void take(const trial_record& trial, std::uint64_t block);
    [[nodiscard]] const cell_samples& in(cell where) const { return cells_[where.workload][where.contender]; }
    [[nodiscard]] bool are_in_turns(compared_cells of) const {
        return way_of({of.workload, of.who}) == reports::way::turns &&
               way_of({of.workload, of.to}) == reports::way::turns;
    }
    /// Log ratios, above 0 when `who` is better.
    [[nodiscard]] std::vector<block_value> ratios_by_block(compared_cells of,
                                                           const reports::metric_info& metric) const;
    [[nodiscard]] std::size_t layout(std::uint64_t block, std::size_t contender) const;
    /// The values or, with layouts, the median of each pair of these.
    [[nodiscard]] std::vector<double> by_layouts(const std::vector<block_value>& all,
                                                 compared_cells of) const;

    [[nodiscard]] std::vector<host_value> by_host(std::size_t workload,
                                                  const std::vector<block_value>& all) const;
    [[nodiscard]] comparison comparison_of(const std::vector<block_value>& all, compared_cells of) const;

    std::optional<std::size_t> baseline_, twin_;
    std::vector<std::vector<cell_samples>> cells_;   // [workload][contender]
    std::vector<std::vector<std::size_t>> layouts_;  // [block][contender]; empty without layouts
    std::vector<std::vector<std::size_t>> hosts_;    // [workload][block]; empty with fewer than two
    std::uint64_t disturbed_ = 0, trials_ = 0;
};

}  // namespace loopbench::bench
