#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// An index that finds the results of a report by workload, contender and metric, because a report can have a
/// hundred thousand results. The report must exist as long as the index, which refers to it.
class report_index {
public:
    explicit report_index(const report& of);

    [[nodiscard]] const report& whole() const { return whole_; }
    [[nodiscard]] std::span<const std::string_view> workloads() const { return workloads_; }
    [[nodiscard]] const std::set<std::string_view>& floors() const { return floors_; }
    [[nodiscard]] bool is_floor(std::string_view contender) const { return floors_.contains(contender); }

    [[nodiscard]] std::span<const result* const> of(std::string_view workload, std::string_view metric) const;
    [[nodiscard]] const result* find(std::string_view workload, std::string_view contender,
                                     std::string_view metric = "time") const;
    /// Returns the same result as find(), or null if this result has no number.
    [[nodiscard]] const result* number(std::string_view workload, std::string_view contender,
                                       std::string_view metric = "time") const;
    [[nodiscard]] const result* baseline(std::string_view workload, std::string_view metric = "time") const {
        return number(workload, whole_.baseline, metric);
    }

    /// Returns a workload's primary metrics, the most important one first. If the report does not list them,
    /// the first applicable rule decides: latency and capacity if there is a capacity; CPU and wakeups for
    /// the family `idle`; lateness and CPU if there is lateness; otherwise time, and also p99 and CPU if
    /// there are latencies.
    [[nodiscard]] const std::vector<std::string>& headline(std::string_view workload) const;
    [[nodiscard]] const std::map<std::string_view, std::vector<std::string>>& headlines() const {
        return headlines_;
    }
    /// Returns true if the metric is a primary metric of the workload. `line` has the members `workload` and
    /// `metric`.
    template <class line>
    [[nodiscard]] bool is_about(const line& of) const {
        return is_about(of.workload, of.metric);
    }
    [[nodiscard]] bool is_about(std::string_view workload, std::string_view metric) const;
    /// Returns the contender's results that have a verdict and are for primary metrics of the workload, in
    /// the order of the primary metrics. Returns both results if a third-party report contains a result
    /// twice.
    [[nodiscard]] std::vector<const result*> judged(std::string_view workload,
                                                    std::string_view contender) const;

private:
    const report& whole_;
    std::vector<std::string_view> workloads_;
    std::set<std::string_view> floors_;
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const result*>>
        results_;  // the key is the workload and the metric
    std::map<std::string_view, std::vector<std::string>> headlines_;
};

}  // namespace loopbench::reports
