#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/harness/history/series.hpp"

namespace loopbench::bench {

struct trends_page {
    std::string html;
    std::vector<const kept_run*> runs;
};

/// The largest number of points on a page. A page with this number of points has about ten megabytes: it fits
/// into an email, and a browser draws it in a few seconds.
inline constexpr std::size_t points_shown_max = 300'000;

/// Returns a page with the latest runs. The page has at most `points_max` points (not counting those of
/// constant series), but at least one run. `all` contains series with intervals that were read from the
/// history `from`. Unless `reports` is empty, the numbers link to the runs' report pages (report_page_name)
/// in the folder `reports`; a relative path is relative to the folder of the page. Throws database_error if
/// the database fails.
trends_page write_trends_page(store& from, const std::vector<kept_run>& runs, const std::vector<series>& all,
                              const std::string& reports, std::size_t points_max = points_shown_max);

/// Returns the file name of a run's report page. The name contains more than the run's number, because the
/// database reuses the numbers of removed runs.
std::string report_page_name(const kept_run& run);

}  // namespace loopbench::bench
