// report.json field by field, the inverse of json_write.cpp; json_node.hpp has the checks.
#include <fmt/format.h>

#include <algorithm>

#include "reports/calibration.hpp"
#include "reports/json.hpp"
#include "reports/json_node.hpp"

namespace loopbench::reports {

namespace {

ratio read_ratio(const node& from) {
    return {from.at("to").text(), from.at("median").number(), from.at("low").maybe(&node::number),
            from.at("high").maybe(&node::number)};
}

floor_multiple read_floor_multiple(const node& from) {
    return {from.at("floor").text(), from.at("median").number(), from.at("low").maybe(&node::number),
            from.at("high").maybe(&node::number)};
}

result read_result(const node& from) {
    result item;
    item.workload = from.at("workload").text();
    item.contender = from.at("contender").text();
    item.metric = from.at("metric").text();
    item.unit = from.at("unit").text();
    item.better = from.at("direction").one_of<direction>(direction_names);
    item.deterministic = from.at("deterministic").flag();
    item.samples = from.at("samples").each([](const node& sample) { return sample.maybe(&node::number); });
    item.median = from.at("median").maybe(&node::number);
    item.low = from.at("low").maybe(&node::number);
    item.high = from.at("high").maybe(&node::number);
    item.level = from.at("level").number();
    if (const auto found = from.at("ratio"); !found.is_null()) item.to_baseline = read_ratio(found);
    // A report from before floors were compared with has no such field.
    if (const auto found = from.find("times_floor"); found && !found->is_null())
        item.times_floor = read_floor_multiple(*found);
    if (const auto found = from.at("verdict"); !found.is_null())
        item.judged = found.one_of<verdict>(verdict_names);
    item.detectable_pct = from.at("detectable_pct").maybe(&node::number);
    item.status = from.at("status").one_of<cell_status>(cell_status_names);
    item.reason = from.at("reason").maybe(&node::text);
    return item;
}

contender read_contender(const node& from) {
    return {from.at("name").text(),
            from.at("library").maybe(&node::text),
            from.at("version").maybe(&node::text),
            from.at("compiler").maybe(&node::text),
            from.at("flags").maybe(&node::text),
            from.at("socket_options").maybe(&node::text),
            from.at("context").object()};
}

std::optional<planned> read_plan(const node& from) {
    if (from.is_null()) return std::nullopt;
    return planned{from.at("size").text(), from.at("min_time_s").number(), from.at("trial_limit_s").number(),
                   from.at("blocks").natural(), from.at("cpu").maybe(&node::count)};
}

judging read_judging(const node& from) {
    return {from.at("correction").text(), from.at("threshold_pct").number(),
            from.at("comparisons").natural()};
}

disturbances read_disturbances(const node& from) {
    return {from.at("trials").natural(), from.at("disturbed").natural(), from.at("repeated").natural(),
            from.at("kept").natural()};
}

self_comparison read_self_comparison(const node& from) {
    return {from.at("workload").text(),
            read_ratio(from.at("ratio")),
            from.at("verdict").one_of<verdict>(verdict_names),
            from.at("detectable_pct").maybe(&node::number),
            from.at("drift_pct").maybe(&node::number),
            from.at("drifted").flag()};
}

std::optional<self_check> read_self_check(const node& from) {
    if (from.is_null()) return std::nullopt;
    self_check found;
    found.contender = from.at("contender").text();
    found.twin = from.at("twin").text();
    found.found = from.at("found").one_of<fitness>(fitness_names);
    found.reason = from.at("reason").maybe(&node::text);
    if (found.found == fitness::unfit && !found.reason) from.at("reason").fail("what is unfit has a reason");
    found.spread_pct = from.at("spread_pct").maybe(&node::number);
    found.comparisons = from.at("comparisons").each(read_self_comparison);
    return found;
}

}  // namespace

environment read_environment(const node& from) {
    environment where;
    where.date = from.at("date").text();
    where.loopbench_version = from.at("loopbench_version").text();
    where.kernel = from.at("kernel").text();
    where.cpu_model = from.at("cpu_model").text();
    where.cores = from.at("cores").count();
    where.memory_bytes = from.at("memory_bytes").count();
    where.governor = from.at("governor").maybe(&node::text);
    where.clocksource = from.at("clocksource").maybe(&node::text);
    where.timer_slack_ns = from.at("timer_slack_ns").count();
    const auto load = from.at("load_average");
    const auto values = load.each([](const node& value) { return value.number(); });
    if (values.size() != where.load_average.size()) load.fail("expected three numbers");
    std::ranges::copy(values, where.load_average.begin());
    if (const auto found = from.find("calibration")) where.calibrated = read_calibration(*found);
    return where;
}

namespace {

report read_report(const node& from) {
    from.require_schema(report_schema);
    report content;
    content.complete = from.at("complete").flag();
    content.seed = from.at("seed").natural();
    content.baseline = from.at("baseline").text();
    content.command = from.at("command").each([](const node& word) { return word.text(); });
    content.where = read_environment(from.at("environment"));
    content.contenders = from.at("contenders").each(read_contender);
    content.results = from.at("results").each(read_result);
    // A report from before these were written has none of them.
    if (const auto found = from.find("plan")) content.plan = read_plan(*found);
    if (const auto found = from.find("judging")) content.judged_by = read_judging(*found);
    if (const auto found = from.find("aa")) content.aa = read_self_check(*found);
    if (const auto found = from.find("disturbances")) content.disturbed = read_disturbances(*found);
    content.warnings = from.at("warnings").each([](const node& item) {
        return warning{item.at("code").text(), item.at("message").text(), item.at("remedy").text()};
    });
    return content;
}

}  // namespace

report read_json(std::string_view text, std::string_view name) {
    try {
        return read_report({parse_strictly(text), ""});
    } catch (const format_error& error) {
        throw format_error{
            fmt::format("{} is not a report: {}; write it again with `loopbench run`", name, error.what())};
    }
}

std::string rewrite_json(std::string_view text, std::string_view name) {
    read_json(text, name);
    return dump(parse_strictly(text), 1) + "\n";
}

}  // namespace loopbench::reports
