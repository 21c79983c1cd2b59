// The shape of report.json, top to bottom.
#include <cmath>

#include "reports/calibration.hpp"
#include "reports/json.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

json text(const std::optional<std::string>& value) {
    if (!value) return nullptr;
    return *value;
}

json to_json(const contender& item) {
    return {{"name", item.name},
            {"library", text(item.library)},
            {"version", text(item.version)},
            {"compiler", text(item.compiler)},
            {"flags", text(item.flags)},
            {"socket_options", text(item.socket_options)},
            {"context", item.context}};
}

json to_json(const std::optional<planned>& item) {
    if (!item) return nullptr;
    return {{"size", item->size},
            {"min_time_s", number_or_null(item->min_time_s)},
            {"trial_limit_s", number_or_null(item->trial_limit_s)},
            {"blocks", item->blocks},
            {"cpu", item->cpu ? json(*item->cpu) : json(nullptr)}};
}

json to_json(const std::optional<ratio>& item) {
    if (!item) return nullptr;
    return {{"to", item->to},
            {"median", number_or_null(item->median)},
            {"low", number_or_null(item->low)},
            {"high", number_or_null(item->high)}};
}

json to_json(const std::optional<floor_multiple>& item) {
    if (!item) return nullptr;
    return {{"floor", item->floor},
            {"median", number_or_null(item->median)},
            {"low", number_or_null(item->low)},
            {"high", number_or_null(item->high)}};
}

json to_json(const result& item) {
    auto samples = json::array();
    for (const auto& sample : item.samples) samples.push_back(number_or_null(sample));
    return {{"workload", item.workload},
            {"contender", item.contender},
            {"metric", item.metric},
            {"unit", item.unit},
            {"direction", name_of(item.better)},
            {"deterministic", item.deterministic},
            {"samples", std::move(samples)},
            {"median", number_or_null(item.median)},
            {"low", number_or_null(item.low)},
            {"high", number_or_null(item.high)},
            {"level", number_or_null(item.level)},
            {"ratio", to_json(item.to_baseline)},
            {"times_floor", to_json(item.times_floor)},
            {"verdict", item.judged ? json(name_of(*item.judged)) : json(nullptr)},
            {"detectable_pct", number_or_null(item.detectable_pct)},
            {"status", name_of(item.status)},
            {"reason", text(item.reason)}};
}

json to_json(const judging& item) {
    return {{"correction", item.correction},
            {"threshold_pct", number_or_null(item.threshold_pct)},
            {"comparisons", item.comparisons}};
}

json to_json(const disturbances& item) {
    return {{"trials", item.trials},
            {"disturbed", item.disturbed},
            {"repeated", item.repeated},
            {"kept", item.kept}};
}

json to_json(const self_comparison& item) {
    return {{"workload", item.workload},
            {"ratio", to_json(std::optional{item.to_itself})},
            {"verdict", name_of(item.judged)},
            {"detectable_pct", number_or_null(item.detectable_pct)},
            {"drift_pct", number_or_null(item.drift_pct)},
            {"drifted", item.drifted}};
}

json to_json(const warning& item) {
    return {{"code", item.code}, {"message", item.message}, {"remedy", item.remedy}};
}

template <class items>
json list(const items& all) {
    auto array = json::array();
    for (const auto& item : all) array.push_back(to_json(item));
    return array;
}

json to_json(const std::optional<self_check>& item) {
    if (!item) return nullptr;
    return {{"contender", item->contender},
            {"twin", item->twin},
            {"found", name_of(item->found)},
            {"reason", text(item->reason)},
            {"spread_pct", number_or_null(item->spread_pct)},
            {"comparisons", list(item->comparisons)}};
}

}  // namespace

json to_json(const environment& where) {
    json all{{"date", where.date},
             {"loopbench_version", where.loopbench_version},
             {"kernel", where.kernel},
             {"cpu_model", where.cpu_model},
             {"cores", where.cores},
             {"memory_bytes", where.memory_bytes},
             {"governor", text(where.governor)},
             {"clocksource", text(where.clocksource)},
             {"timer_slack_ns", where.timer_slack_ns},
             {"load_average", where.load_average}};
    if (where.calibrated) all["calibration"] = to_json(*where.calibrated);
    return all;
}

json to_json(const report& content) {
    return {{"schema", report_schema},
            {"complete", content.complete},
            {"seed", content.seed},
            {"baseline", content.baseline},
            {"command", content.command},
            {"plan", to_json(content.plan)},
            {"environment", to_json(content.where)},
            {"contenders", list(content.contenders)},
            {"results", list(content.results)},
            {"judging", to_json(content.judged_by)},
            {"aa", to_json(content.aa)},
            {"disturbances", to_json(content.disturbed)},
            {"warnings", list(content.warnings)}};
}

std::string dump(const nlohmann::ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

json number_or_null(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return nullptr;
    return *value;
}

std::string valid_utf8(std::string_view text) {
    return json::parse(dump(std::string{text})).get<std::string>();
}

std::string write_json(const report& content) {
    return dump(to_json(content), 1) + "\n";
}

}  // namespace loopbench::reports
