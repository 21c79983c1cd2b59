#include "bench/history/entry.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "bench/statistics/median.hpp"
#include "bench/summary/summary.hpp"
#include "bench/trial/gbench_json.hpp"
#include "reports/headline.hpp"
#include "reports/json.hpp"
#include "reports/json_node.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

/// A rate that Google Benchmark itself has a name for, and no workload of ours.
constexpr reports::metric_info bytes_per_second{
    "bytes_per_second", "B/s", reports::direction::larger, false, {}, {}};

const reports::metric_info* metric_of(std::string_view counter) {
    if (counter == bytes_per_second.name) return &bytes_per_second;
    return reports::find_metric(counter == "items_per_second" ? "throughput" : counter);
}

/// "2026-11-22T18:07:18+01:00" as "2026-11-22T17:07:18Z"; anything else as it is.
std::string in_utc(const std::string& date) {
    std::tm moment{};
    if (::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S%z", &moment) == nullptr) return date;
    const auto east_of_greenwich = moment.tm_gmtoff;
    const std::time_t seconds = ::timegm(&moment) - east_of_greenwich;
    ::gmtime_r(&seconds, &moment);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", moment.tm_year + 1900, moment.tm_mon + 1,
                       moment.tm_mday, moment.tm_hour, moment.tm_min, moment.tm_sec);
}

/// Without its folder, which may be a user's.
std::string program_in(std::string_view text) {
    const auto document =
        reports::parse_strictly(without_bare_non_finite(text), reports::duplicates::allowed);
    const auto path = reports::context_text(document.value("context", json::object()), "executable");
    return path ? std::filesystem::path{*path}.filename().native() : "benchmark";
}

reports::environment machine_in(const json& context) {
    const auto number = [&](const char* key) {
        const auto found = context.find(key);
        return found != context.end() && found->is_number() ? found->get<double>() : 0;
    };
    reports::environment where;
    where.date = in_utc(reports::context_text(context, "date").value_or(""));
    where.cores = static_cast<std::int64_t>(std::clamp(number("num_cpus"), 0.0, 1e6));
    where.cpu_model = fmt::format("a CPU of {:g} MHz", number("mhz_per_cpu"));
    return where;
}

struct repetitions {
    std::map<std::string, std::vector<double>> by_metric;
    std::optional<std::string> error;
};

void add(repetitions& to, const gbench_row& row) {
    if (row.error) {
        to.error = row.error;
        return;
    }
    if (row.real_time_ns) to.by_metric["time"].push_back(*row.real_time_ns);
    if (row.cpu_time_ns) to.by_metric["cpu"].push_back(*row.cpu_time_ns);
    for (const auto& [counter, value] : row.counters)
        if (const auto* metric = metric_of(counter); metric != nullptr && value)
            to.by_metric[std::string{metric->name}].push_back(*value);
}

std::vector<reports::result> results_of(const std::string& workload, const std::string& contender,
                                        const repetitions& rows) {
    std::vector<reports::result> all;
    const auto add_result = [&](const reports::metric_info& metric) -> reports::result& {
        auto& item = all.emplace_back();
        item.workload = workload;
        item.contender = contender;
        item.metric = metric.name;
        item.unit = metric.unit;
        item.better = metric.better;
        item.deterministic = metric.deterministic;
        return item;
    };
    for (const auto& [name, values] : rows.by_metric) {
        auto& item = add_result(*metric_of(name));
        item.samples.assign(values.begin(), values.end());
        const auto found = median_with_interval(values);
        item.median = found.median;
        item.low = found.low;
        item.high = found.high;
    }
    if (all.empty()) {
        auto& item = add_result(*metric_of("time"));
        item.status = reports::cell_status::failed;
        item.reason = rows.error.value_or("no time of it was printed");
    }
    return all;
}

gbench_output read_gbench(std::string_view text, std::string_view name) {
    try {
        return parse_gbench_json(text);
    } catch (const gbench_error& error) {
        throw reports::format_error{
            fmt::format("{} is no output of a Google Benchmark: it {}", name, error.what())};
    }
}

entry gbench_entry(std::string_view text, std::string_view name, provenance from) {
    const auto output = read_gbench(text, name);
    if (from.commit.empty()) from.commit = reports::context_text(output.context, "commit").value_or("");
    reports::report report;
    report.where = machine_in(output.context);
    if (report.where.date.empty())
        throw reports::format_error{fmt::format(
            "{} does not say when it was measured, and a history is in the order of dates; write it "
            "again with --benchmark_out, which adds a context",
            name)};
    report.contenders.push_back(reports::describe(program_in(text), output.context));
    std::vector<std::string> order;
    std::map<std::string, repetitions> all;
    for (const auto& row : output.rows) {
        if (!all.contains(row.name)) order.push_back(row.name);
        add(all[row.name], row);
    }
    for (const auto& workload : order)
        std::ranges::move(results_of(workload, report.contenders.front().name, all[workload]),
                          std::back_inserter(report.results));
    return entry_of(std::move(report), std::move(from), report_source::google_benchmark);
}

bool looks_like_gbench(std::string_view text) {
    return text.find("\"benchmarks\"") != std::string_view::npos &&
           text.find(reports::report_schema) == std::string_view::npos;
}

subject subject_of(const reports::result& item) {
    return {item.workload, item.metric, item.unit, item.better, item.deterministic, item.made};
}

std::optional<double> if_finite(std::optional<double> value) {
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<kept_point> point_of(const reports::result& item) {
    if (item.status != reports::cell_status::ok || !if_finite(item.median)) return std::nullopt;
    if (!item.to_baseline || item.deterministic)
        return kept_point{item.contender, false, *item.median, if_finite(item.low), if_finite(item.high)};
    const auto& [to, median, low, high] = *item.to_baseline;
    if (!std::isfinite(median)) return std::nullopt;
    return kept_point{item.contender, true, median, if_finite(low), if_finite(high)};
}

/// What a measure says of all its results.
constexpr std::array said_by_measure{"workload", "metric", "unit", "direction", "deterministic", "way"};

bool is_said_by_measure(std::string_view field) {
    return std::ranges::find(said_by_measure, field) != said_by_measure.end();
}

/// Every field that some result has, in the order in which they are written.
std::vector<std::string> fields_in(const json& results) {
    std::vector<std::string> fields;
    for (const auto& item : results)
        for (const auto& [key, value] : item.items())
            if (!is_said_by_measure(key) && std::ranges::find(fields, key) == fields.end())
                fields.push_back(key);
    return fields;
}

/// One line of `values`.
std::string values_of(std::size_t place, json item, const std::vector<std::string>& fields) {
    json line{place};
    for (const auto& field : fields) {
        const auto found = item.find(field);
        line.push_back(found == item.end() ? json(nullptr) : std::move(*found));
    }
    return reports::dump(line);
}

json fields_of_measure(const subject& of) {
    return {{"workload", of.workload},
            {"metric", of.metric},
            {"unit", of.unit},
            {"direction", name_of(of.better)},
            {"deterministic", of.deterministic},
            {"way", name_of(of.made)}};
}

}  // namespace

std::string digest(std::string_view text) {
    // What names are made of in here; drawn once.
    const auto space = boost::uuids::string_generator{}("5a0f3a44-7c3d-4c5e-9f0b-6d6e1f5b7a21");
    return to_string(boost::uuids::name_generator_sha1{space}(text.data(), text.size()));
}

entry entry_of(reports::report report, provenance from, report_source source) {
    entry made;
    made.from = std::move(from);
    made.source = source;
    auto document = reports::to_json(report);
    auto results = std::exchange(document["results"], json::array());
    const auto fields = fields_in(results);
    document["results"] = fields;
    const auto headlines = reports::headline_metrics_by_workload(report);
    // What a newer loopbench makes of the same trials is the same run.
    json trials{report.where.date, report.seed};
    std::map<subject, std::size_t> known;
    for (std::size_t place = 0; place < report.results.size(); ++place) {
        const auto& item = report.results[place];
        const auto [found, is_new] = known.try_emplace(subject_of(item), made.results.size());
        if (is_new) {
            const auto about = headlines.find(item.workload);
            const bool headline = about != headlines.end() &&
                                  std::ranges::find(about->second, item.metric) != about->second.end();
            made.results.push_back({found->first, headline, {}, {}});
        }
        if (!item.samples.empty())
            trials.push_back({item.workload, item.contender, item.metric, results[place]["samples"]});
        auto& into = made.results[found->second];
        if (auto point = point_of(item)) into.points.push_back(std::move(*point));
        into.values += into.values.empty() ? "[" : ",\n";
        into.values += values_of(place, std::move(results[place]), fields);
    }
    for (auto& each : made.results) each.values += ']';
    made.head_text = reports::dump(document);
    made.content = digest(reports::dump(trials));
    report.results.clear();
    made.head = std::move(report);
    return made;
}

entry read_entry(std::string_view text, std::string_view name, provenance from) {
    if (looks_like_gbench(text)) return gbench_entry(text, name, std::move(from));
    return entry_of(read_report_or_journal(text, name), std::move(from));
}

reports::report restored(std::string_view head_text, const std::vector<kept_text>& results) {
    auto document = reports::parse_strictly(head_text);
    const auto fields = reports::node{document, "head"}.at("results").each(
        [](const reports::node& field) { return field.text(); });
    std::map<std::uint64_t, json> placed;
    for (const auto& [of, values] : results) {
        const auto lines = reports::parse_strictly(values);
        for (const auto& line : lines) {
            if (!line.is_array() || line.size() != fields.size() + 1 || !line[0].is_number_unsigned())
                throw reports::format_error{
                    fmt::format("the results of {} by {} are damaged", of.workload, of.metric)};
            auto item = fields_of_measure(of);
            for (std::size_t i = 0; i < fields.size(); ++i) item[fields[i]] = line[i + 1];
            placed[line[0].get<std::uint64_t>()] = std::move(item);
        }
    }
    auto all = json::array();
    for (auto& [place, item] : placed) all.push_back(std::move(item));
    document["results"] = std::move(all);
    return reports::read_json(reports::dump(document), "what is kept of it");
}

}  // namespace loopbench::bench
