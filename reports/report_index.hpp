// A report's results by what they are of, since there may be a hundred thousand; and which metrics a workload
// is about: a sleep takes as long as it takes, and what tells loops apart there is how late they wake and
// what CPU that costs.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::reports {

/// Refers to the report.
class report_index {
public:
    explicit report_index(const report& of);

    [[nodiscard]] const report& whole() const { return whole_; }
    /// Those with results, in the report's order.
    [[nodiscard]] std::span<const std::string_view> workloads() const { return workloads_; }
    /// Of the contenders, those that are floors (is_floor).
    [[nodiscard]] const std::set<std::string_view>& floors() const { return floors_; }
    [[nodiscard]] bool is_floor(std::string_view contender) const { return floors_.contains(contender); }

    /// A workload's results for a metric, in the report's order.
    [[nodiscard]] std::span<const result* const> of(std::string_view workload, std::string_view metric) const;
    /// The first result for this metric of the cell; null when there is none.
    [[nodiscard]] const result* find(std::string_view workload, std::string_view contender,
                                     std::string_view metric = "time") const;
    /// The same if it has a number.
    [[nodiscard]] const result* number(std::string_view workload, std::string_view contender,
                                       std::string_view metric = "time") const;
    [[nodiscard]] const result* baseline(std::string_view workload, std::string_view metric = "time") const {
        return number(workload, whole_.baseline, metric);
    }

    /// The metrics that a workload is about, the one above all first, whether or not every contender has
    /// them; none of a workload without results. As the report says; for a report or a workload that says
    /// nothing of it, by what was measured: lateness and CPU where there is lateness, CPU and wakeups of the
    /// family `idle`, latency and capacity where there is a capacity, and time of everything else, with the
    /// p99 and the CPU of what has latencies.
    [[nodiscard]] const std::vector<std::string>& headline(std::string_view workload) const;
    [[nodiscard]] const std::map<std::string_view, std::vector<std::string>>& headlines() const {
        return headlines_;
    }
    /// Whether its workload is about its metric; of whatever names both.
    template <class line>
    [[nodiscard]] bool is_about(const line& of) const {
        return is_about(of.workload, of.metric);
    }
    [[nodiscard]] bool is_about(std::string_view workload, std::string_view metric) const;
    /// What a gate is about: the cell's results for the metrics that the workload is about, in their order,
    /// as far as they have a verdict. All of them: somebody else's report may have one twice.
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
