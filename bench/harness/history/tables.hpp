// The output of a history: its runs, series and changes, as text, JSON and CSV.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/history/series.hpp"

namespace loopbench::bench {

/// Returns the machine's CPU model, its cores and its memory, and its name if the user gave one.
std::string machine_name(const kept_machine& machine);

/// Returns the commit, with "+" for uncommitted changes: "1a2b3c4d5e+". A git commit is shortened to ten
/// digits. Returns "-" if the commit is unknown.
std::string build_name(const kept_run& run);

std::string runs_text(std::span<const kept_run> runs);
std::string runs_json(std::span<const kept_run> runs);

/// Returns a line for each series. If there is only one series, returns a line for each of its runs, and its
/// changes; this needs the intervals.
std::string trend_text(const std::vector<series>& all);
/// Returns every point of every series, with the point's interval.
std::string trend_json(const std::vector<series>& all);
std::string trend_csv(const std::vector<series>& all);

/// Returns the size of a change, for example "4.8 % worse (4.1 to 5.4 %)".
std::string size_text(const series_change& change);
/// Returns the other conditions that changed (kernel, compiler), as a part of a sentence. The caller names
/// the two commits.
std::string also_changed(const kept_run& before, const kept_run& after);
/// An improvement in per cent, or in the metric's unit if the series is not judged by logarithms.
struct shown_size {
    std::string unit;
    std::optional<double> median, low, high;
};
shown_size size_of(const series_change& change);

std::string changes_text(std::span<const series_change> changes);
std::string changes_json(std::span<const series_change> changes);

}  // namespace loopbench::bench
