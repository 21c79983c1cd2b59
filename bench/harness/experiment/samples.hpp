// Trials as samples, indexed by block, so that a contender's and the baseline's samples are pairs. In a
// shard, or an incomplete record, only the present blocks are counted.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/experiment/runner.hpp"
#include "bench/harness/statistics/hosts.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

using samples_by_metric = std::map<std::string, std::vector<std::optional<double>>, std::less<>>;

/// The trials of one workload in one block that count together: the last attempt, unless it was cut short.
class counting_attempts {
public:
    explicit counting_attempts(const run_outcome& outcome);

    [[nodiscard]] bool counts(std::uint64_t block, std::size_t workload, std::uint64_t attempt) const;

private:
    using row = std::pair<std::uint64_t, std::size_t>;  // block, workload
    std::map<row, std::uint64_t> best_;
};

/// Returns the machines that trials name, in the order of their first trial; a report's hosts are numbered in
/// this order. Trials without a machine count as one machine; empty if no trial names one.
std::vector<std::string> machines_of(const run_outcome& outcome);

/// Two contenders on one workload; `who` is compared with `to`.
struct compared_cells {
    std::size_t workload, who, to;
};

class sample_table {
public:
    static constexpr std::uint64_t all_blocks = std::numeric_limits<std::uint64_t>::max();

    /// Takes the samples of the first `blocks` blocks.
    sample_table(const run_plan& plan, const run_outcome& outcome, std::uint64_t blocks = all_blocks);

    /// Index i of each metric is the i-th present block; it has no value if the trial has no number.
    [[nodiscard]] const samples_by_metric& of(cell where) const { return in(where).metrics; }
    /// Returns the pairing of its trials that have numbers.
    [[nodiscard]] reports::pairing pairing_of(cell where) const { return in(where).made; }
    /// Returns, for concurrent trials, the median share of its time in which the contender left the core;
    /// otherwise nothing.
    [[nodiscard]] std::optional<double> waited(cell where) const;
    /// Returns how many of the trials that count were disturbed.
    [[nodiscard]] std::uint64_t disturbed() const { return disturbed_; }
    /// Returns how many trials were checked for disturbances; interleaved ones are not, because a disturbance
    /// is one outlier among many slices.
    [[nodiscard]] std::uint64_t trials() const { return trials_; }

    /// Returns the log ratios of `who` to `to` in one metric, above 0 if `who` is better; empty if there are
    /// none. Each block has one (for interleaved times, the median over its rounds). With layouts, each pair
    /// of layouts has one, the median of its blocks, because blocks with the same layouts share their effect
    /// on speed.
    [[nodiscard]] std::vector<double> log_ratios(compared_cells of, const reports::metric_info& metric) const;
    /// Returns the values for a verdict: these log ratios or, with several hosts, the median of each host's.
    [[nodiscard]] comparison comparison_of(compared_cells of, const reports::metric_info& metric) const;
    /// Returns log ratios with the machine of each (machines_of); empty if there are fewer than two machines.
    [[nodiscard]] std::vector<host_value> by_host(compared_cells of,
                                                  const reports::metric_info& metric) const;
    /// Returns the median, with its interval, of one workload's values by block, at least one of which is
    /// present. With several hosts it is the median of their medians, computed from logarithms if all are
    /// above 0.
    [[nodiscard]] estimate estimate_of(std::size_t workload,
                                       const std::vector<std::optional<double>>& values) const;
    /// Returns the time ratios by block if both were interleaved: each is the median over the rounds of its
    /// block. Otherwise nothing: the ratio is then the quotient of the two samples.
    [[nodiscard]] std::optional<std::vector<std::optional<double>>> ratios_of_slices(compared_cells of) const;
    /// Substitutes for ratios if a value is not above zero; one for each ratio.
    struct distances {
        /// The log_quotient() of the distances from zero, above 0 if `who` is better: an early timer is as
        /// inaccurate as a late one.
        comparison log_quotients;
        comparison differences;  // the distance of `who` minus that of `to`
    };
    [[nodiscard]] distances distances_from_zero(compared_cells of, const reports::metric_info& metric) const;
    /// Returns how much the layouts of one contender (the baseline, its A/A copy or `who`) differ in a time:
    /// the standard deviation of the logarithm. Returns nothing if it cannot be distinguished from noise,
    /// because hardly any layout was measured in two blocks.
    [[nodiscard]] std::optional<double> layout_deviation(std::size_t workload, std::size_t who,
                                                         const reports::metric_info& metric) const;

private:
    struct block_value {
        std::uint64_t block;  // its position among the present blocks, as everywhere in this class
        double value;
    };

    struct cell_samples {
        samples_by_metric metrics;
        std::map<std::uint64_t, std::vector<double>> slices;  // by block
        reports::pairing made = reports::pairing::sequential;
        std::vector<double> waited;
    };

    void take(const trial_record& trial, std::uint64_t block);
    [[nodiscard]] const cell_samples& in(cell where) const { return cells_[where.workload][where.contender]; }
    [[nodiscard]] bool are_in_slices(compared_cells of) const {
        return pairing_of({of.workload, of.who}) == reports::pairing::interleaved &&
               pairing_of({of.workload, of.to}) == reports::pairing::interleaved;
    }
    /// Returns log ratios, above 0 if `who` is better.
    [[nodiscard]] std::vector<block_value> ratios_by_block(compared_cells of,
                                                           const reports::metric_info& metric) const;
    [[nodiscard]] std::size_t layout(std::uint64_t block, std::size_t contender) const;
    /// Returns the values or, with layouts, the median of each pair of layouts.
    [[nodiscard]] std::vector<double> by_layouts(const std::vector<block_value>& all,
                                                 compared_cells of) const;

    [[nodiscard]] std::vector<host_value> by_host(std::size_t workload,
                                                  const std::vector<block_value>& all) const;
    [[nodiscard]] comparison comparison_of(const std::vector<block_value>& all, compared_cells of) const;

    std::optional<std::size_t> baseline_, aa_copy_;
    std::vector<std::vector<cell_samples>> cells_;   // [workload][contender]
    std::vector<std::vector<std::size_t>> layouts_;  // [block][contender]; empty without layouts
    std::vector<std::vector<std::size_t>> hosts_;    // [workload][block]; empty with fewer than two
    std::uint64_t disturbed_ = 0, trials_ = 0;
};

}  // namespace loopbench::bench
