// Output of a history: its runs, series and changes, as text, JSON and CSV.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/history/series.hpp"

namespace loopbench::bench {

/// Returns the machine's CPU model and sizes, and its name if the user gave one.
std::string machine_name(const kept_machine& machine);

/// Returns "1a2b3c4d5e+" for a commit with uncommitted changes; "-" if no commit is known.
std::string build_name(const kept_run& run);

std::string runs_text(std::span<const kept_run> runs);
std::string runs_json(std::span<const kept_run> runs);

/// Returns a line for each series. For a single series, which needs intervals, returns a line for each run,
/// with its changes.
std::string trend_text(const std::vector<series>& all);
/// Returns every point of every series, with its interval.
std::string trend_json(const std::vector<series>& all);
std::string trend_csv(const std::vector<series>& all);

/// Returns "4.8 % worse (4.1 to 5.4 %)".
std::string size_text(const series_change& change);
/// Returns what else changed (kernel, compiler), as a part of a sentence. The caller names the two commits.
std::string also_changed(const kept_run& before, const kept_run& after);
/// The improvement, in per cent, or in the metric's unit if the series has no logarithm.
struct shown_size {
    std::string unit;
    std::optional<double> median, low, high;
};
shown_size size_of(const series_change& change);

std::string changes_text(std::span<const series_change> changes);
std::string changes_json(std::span<const series_change> changes);

}  // namespace loopbench::bench
