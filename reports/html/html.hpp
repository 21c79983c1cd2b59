// A report, and the trends of a history, as one page that needs nothing else, neither a network nor a file
// beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/formats/hgrm.hpp"
#include "reports/results.hpp"

namespace loopbench::reports {

/// The page: reports/html/ and Chart.js, joined with the report as JSON. With the histograms of its cells the
/// page draws whole distributions, and without them what the report has of percentiles. Of a comparison of
/// two reports, `before` is the old one.
std::string write_html(const report& content, std::span<const histogram> histograms = {},
                       const report* before = nullptr);

/// The page of the trends of a history, which is JSON as bench/history/trends_page.cpp makes it and
/// reports/html/trends.js reads it.
std::string write_trends_html(std::string_view history);

}  // namespace loopbench::reports
