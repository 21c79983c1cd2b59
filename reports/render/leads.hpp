// Finds the leaders: the contenders that no other contender beats significantly.
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

/// A contender's ratio to the baseline, for one workload and metric. For the baseline itself, all three
/// numbers are 1.
struct standing {
    const result* item = nullptr;
    double ratio = 1, low = 1, high = 1;
};

/// Returns true if the intervals overlap or touch. Neither contender can then be called better.
bool touch(const standing& one, const standing& other);

/// Returns the baseline and all contenders whose ratio has an interval, the best one first, without floors.
/// Returns an empty list if the baseline has no number, as in a comparison of two reports, where each ratio
/// is relative to the contender's own old value.
std::vector<standing> standings(const report& content, std::string_view workload, std::string_view metric);

/// Returns the best contender, and all contenders that are not significantly worse than any other one. A
/// contender is significantly worse if the intervals do not touch and a verdict against the baseline confirms
/// this: the better contender is `faster`, or the worse one is `slower`.
std::vector<standing> leaders(std::span<const standing> all, std::string_view baseline);

using places = std::vector<standing>;
using sources = std::vector<const result*>;
using names = std::vector<std::string_view>;

struct indexed_report : report_index {
    std::map<std::string_view, std::string> drivers;

    explicit indexed_report(const report& content);

    [[nodiscard]] names about(std::string_view metric) const;
    [[nodiscard]] places standings(std::string_view workload, std::string_view metric) const;
    [[nodiscard]] sources measured(std::string_view workload, std::string_view metric) const;
    [[nodiscard]] std::size_t compared(std::string_view metric) const;
    /// Returns true if the workload's threads shared cores, so that its times mean nothing.
    [[nodiscard]] bool has_shared_cores(std::string_view workload) const;
};

/// Returns true if the best contender might be missing in `all`, because its result has no ratio with an
/// interval. A contender whose signed difference is significantly worse than the baseline cannot be the best.
bool first_may_be_missing(const places& all, const sources& measured);

using lead_table = std::vector<std::pair<std::string_view, places>>;

/// The contenders that lead on the most workloads. If other contenders lead on as many but different
/// workloads, they are left out.
struct lead {
    names who;
    names on;
    sources from;
};

lead widest_lead(const lead_table& table);

/// The contenders of a lead: those that are significantly faster than the baseline in one of its workloads,
/// and the others, which are not significantly slower than these.
struct split_lead {
    names faster;
    names level;
};
split_lead split(const lead& those);

/// Returns false if `group` consists of all contenders, because a sentence about all contenders would say
/// nothing.
bool tells_something(const places& all, const places& group);

lead_table leads_by_time(const indexed_report& in);

}  // namespace loopbench::reports
