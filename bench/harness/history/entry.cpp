#include "bench/harness/history/entry.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/harness/experiment/digest.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/summary/summary.hpp"
#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr reports::metric_info bytes_per_second{.name = "bytes_per_second",
                                                .title = "bytes per second",
                                                .unit = "B/s",
                                                .better = reports::direction::larger,
                                                .summary = {},
                                                .how = {}};

const reports::metric_info* metric_of(std::string_view counter) {
    if (counter == bytes_per_second.name) return &bytes_per_second;
    return reports::find_metric(counter == "items_per_second" ? "throughput" : counter);
}

std::string program_in(std::string_view text) {
    const auto document =
        reports::parse_strictly(without_bare_non_finite(text), reports::duplicates::first_counts);
    const auto path = reports::context_text(document.value("context", json::object()), "executable");
    if (!path) return "benchmark";
    const auto name = std::filesystem::path{*path}.filename().native();
    return name.substr(name.find_last_of('\\') + 1);  // a Windows path has backslashes
}

/// Describes the processor by its cache sizes, which are the same in each run. The clock rate is unsuitable,
/// because each run measures it and gets a slightly different value.
std::string processor_in(const json& context) {
    std::vector<std::string> sizes;
    if (const auto caches = context.find("caches"); caches != context.end() && caches->is_array())
        for (const auto& cache : *caches)
            if (cache.is_object() && cache.contains("size") && cache["size"].is_number())
                sizes.push_back(fmt::format("{:g}", cache["size"].get<double>() / 1024));
    if (sizes.empty()) return "a processor";
    return fmt::format("a processor with caches of {} KiB", fmt::join(sizes, ", "));
}

std::string printed_date(const json& context) {
    return reports::context_text(context, "date").value_or("");
}

reports::format_error unwanted_date(const std::string& printed) {
    return reports::format_error{
        "its date {} has a time zone already, so --date does not apply; add this file without --date",
        reports::shown(printed)};
}

std::string date_in(const json& context, const date_rule& dated) {
    const auto printed = printed_date(context);
    const auto complete = in_utc(printed);
    const bool has_time = printed.find('T') != std::string::npos;
    if (complete && has_time && dated.date) throw unwanted_date(printed);
    if (complete && !dated.date) return *complete;
    if (dated.date) {
        if (const auto date = in_utc(*dated.date)) return *date;
        throw reports::format_error{
            "'{}' is not a date; expected a date like 2026-11-22 or 2026-11-22T18:07:18+01:00",
            reports::shown(*dated.date)};
    }
    std::string as_utc = printed + "Z";
    if (const auto space = as_utc.find(' '); space != std::string::npos) as_utc[space] = 'T';
    const auto date = in_utc(as_utc);
    if (date && dated.assume_utc) return *date;
    throw reports::format_error{"its date \"{}\" {}", reports::shown(printed),
                                date ? "has no time zone; add --assume-utc, or give the date with --date"
                                     : "is invalid; give the date with --date"};
}

reports::environment machine_in(const json& context) {
    reports::environment where;
    if (const auto cores = context.find("num_cpus"); cores != context.end() && cores->is_number())
        where.cores = static_cast<std::int64_t>(std::clamp(cores->get<double>(), 0.0, 1e6));
    where.cpu_model = processor_in(context);
    return where;
}

struct repetitions {
    std::map<std::string, std::vector<double>> by_metric;
    std::optional<std::string> error;
};

/// Returns the numbers of a row by metric. A row is one repetition and thus one sample. Therefore, if several
/// numbers belong to one metric, only one of them is kept.
std::map<std::string, std::optional<double>> numbers_in(const gbench_row& row) {
    std::map<std::string, std::optional<double>> all{{"cpu", row.cpu_time_ns}};
    for (const auto& [counter, value] : row.counters)
        if (const auto* metric = metric_of(counter); metric != nullptr && value)
            all[std::string{metric->name}] = value;
    all["time"] = row.real_time_ns;
    if (const auto rate = row.counters.find("items_per_second"); rate != row.counters.end())
        all["throughput"] = rate->second;
    return all;
}

void add(repetitions& to, const gbench_row& row) {
    if (row.error) {
        if (!to.error) to.error = row.error;
        return;
    }
    if (!row.real_time_ns || *row.real_time_ns <= 0) {
        if (!to.error)
            to.error = row.real_time_ns ? "the program printed no time above 0 for the benchmark"
                                        : "the program printed no time for the benchmark";
        return;
    }
    for (const auto& [metric, value] : numbers_in(row))
        if (value) to.by_metric[metric].push_back(*value);
}

std::vector<reports::result> results_of(const std::string& workload, const std::string& contender,
                                        const repetitions& rows) {
    std::vector<reports::result> all;
    if (rows.error) {
        auto& item = all.emplace_back(reports::result_of(workload, contender, *metric_of("time")));
        const auto [status, reason] = outcome_of_error(*rows.error);
        item.status = status;
        item.reason = reason;
        return all;
    }
    for (const auto& [name, values] : rows.by_metric) {
        auto& item = all.emplace_back(reports::result_of(workload, contender, *metric_of(name)));
        item.samples.assign(values.begin(), values.end());
        const auto found = median_with_interval(values);
        item.median = found.median;
        item.low = found.low;
        item.high = found.high;
    }
    return all;
}

std::vector<std::pair<std::string, repetitions>> benchmarks_in(const gbench_output& output) {
    using identity = std::tuple<std::string, std::optional<double>, std::optional<double>>;
    std::vector<std::pair<std::string, repetitions>> all;
    std::map<identity, std::size_t> places;
    std::map<std::string, std::vector<std::size_t>> alike;
    for (const auto& row : output.rows) {
        const auto [found, is_new] = places.try_emplace({row.name, row.family, row.instance}, all.size());
        if (is_new) {
            alike[row.name].push_back(all.size());
            all.emplace_back(row.name, repetitions{});
        }
        add(all[found->second].second, row);
    }
    std::map<std::size_t, identity> identities;
    for (const auto& [of, place] : places) identities[place] = of;
    for (auto& [name, those] : alike)
        std::ranges::sort(those, {}, [&](auto place) { return identities[place]; });
    for (const auto& [name, those] : alike)
        for (std::size_t i = 0; those.size() > 1 && i < those.size(); ++i)
            all[those[i]].first = numbered_name(name, i, those.size());
    return all;
}

gbench_output read_gbench(std::string_view text, std::string_view name) {
    try {
        return parse_gbench_json(text);
    } catch (const gbench_error& error) {
        const auto first = text.find("\"benchmarks\"");
        const bool is_repeated = first != text.npos && text.find("\"benchmarks\"", first + 1) != text.npos;
        throw reports::format_error{
            "{} is not the output of a Google Benchmark program: {}; {}", name, error.what(),
            is_repeated ? "it seems to contain several outputs, so write each run into its own file, or use "
                          "--benchmark_repetitions"
                        : "if the program also prints other text, write the file with --benchmark_out=FILE"};
    }
}

template <class function>
auto with_name(std::string_view name, function make) {
    try {
        return make();
    } catch (const reports::format_error& error) {
        throw reports::format_error{"{}: {}", name, error.what()};
    }
}

/// Appends a number to the column. Writes numbers other than counts with nine digits. More digits would waste
/// space, because a history has millions of numbers.
void add_number(std::string& column, std::optional<double> value, bool is_exact) {
    constexpr int digits = 9;
    if (!column.empty()) column += ',';
    if (is_exact && value && std::isfinite(*value))
        fmt::format_to(std::back_inserter(column), "{}", *value);
    else
        reports::add_number(column, value, digits);
}

/// A writer of the points of a report. It keeps references to texts in the report.
class points_writer {
public:
    void add(const reports::result& item) {
        const bool has_number = item.median && std::isfinite(*item.median);
        if (item.status != reports::result_status::ok || !has_number) return;
        if (!item.to_baseline || item.deterministic)
            add_point(subject_of(item).values, item, item.median, item.low, item.high);
        else if (const auto& ratio = *item.to_baseline; std::isfinite(ratio.median))
            add_point(subject_of(item).ratios, item, ratio.median, ratio.low, ratio.high);
    }

    [[nodiscard]] std::string text() const {
        std::string all;
        for (const auto& [of, ratios, values, has] : subjects_)
            all += fmt::format(R"({}{{"of":{},"ratios":{},"values":{}}})", all.empty() ? "" : ",",
                               reports::dump(reports::value_of(of)), text_of(ratios), text_of(values));
        return fmt::format(R"({{"contenders":{},"subjects":[{}]}})", reports::dump(names_), all);
    }

private:
    struct columns {
        std::string of, medians, lows, highs;
    };
    struct points_of_subject {
        subject of;
        columns ratios, values;
        std::vector<bool> has;
    };

    static std::string text_of(const columns& from) {
        return fmt::format(R"({{"of":[{}],"medians":[{}],"lows":[{}],"highs":[{}]}})", from.of, from.medians,
                           from.lows, from.highs);
    }

    void add_point(columns& to, const reports::result& item, std::optional<double> median,
                   std::optional<double> low, std::optional<double> high) {
        add_number(to.of, static_cast<double>(contender_of(item)), true);
        add_number(to.medians, median, item.deterministic);
        add_number(to.lows, low, item.deterministic);
        add_number(to.highs, high, item.deterministic);
    }

    points_of_subject& subject_of(const reports::result& item) {
        const std::tuple key{std::string_view{item.workload},
                             std::string_view{item.metric},
                             std::string_view{item.unit},
                             item.better,
                             item.deterministic,
                             item.made};
        const auto [known, is_new] = places_.try_emplace(key, subjects_.size());
        if (is_new)
            subjects_.push_back(
                {{item.workload, item.metric, item.unit, item.better, item.deterministic, item.made},
                 {},
                 {},
                 {}});
        auto& found = subjects_[known->second];
        const auto who = contender_of(item);
        found.has.resize(std::max(found.has.size(), who + 1));
        if (found.has[who])  // a series must not contain a run twice
            throw reports::format_error{"the metric {} of {} on {} occurs twice; write the report again",
                                        item.metric, reports::shown(item.contender),
                                        reports::shown(item.workload)};
        found.has[who] = true;
        return found;
    }

    std::size_t contender_of(const reports::result& item) {
        const auto [known, is_new] = contenders_.try_emplace(item.contender, names_.size());
        if (is_new) names_.push_back(item.contender);
        return known->second;
    }

    std::map<std::tuple<std::string_view, std::string_view, std::string_view, reports::direction, bool,
                        reports::pairing>,
             std::size_t>
        places_;
    std::map<std::string_view, std::size_t> contenders_;
    std::vector<points_of_subject> subjects_;
    std::vector<std::string> names_;
};

void add_points(entry& to, const reports::report& report) {
    const reports::report_index index{report};
    points_writer points, others;
    for (const auto& item : report.results)
        (index.is_about(item) || item.deterministic ? points : others).add(item);
    to.points = points.text();
    to.other_points = others.text();
}

/// Returns a checksum of date, seed, machine and samples, which identifies the run. Excludes computed
/// results, because another version of loopbench can compute different results from the same trials.
std::string content_of(const reports::report& report) {
    const auto& where = report.where;
    auto text =
        reports::dump({where.date, report.seed, where.cpu_model, where.memory_bytes, where.load_average});
    text.pop_back();  // the list continues below
    std::unordered_map<std::string_view, std::string> known_names;
    const auto add_name = [&](std::string_view name) {
        auto& quoted = known_names[name];
        if (quoted.empty()) quoted = reports::dump(std::string{name});
        text.append(quoted).append(",");
    };
    for (const auto& item : report.results) {
        if (item.samples.empty()) continue;
        text += ",[";
        for (const auto* name : {&item.workload, &item.contender, &item.metric}) add_name(*name);
        text += '[';
        for (const auto& sample : item.samples)
            text.append(reports::number_or_null(sample).dump()).append(",");
        text.back() = ']';
        text += ']';
    }
    text += ']';
    return digest("5a0f3a44-7c3d-4c5e-9f0b-6d6e1f5b7a21", text);
}

}  // namespace

bool is_google_benchmark_output(std::string_view text) {
    return text.find(fmt::format("\"{}\"", reports::report_format.schema)) == std::string_view::npos &&
           text.find("\"benchmarks\"") != std::string_view::npos;
}

std::optional<std::string> in_utc(const std::string& date) {
    std::tm moment{};
    const auto exists = [](std::tm day) {  // strptime() accepts the 31st of every month
        const auto asked = day.tm_mday;
        day.tm_hour = day.tm_min = day.tm_sec = 0;
        ::timegm(&day);
        return day.tm_mday == asked;
    };
    const auto is_of_form = [&](const char* form) {
        moment = {};
        return ::strptime(date.c_str(), form, &moment) == date.c_str() + date.size() && exists(moment);
    };
    if (is_of_form("%Y-%m-%d"))
        return fmt::format("{:04}-{:02}-{:02}", moment.tm_year + 1900, moment.tm_mon + 1, moment.tm_mday);
    if (!is_of_form("%Y-%m-%dT%H:%M:%S%z")) return std::nullopt;
    const auto east_of_greenwich = moment.tm_gmtoff;
    const std::time_t seconds = ::timegm(&moment) - east_of_greenwich;
    ::gmtime_r(&seconds, &moment);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", moment.tm_year + 1900, moment.tm_mon + 1,
                       moment.tm_mday, moment.tm_hour, moment.tm_min, moment.tm_sec);
}

namespace {

entry entry_of(reports::report report, std::string text, provenance from, report_source source) {
    auto date = in_utc(report.where.date);
    if (!date)
        throw reports::format_error{
            "the date \"{}\" of the report is invalid; expected a date like 2026-11-22T18:07:18Z or "
            "2026-11-22T18:07:18+01:00; measure again with a newer program",
            reports::shown(report.where.date)};
    entry made;
    made.from = made.said = std::move(from);
    made.source = source;
    made.date = *std::move(date);
    made.report = std::move(text);
    add_points(made, report);
    made.content = content_of(report);
    report.results.clear();
    made.head = std::move(report);
    return made;
}

}  // namespace

entry entry_of(reports::report report, provenance from, report_source source) {
    auto text = reports::dump(reports::to_json(report));
    return entry_of(std::move(report), std::move(text), std::move(from), source);
}

namespace {

/// Returns the results of the program. Their report has no date.
reports::report report_in(const gbench_output& output, std::string_view text, std::string_view name) {
    if (output.rows.empty())
        throw reports::format_error{"{} contains no benchmark; check the --benchmark_filter of the program",
                                    name};
    reports::report report;
    report.where = machine_in(output.context);
    report.contenders.push_back(reports::describe(program_in(text), output.context));
    for (const auto& [workload, rows] : benchmarks_in(output)) {
        // A counter can have the name of a metric, but only the time is a primary metric.
        report.workloads.push_back({workload, {"time"}});
        std::ranges::move(results_of(workload, report.contenders.front().name, rows),
                          std::back_inserter(report.results));
    }
    return report;
}

entry gbench_entry(std::string_view text, std::string_view name, provenance from, const date_rule& dated) {
    const auto output = read_gbench(text, name);
    auto report = report_in(output, text, name);
    auto said = from;
    if (from.commit.empty()) from.commit = reports::context_text(output.context, "commit").value_or("");
    const auto date = with_name(name, [&] { return date_in(output.context, dated); });
    if (dated.date) said.date = date;
    // The content ID is computed from the date that the program printed, not from --date. Thus the same file
    // with another --date is the same run.
    report.where.date = in_utc(printed_date(output.context)).value_or(printed_date(output.context));
    auto content = content_of(report);
    report.where.date = date;
    auto made = with_name(
        name, [&] { return entry_of(std::move(report), std::move(from), report_source::google_benchmark); });
    made.said = std::move(said);
    made.content = std::move(content);
    return made;
}

}  // namespace

reports::report read_gbench_report(std::string_view text, std::string_view name) {
    const auto output = read_gbench(text, name);
    auto report = report_in(output, text, name);
    try {
        report.where.date = date_in(output.context, {.date = {}, .assume_utc = true});
    } catch (const reports::format_error&) {
    }
    return report;
}

entry read_entry(std::string text, std::string_view name, provenance from, const date_rule& dated) {
    if (is_google_benchmark_output(text)) return gbench_entry(text, name, std::move(from), dated);
    auto report = read_report_or_journal(text, name);
    return with_name(name, [&] {
        if (dated.date) throw unwanted_date(report.where.date);
        if (reports::is_of_shard(report))  // the merged report will contain the same blocks
            throw reports::format_error{
                "the report covers one shard of a run; merge all shards (`loopbench merge`), and add the "
                "merged report"};
        if (is_journal(text)) return entry_of(std::move(report), std::move(from));
        return entry_of(std::move(report), reports::in_one_line(std::move(text)), std::move(from),
                        report_source::loopbench);
    });
}

}  // namespace loopbench::bench
