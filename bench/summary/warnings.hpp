// Everything that a run may have to warn of, each with its remedy, in one list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment/runner.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

reports::warning was_interrupted(std::uint64_t blocks_finished, std::uint64_t blocks_planned);
reports::warning budget_spent(std::uint64_t blocks_finished, std::uint64_t blocks_planned);
reports::warning too_few_trials();
/// `enough`: blocks, as far as can be said beforehand.
reports::warning too_few_for_verdicts(std::uint64_t enough);
/// The same of hosts, where there are several.
reports::warning too_few_hosts(std::uint64_t enough);
/// Of a shard's own report.
reports::warning is_a_shard(const shard& part, std::uint64_t blocks_of_plan);
/// Of a record that was merged without all of its shards, or before all of them were done.
reports::warning missing_shards(const std::vector<merged_shard>& merged, std::uint64_t blocks_of_plan);
/// `cells`: whose ratio is what on which host, the most different ones first.
reports::warning hosts_differ(const std::vector<std::string>& cells);
/// `path`: what it was found to be.
reports::warning client_elsewhere(const std::string& command, const std::string& path);
/// Of a comparison of one build with one build that found a difference.
reports::warning one_layout();
reports::warning few_layouts(std::uint64_t layouts, std::uint64_t blocks);
/// `--precision` went no further than the layouts do.
reports::warning few_layouts_for_precision(std::uint64_t layouts, double precision_pct);
reports::warning unfit(const std::string& reason);
reports::warning drift(const std::vector<std::string>& workloads);
reports::warning disturbed_trials(const reports::disturbances& found);
/// `cells`: who is faster where. Without a reason (`why` is empty) it says that none is known.
reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why);
/// `workloads`: who of those that ran together waited for how much of its time.
reports::warning waited_together(const std::vector<std::string>& workloads);
reports::warning baseline_not_measured(const std::string& baseline);
reports::warning baseline_without_numbers(const std::string& baseline,
                                          const std::vector<std::string>& workloads);

}  // namespace loopbench::bench
