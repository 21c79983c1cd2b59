// Index of a report's results, of which there may be a hundred thousand, and the primary metrics of its
// workloads. For example, a sleep always takes its time; loops differ in how late they wake up and in the CPU
// time that this costs.
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

/// Index of a report. Refers to the report.
class report_index {
public:
    explicit report_index(const report& of);

    [[nodiscard]] const report& whole() const { return whole_; }
    /// Returns the workloads with results, in the report's order.
    [[nodiscard]] std::span<const std::string_view> workloads() const { return workloads_; }
    /// Returns the contenders that are floors (is_floor).
    [[nodiscard]] const std::set<std::string_view>& floors() const { return floors_; }
    [[nodiscard]] bool is_floor(std::string_view contender) const { return floors_.contains(contender); }

    /// Returns a workload's results for a metric, in the report's order.
    [[nodiscard]] std::span<const result* const> of(std::string_view workload, std::string_view metric) const;
    /// Returns the first result for this workload, contender and metric; null if not found.
    [[nodiscard]] const result* find(std::string_view workload, std::string_view contender,
                                     std::string_view metric = "time") const;
    /// Returns the same if it has a number, otherwise null.
    [[nodiscard]] const result* number(std::string_view workload, std::string_view contender,
                                       std::string_view metric = "time") const;
    [[nodiscard]] const result* baseline(std::string_view workload, std::string_view metric = "time") const {
        return number(workload, whole_.baseline, metric);
    }

    /// Returns a workload's primary metrics, the most important first, even if some contenders lack them;
    /// empty for a workload without results. They are taken from the report. If the report does not name
    /// them, the first rule that applies decides: latency and capacity if there is a capacity; CPU and
    /// wakeups for the family `idle`; lateness and CPU if there is lateness; otherwise time, with p99 and CPU
    /// if there are latencies.
    [[nodiscard]] const std::vector<std::string>& headline(std::string_view workload) const;
    [[nodiscard]] const std::map<std::string_view, std::vector<std::string>>& headlines() const {
        return headlines_;
    }
    /// Returns whether the metric is a primary one of the workload, for any type that names both.
    template <class line>
    [[nodiscard]] bool is_about(const line& of) const {
        return is_about(of.workload, of.metric);
    }
    [[nodiscard]] bool is_about(std::string_view workload, std::string_view metric) const;
    /// Returns the results that a gate judges: those for the primary metrics, in their order, that have a
    /// verdict. Includes duplicates, which a third-party report may have.
    [[nodiscard]] std::vector<const result*> judged(std::string_view workload,
                                                    std::string_view contender) const;

private:
    const report& whole_;
    std::vector<std::string_view> workloads_;
    std::set<std::string_view> floors_;
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const result*>>
        results_;  // by workload and metric
    std::map<std::string_view, std::vector<std::string>> headlines_;
};

}  // namespace loopbench::reports
