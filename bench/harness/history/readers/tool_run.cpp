#include "bench/harness/history/readers/tool_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

bool is_possible(const tool_metric& of, double number) {
    if (of.metric == other_metric) return true;  // a metric of the user can have any sign
    return of.metric == "time" || of.metric == "throughput" ? number > 0 : number >= 0;
}

std::vector<double> all_numbers(const tool_metric& of) {
    if (!of.samples.empty() || !of.value) return of.samples;
    return {of.value->median};
}

/// Returns the reason why a value is impossible, or an empty text if all values are possible.
std::string why_impossible(const tool_metric& of, std::string_view remedy) {
    const auto numbers = all_numbers(of);
    if (numbers.empty()) return fmt::format("it has no {}", of.metric);
    for (const double number : numbers) {
        if (!std::isfinite(number)) return fmt::format("a value of {} is not a number", of.metric);
        if (!is_possible(of, number))
            return fmt::format("a value of {} is {} {}, which is not above 0{}{}", of.metric, number, of.unit,
                               remedy.empty() ? "" : "; ", remedy);
    }
    return {};
}

reports::result result_with(const std::string& workload, const std::string& contender,
                            const tool_metric& from) {
    reports::result item;
    item.workload = workload;
    item.contender = contender;
    item.metric = from.metric;
    item.unit = from.unit;
    item.better = from.better;
    item.samples.assign(from.samples.begin(), from.samples.end());
    const auto found =
        from.samples.empty() ? from.value.value_or(estimate{}) : median_with_interval(from.samples);
    item.median = found.median;
    item.low = found.low;
    item.high = found.high;
    return item;
}

reports::result failed_result(const tool_benchmark& of, const std::string& contender) {
    auto item = reports::result_of(of.name, contender, *reports::find_metric("time"));
    const auto [status, reason] = outcome_of_error(*of.error);
    item.status = status;
    item.reason = reason;
    return item;
}

}  // namespace

tool_metric metric_named(std::string_view name) {
    const auto& known = *reports::find_metric(name);
    return {.metric = std::string{name}, .unit = std::string{known.unit}, .better = known.better};
}

tool_metric time_of_samples(std::vector<double> samples, double unit_ns) {
    auto time = metric_named("time");
    for (auto& sample : samples) sample *= unit_ns;
    time.samples = std::move(samples);
    return time;
}

tool_metric with_value(tool_metric metric, estimate value) {
    for (auto* bound : {&value.low, &value.high})
        if (*bound && !std::isfinite(**bound)) bound->reset();
    metric.value = value;
    return metric;
}

void refuse_impossible(tool_benchmark& of, std::string_view remedy) {
    if (!of.error && of.metrics.empty()) of.error = "it has no number";
    for (const auto& each : of.metrics) {
        if (of.error) break;
        if (auto why = why_impossible(each, remedy); !why.empty()) of.error = std::move(why);
    }
    if (of.error) of.metrics.clear();
}

void distinguish_equal_names(std::vector<tool_benchmark>& all) {
    std::vector<std::string> names;
    for (const auto& each : all) names.push_back(each.name.empty() ? "(unnamed)" : each.name);
    names = distinct_names(names);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].name = std::move(names[i]);
}

reports::document parse_tool_json(std::string_view text, std::size_t first_line) {
    return read_corrected(text, [&](std::string_view valid) {
        return reports::document{valid, {.first_line = first_line}};
    });
}

double number_or_nan(const reports::node& of) {
    return of.is_null() ? std::numeric_limits<double>::quiet_NaN() : of.number();
}

std::vector<double> numbers_in_list(const reports::node& list) {
    return list.each(number_or_nan);
}

std::string text_or_empty(const reports::node& in, std::string_view key) {
    const auto found = in.find(key);
    return found && !found->is_null() ? found->text() : "";
}

reports::report report_of_tool(const tool_run& run) {
    reports::report report;
    report.where = run.where;
    if (report.where.cpu_model.empty()) report.where.cpu_model = "a processor";
    report.contenders = {run.contender};
    report.warnings = run.warnings;
    for (const auto& each : run.benchmarks) {
        if (!each.primary_metrics.empty()) report.workloads.push_back({each.name, each.primary_metrics});
        if (each.error) report.results.push_back(failed_result(each, run.contender.name));
        for (const auto& metric : each.metrics)
            report.results.push_back(result_with(each.name, run.contender.name, metric));
    }
    return report;
}

}  // namespace loopbench::bench
