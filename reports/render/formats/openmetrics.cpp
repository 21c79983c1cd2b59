// Writes the OpenMetrics text format, https://openmetrics.io. Every metric is a gauge, with samples for the
// median and for the ends of its interval. A result without numbers is a gauge with the value 1, and with the
// status and the reason as labels.
#include <fmt/format.h>

#include <cmath>

#include "reports/model/metrics.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/formats/formats.hpp"

namespace loopbench::reports {

namespace {

std::string label(std::string_view text) {
    return escaped(text, {{'\n', "\\n"}, {'"', "\\\""}, {'\\', "\\\\"}}, "\n");
}

void add(std::string& out, const result& item, std::string_view which, const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) return;
    const auto max_of = item.max_of ? fmt::format(",max_of=\"{}\"", *item.max_of) : "";
    out += fmt::format("loopbench_{}{{workload=\"{}\",contender=\"{}\",value=\"{}\"{}}} {}\n", item.metric,
                       label(item.workload), label(item.contender), which, max_of, *value);
}

std::string unit_text(std::string_view unit) {
    const bool is_of_measure = unit == "ns" || unit == "B";
    return is_of_measure ? fmt::format(", in {}", unit) : "";
}

std::string without_numbers(const report& content) {
    std::string samples;
    for (const auto& item : content.results)
        if (item.status != result_status::ok)
            samples += fmt::format(
                "loopbench_without_numbers{{workload=\"{}\",contender=\"{}\",status=\"{}\",reason=\"{}\"}} "
                "1\n",
                label(item.workload), label(item.contender), name_of(item.status),
                label(item.reason.value_or("")));
    if (samples.empty()) return "";
    return "# TYPE loopbench_without_numbers gauge\n# HELP loopbench_without_numbers workloads without "
           "numbers: the contender failed, does not support the workload, or was not run\n" +
           samples;
}

}  // namespace

std::string write_openmetrics(const report& content) {
    std::string out;
    for (const auto& metric : known_metrics()) {
        std::string samples;
        for (const auto& item : content.results) {
            if (item.metric != metric.name) continue;
            add(samples, item, "median", item.median);
            add(samples, item, "low", item.low);
            add(samples, item, "high", item.high);
        }
        if (samples.empty()) continue;
        out += fmt::format("# TYPE loopbench_{0} gauge\n# HELP loopbench_{0} {1}{2}\n{3}", metric.name,
                           label(metric.summary), unit_text(metric.unit), samples);
    }
    return out + without_numbers(content) + "# EOF\n";
}

}  // namespace loopbench::reports
