// The trends of a history as a page: its runs, its series and its changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/history/series.hpp"

namespace loopbench::bench {

struct trends_page {
    std::string html;
    std::vector<const kept_run*> runs;  // that it shows
};

/// What a browser draws in a few seconds, and a mail takes with it: some ten megabytes.
inline constexpr std::size_t points_shown_max = 300'000;

/// Of series that were read from `from` with their intervals. Of very many runs it shows the latest, as many
/// as have no more than `points_max` points that are not always the same, and says so; one at least. Its
/// numbers lead to report_page_name() in the folder `reports`, unless that is empty; a path is seen from
/// where the page is. Throws database_error.
trends_page write_trends_page(store& from, const std::vector<kept_run>& runs, const std::vector<series>& all,
                              const std::string& reports, std::size_t points_max = points_shown_max);

/// Of the file with the run's own page. It says which run it is of, as numbers of runs that were removed may
/// be given again, also to one of the same moment on another machine.
std::string report_page_name(const kept_run& run);

}  // namespace loopbench::bench
