// Writes Bencher's metric format, https://bencher.dev/docs/reference/bencher-metric-format/: medians with
// their intervals.
//     { "workload/contender": { "time": { "value": 1.0, "lower_value": 0.9, "upper_value": 1.1 } } }
// A result without numbers has the measure "failed", "unsupported" or "not_run" with the value 1.
#include <fmt/format.h>

#include <cmath>

#include "reports/model/json.hpp"
#include "reports/render/formats/formats.hpp"

namespace loopbench::reports {

std::string write_bmf(const report& content) {
    auto document = nlohmann::ordered_json::object();
    for (const auto& item : content.results) {
        if (item.status != result_status::ok)
            document[fmt::format("{}/{}", item.workload, item.contender)][std::string{name_of(item.status)}]
                    ["value"] = 1;
        // If there are too few samples for a percentile, the value is their maximum, and the format cannot
        // label it as such. It is left out; the metric for the maximum contains it.
        if (!item.median || !std::isfinite(*item.median) || item.max_of) continue;
        auto& measure = document[fmt::format("{}/{}", item.workload, item.contender)][item.metric];
        measure["value"] = *item.median;
        if (item.low && std::isfinite(*item.low)) measure["lower_value"] = *item.low;
        if (item.high && std::isfinite(*item.high)) measure["upper_value"] = *item.high;
    }
    return dump(document, 1) + "\n";
}

}  // namespace loopbench::reports
