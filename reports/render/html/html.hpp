#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"
#include "reports/render/formats/hgrm.hpp"

namespace loopbench::reports {

/// Returns a page that needs no other files. Without histograms, its curves of latencies show only the
/// report's percentiles. In a comparison of two reports, `before` is the old report.
std::string write_html(const report& content, std::span<const histogram> histograms = {},
                       const report* before = nullptr);

/// Returns the page with the trends of a history. `history` is JSON that
/// bench/harness/history/trends_page.cpp writes and reports/render/html/trends.js reads.
std::string write_trends_html(std::string_view history);

}  // namespace loopbench::reports
