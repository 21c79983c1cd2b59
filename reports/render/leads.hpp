// Functions that determine which contenders lead: those that no other contender beats significantly.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/report_index.hpp"
#include "reports/model/results.hpp"

namespace loopbench::reports {

/// The ratio of a contender to the baseline, with its interval, for one workload and one metric. For the
/// baseline itself, all three numbers are 1.
struct standing {
    const result* item = nullptr;
    double ratio = 1, low = 1, high = 1;
};

/// Returns true if the intervals of the two contenders overlap or touch. Neither contender can then be called
/// better.
bool touch(const standing& one, const standing& other);

/// Returns the contenders that can be compared, the best one first: the baseline, and all contenders whose
/// ratio has an interval. Leaves out floors. Returns an empty list if the baseline has no number. In a
/// comparison of two reports, this is always the case, because each ratio is relative to the contender's own
/// old value.
std::vector<standing> standings(const report& content, std::string_view workload, std::string_view metric);

/// Returns the best contender, and all others that are not significantly worse than any contender. A
/// contender is significantly worse than another one if its interval lies below the other interval, and if in
/// addition the verdicts against the baseline confirm this: the other contender is `faster`, or this one is
/// `slower`.
std::vector<standing> leaders(std::span<const standing> all, std::string_view baseline);

using places = std::vector<standing>;
using sources = std::vector<const result*>;
using names = std::vector<std::string_view>;

/// The index of a report and the drivers of its contenders.
struct indexed_report : report_index {
    std::map<std::string_view, std::string> drivers;  // the driver of each contender

    explicit indexed_report(const report& content);

    /// Returns the workloads whose primary metrics include `metric`.
    [[nodiscard]] names about(std::string_view metric) const;
    [[nodiscard]] places standings(std::string_view workload, std::string_view metric) const;
    /// Returns the contenders' results that have a number, without the floors' results.
    [[nodiscard]] sources measured(std::string_view workload, std::string_view metric) const;
    /// Returns the number of workloads on which at least two contenders can be compared by this metric.
    [[nodiscard]] std::size_t compared(std::string_view metric) const;
};

/// Returns true if a measured contender that could be the best is missing from the standings. Contenders with
/// a difference instead of a ratio are missing. Such a contender cannot be the best if it is significantly
/// worse than the baseline.
bool first_may_be_missing(const places& all, const sources& measured);

/// The leaders of each workload: the contenders that no other contender beats significantly.
using lead_table = std::vector<std::pair<std::string_view, places>>;

/// The contenders that lead on the most workloads, and these workloads. If contenders lead on equally many
/// but different workloads, only those that lead on the same workloads are included.
struct lead {
    names who;
    names on;
    sources from;
};

/// Returns the contenders that lead on the most workloads of the table.
lead widest_lead(const lead_table& table);

/// Returns true if a sentence should name the group. A group that contains all contenders says nothing.
bool tells_something(const places& all, const places& group);

/// Returns the leaders by time per operation.
lead_table leads_by_time(const indexed_report& in);

}  // namespace loopbench::reports
