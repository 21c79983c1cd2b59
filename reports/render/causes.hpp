#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns what changed, for example "2 more read(2) per operation, 1 more allocation (48 B)". The text is
/// plain; every writer must escape it.
std::string cause_text(const slowdown_cause& of, bool has_layouts);

/// Returns the text for a workload and contender with a subject, or nothing if the report has no cause for
/// them.
std::optional<std::string> cause_of(const report& content, std::string_view workload,
                                    std::string_view contender);

/// Returns a sentence for each of the first ten causes, for example "BM_sort: no count changed; code
/// placement or the code itself.", and then the number of the others, and the reasons that are common to all
/// causes.
std::vector<std::string> cause_sentences(const report& content);

/// Returns for example "BM_sort: functions by additional time per operation (estimated from perf's samples)".
std::string title_of_profile(const slowdown_cause& of);

/// Returns the functions that texts and tables show: at most ten, each with at least 1 % of additional time
/// that is certain.
std::vector<profiled_function> functions_to_show(const slowdown_cause& of);

/// The text for a profile without functions to show.
inline constexpr std::string_view no_function_to_show = "no function takes significantly longer";

/// Returns a text such as "+120 ns".
std::string more_time_text(double more_ns);

/// Returns the sentences, and the functions that take longer, in lines for a terminal.
std::string write_causes(const report& content);

}  // namespace loopbench::reports
