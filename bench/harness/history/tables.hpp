#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/history/series.hpp"

namespace loopbench::bench {

std::string machine_name(const kept_machine& machine);

/// Returns a text such as "1a2b3c4d5e+". The "+" means that the sources had uncommitted changes. Returns "-"
/// if the commit is unknown.
std::string build_name(const kept_run& run);

std::string runs_text(std::span<const kept_run> runs);
std::string runs_json(std::span<const kept_run> runs);

/// Returns a text with a line for each series. If there is only one series, the text has a line for each of
/// its runs, with marks at the changes. A single series must have intervals.
std::string trend_text(const std::vector<series>& all);
/// Returns the series as JSON. All series must have intervals.
std::string trend_json(const std::vector<series>& all);
std::string trend_csv(const std::vector<series>& all);

/// Returns a text such as "4.8 % worse (4.1 to 5.4 %)".
std::string size_text(const series_change& change);
std::string also_changed(const kept_run& before, const kept_run& after);
struct shown_size {
    std::string unit;
    std::optional<double> median, low, high;
};
shown_size size_of(const series_change& change);

std::string changes_text(std::span<const series_change> changes);
std::string changes_json(std::span<const series_change> changes);

}  // namespace loopbench::bench
