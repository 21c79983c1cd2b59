// A report, or the trends of a history, as one page that needs neither a network nor other files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"
#include "reports/render/formats/hgrm.hpp"

namespace loopbench::reports {

/// Returns the page: reports/render/html/ and Chart.js, joined with the report as JSON. With histograms, the
/// page draws whole distributions; without them, only the report's percentiles. For a comparison of two
/// reports, `before` is the old one.
std::string write_html(const report& content, std::span<const histogram> histograms = {},
                       const report* before = nullptr);

/// Returns the page with the trends of a history. `history` is JSON, written by
/// bench/harness/history/trends_page.cpp and read by reports/render/html/trends.js.
std::string write_trends_html(std::string_view history);

}  // namespace loopbench::reports
