// The trends of a history as a page: its runs, its series and its changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/harness/history/series.hpp"

namespace loopbench::bench {

struct trends_page {
    std::string html;
    std::vector<const kept_run*> runs;  // that the page shows
};

/// Limit for a page that a browser draws in a few seconds and that fits into a mail: some ten megabytes.
inline constexpr std::size_t points_shown_max = 300'000;

/// Writes the page for series that were read from `from` with their intervals. If there are too many runs, it
/// shows the latest ones, at least one, with at most `points_max` points (constant series do not count), and
/// says so. Unless `reports` is empty, the numbers link to report_page_name() in that folder; a relative path
/// starts at the page's folder. Throws database_error.
trends_page write_trends_page(store& from, const std::vector<kept_run>& runs, const std::vector<series>& all,
                              const std::string& reports, std::size_t points_max = points_shown_max);

/// Returns the file name of a run's own page. The name identifies the run by more than its number, because
/// numbers of removed runs are used again.
std::string report_page_name(const kept_run& run);

}  // namespace loopbench::bench
