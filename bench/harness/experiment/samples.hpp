// The samples are indexed by block, so that samples of a contender and of the baseline with the same index
// form a pair. The index counts only the blocks in the record, because a shard or an interrupted run lacks
// some blocks of the plan.
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

/// The attempts whose trials count, one for each block and workload. The last attempt counts, unless an
/// earlier attempt has more trials.
class counting_attempts {
public:
    explicit counting_attempts(const run_outcome& outcome);

    [[nodiscard]] bool counts(std::uint64_t block, std::size_t workload, std::uint64_t attempt) const;

private:
    using row = std::pair<std::uint64_t, std::size_t>;
    std::map<row, std::uint64_t> best_;
};

/// Returns the machines in the order of their first trials. A report numbers its hosts in this order. Trials
/// without a machine count as one machine with an empty name. Returns an empty vector if no trial names a
/// machine.
std::vector<std::string> machines_of(const run_outcome& outcome);

struct compared_cells {
    std::size_t workload, who, to;
};

class sample_table {
public:
    static constexpr std::uint64_t all_blocks = std::numeric_limits<std::uint64_t>::max();

    sample_table(const run_plan& plan, const run_outcome& outcome, std::uint64_t blocks = all_blocks);

    /// Returns one vector for each metric. Its i-th element belongs to the i-th block in the record, and is
    /// empty if that block's trial has no number.
    [[nodiscard]] const samples_by_metric& of(cell where) const { return in(where).metrics; }
    [[nodiscard]] reports::pairing pairing_of(cell where) const { return in(where).made; }
    /// Returns the median share of time in which the contender did not use the core. Returns nothing if its
    /// trials were not concurrent.
    [[nodiscard]] std::optional<double> waited(cell where) const;

    struct trial_counts {
        std::uint64_t trials = 0, disturbed = 0;
        [[nodiscard]] bool are_mostly_disturbed() const { return 2 * disturbed > trials; }
    };
    /// Returns the numbers of trials of the workload that measured something. Only sequential trials are
    /// checked for all disturbances. Other trials are checked for orphaned processes, because any other
    /// disturbance affects only a few of their many slices.
    [[nodiscard]] const trial_counts& counts_of(std::size_t workload) const { return counts_[workload]; }
    [[nodiscard]] std::uint64_t disturbed() const;

    /// Returns log ratios, which are above 0 if `who` is better. There is one for each block. For times of
    /// interleaved trials, it is the median over the block's rounds. With layouts, there is one log ratio for
    /// each pair of layouts: the median over the blocks with this pair, because such blocks are not
    /// independent.
    [[nodiscard]] std::vector<double> log_ratios(compared_cells of, const reports::metric_info& metric) const;
    /// Returns log_ratios() if all trials ran on one host. With several hosts, returns the median log ratio
    /// of each host.
    [[nodiscard]] comparison comparison_of(compared_cells of, const reports::metric_info& metric) const;
    /// Returns the log ratio of each block with the index of the block's machine (machines_of). Returns an
    /// empty vector if there are fewer than two machines, or if several layouts of a contender are compared.
    [[nodiscard]] std::vector<host_value> by_host(compared_cells of,
                                                  const reports::metric_info& metric) const;
    /// Returns the median of `values` (one value per block) and the interval of this median. At least one
    /// value must be present. With several hosts, returns the median of the hosts' medians, computed from
    /// logarithms if all values are above 0.
    [[nodiscard]] estimate estimate_of(std::size_t workload,
                                       const std::vector<std::optional<double>>& values) const;
    /// Returns one ratio for each block (the median over its rounds) if `who` and `to` were interleaved.
    /// Returns nothing for other pairings, because the ratio of a block then follows from its two samples.
    [[nodiscard]] std::optional<std::vector<std::optional<double>>> ratios_of_slices(compared_cells of) const;
    /// The comparisons that replace ratios if some samples are not above zero.
    struct distances {
        /// The log quotients of the samples' distances from zero. They are above 0 if `who` is better.
        /// Distances are compared, because an early timer is as inaccurate as a late timer.
        comparison log_quotients;
        comparison differences;
    };
    [[nodiscard]] distances distances_from_zero(compared_cells of, const reports::metric_info& metric) const;
    /// Returns the standard deviation, between layouts, of the logarithm of the metric. Estimates it from the
    /// trials of the baseline, its A/A copy and `who`. Returns nothing if too few layouts were measured in
    /// more than one block, because the deviation then cannot be distinguished from noise.
    [[nodiscard]] std::optional<double> layout_deviation(std::size_t workload, std::size_t who,
                                                         const reports::metric_info& metric) const;

private:
    struct block_value {
        std::uint64_t block;
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
    [[nodiscard]] std::vector<block_value> ratios_by_block(compared_cells of,
                                                           const reports::metric_info& metric) const;
    [[nodiscard]] std::size_t layout(std::uint64_t block, std::size_t contender) const;
    [[nodiscard]] std::vector<double> by_layouts(const std::vector<block_value>& all,
                                                 compared_cells of) const;

    [[nodiscard]] std::vector<host_value> by_host(std::size_t workload,
                                                  const std::vector<block_value>& all) const;
    [[nodiscard]] comparison comparison_of(const std::vector<block_value>& all, compared_cells of) const;

    std::optional<std::size_t> baseline_, aa_copy_;
    std::vector<std::vector<cell_samples>> cells_;   // [workload][contender]
    std::vector<std::vector<std::size_t>> layouts_;  // [block][contender]; empty without layouts
    std::vector<std::vector<std::size_t>> hosts_;    // [workload][block]; empty with fewer than two machines
    std::vector<trial_counts> counts_;               // by workload
};

}  // namespace loopbench::bench
