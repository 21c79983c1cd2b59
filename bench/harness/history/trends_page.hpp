// A page with the trends of a history: its runs, its series and its changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/harness/history/series.hpp"

namespace loopbench::bench {

struct trends_page {
    std::string html;
    std::vector<const kept_run*> runs;  // the runs that the page shows
};

/// The limit for a page that a browser draws in a few seconds and that fits into an email: some ten
/// megabytes.
inline constexpr std::size_t points_shown_max = 300'000;

/// Writes the page for series that were read from `from` with their intervals. The page shows the latest runs
/// with at most `points_max` points in total, and at least one run; points of constant series do not count.
/// If runs are left out, the page says so. Unless `reports` is empty, the numbers link to report_page_name()
/// in the folder `reports`; a relative path is relative to the folder of the page. Throws database_error.
trends_page write_trends_page(store& from, const std::vector<kept_run>& runs, const std::vector<series>& all,
                              const std::string& reports, std::size_t points_max = points_shown_max);

/// Returns the file name of the page of a single run. The name contains more than the run's number, because
/// the database reuses the numbers of removed runs.
std::string report_page_name(const kept_run& run);

}  // namespace loopbench::bench
