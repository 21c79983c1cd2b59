// The curves against the number of threads as text. (Tables of other curves would repeat the tables of all
// results.)
#pragma once

#include <string>
#include <vector>

#include "reports/model/scaling.hpp"
#include "reports/render/leads.hpp"

namespace loopbench::reports {

struct threads_summary {
    std::string text;  // empty if the report has no ratio to one thread
    sources from;
};

/// Returns a sentence with the greatest loss and the greatest gain with more threads, over all workloads.
/// Like all sentences, it names no floors, and gives only significant ratios.
threads_summary summary_of_threads(const report_index& in);

/// Returns the ratios to one thread with the most threads for which a contender has one: all ratios of a few
/// contenders, or the greatest and the smallest. Returns "" if the session is unreliable.
std::string sentence_about(const curve_set& set, const report_index& in);

/// Returns for example "Failed: asio-each with 2 threads (killed by SIGSEGV). Unsupported: 4 and 8 threads.",
/// or "" if every contender has a point for every number of threads.
std::string note_about_missing(const curve_set& set);

/// Returns the numbers of threads, as places in `set.values`, at which a contender was measured or failed.
std::vector<std::size_t> places_to_show(const curve_set& set);

/// Returns "failed", "not run" and so on; returns "-" for a missing point.
std::string_view word_for(point_state state);

/// Returns the header, and a row with the name and the cells of each contender.
std::vector<std::vector<std::string>> threads_table(const curve_set& set, const report_index& in);

/// Explains the cells of threads_table().
extern const std::string_view legend_of_threads;

}  // namespace loopbench::reports
