#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::tests {

/// Returns a result whose interval is `median` plus or minus 1 %.
inline reports::result measured_as(const char* workload, const char* contender, const char* metric,
                                   double median) {
    reports::result item;
    item.workload = workload;
    item.contender = contender;
    item.metric = metric;
    item.median = median;
    item.low = median * 0.99;
    item.high = median * 1.01;
    return item;
}

inline reports::result judged_as(const char* workload, const char* contender, const char* metric,
                                 double median, reports::ratio to, reports::verdict found) {
    auto item = measured_as(workload, contender, metric, median);
    to.to = "asio-epoll";
    item.to_baseline = to;
    item.judged = found;
    return item;
}

inline reports::result missing_as(const char* workload, const char* contender, reports::result_status status,
                                  std::string reason) {
    reports::result item;
    item.workload = workload;
    item.contender = contender;
    item.metric = "time";
    item.unit = "ns";
    item.status = status;
    item.reason = std::move(reason);
    return item;
}

inline reports::report report_with(std::vector<reports::result> results) {
    reports::report all;
    all.baseline = "asio-epoll";
    all.judged_by = {"benjamini-hochberg", 1, 1};
    all.aa = reports::self_check{"asio-epoll", "asio-epol~", reports::reliability::reliable, {}, {}, {}};
    all.contenders = {reports::describe("floor-epoll", {{"role", "floor"}})};
    all.results = std::move(results);
    return all;
}

}  // namespace loopbench::tests
