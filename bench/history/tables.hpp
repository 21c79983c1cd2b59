// What a history shows: its runs, its series and its changes, for a person, for a program and for a
// spreadsheet.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/history/series.hpp"

namespace loopbench::bench {

/// Its looks, and the name that it was given.
std::string machine_name(const kept_machine& machine);

/// "1a2b3c4d5e+" for a commit with changes that are not in it; "-" where no commit is known.
std::string build_name(const kept_run& run);

std::string runs_text(std::span<const kept_run> runs);
std::string runs_json(std::span<const kept_run> runs);

/// A line for each series; of a single one, which needs intervals, a line for each run, with the changes in
/// it.
std::string trend_text(const std::vector<series>& all);
/// Every point of every series, with its interval.
std::string trend_json(const std::vector<series>& all);
std::string trend_csv(const std::vector<series>& all);

/// "worse by 4.8 % (4.1 to 5.4)"
std::string size_text(const series_change& change);
/// What else was not the same before and after, as a part of a sentence; the two commits are said anyway.
std::string also_changed(const kept_run& before, const kept_run& after);
/// How much better it became: in per cent, or, where there is no logarithm, in the unit.
struct shown_size {
    std::string unit;
    std::optional<double> median, low, high;
};
shown_size size_of(const series_change& change);

std::string changes_text(std::span<const series_change> changes);
std::string changes_json(std::span<const series_change> changes);

}  // namespace loopbench::bench
