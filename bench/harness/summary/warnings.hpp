#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/experiment/samples.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the warnings of the report `found`. All fields of `found` except the warnings must be set before
/// the call.
std::vector<reports::warning> warnings_of(const run_plan& plan, const run_outcome& outcome,
                                          const sample_table& samples, const reports::report& found);

/// Returns a warning for each contender that was compiled with asio_compat's drop-in header and has results,
/// but whose trials recorded no io_context of asio_compat.
std::vector<reports::warning> swap_warnings(const reports::report& found);

/// Returns the remedy if each ratio has fewer than `needed` values: more layouts of each build, more blocks,
/// or both.
std::string more_pairs(const run_plan& plan, std::uint64_t needed);

enum class which_build { base, next };

/// Returns the warning about benchmarks that only one of two builds has. `owner` is the name of this build.
reports::warning unmatched_benchmarks(std::string_view owner, std::vector<std::string> names,
                                      which_build which);

reports::warning baseline_not_measured(const std::string& baseline);

reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why);

/// Returns the logarithm of the factor between the largest and the smallest of the hosts' ratios.
double widest_gap(const reports::host_effect& effect);

}  // namespace loopbench::bench
