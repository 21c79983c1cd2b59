#include "bench/harness/history/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/harness/experiment/digest.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/history/readers/readers.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/json.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

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

}  // namespace

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

/// Returns a checksum that identifies a tool's run. Unlike content_of(), covers values without samples.
/// Excludes the date of --date, so that the same file with another --date is the same run.
std::string content_of_tool(const tool_run& run, const reports::report& report, report_source source) {
    auto text = reports::dump({reports::name_of(source), run.contender.name, run.date, run.identity});
    for (const auto& item : report.results) {
        text += reports::dump({item.workload, item.metric, item.unit});
        for (const auto& sample : item.samples) text += reports::number_or_null(sample).dump() + ",";
        if (item.samples.empty()) text += reports::number_or_null(item.median).dump();
    }
    return digest("a6a1d2f0-3a53-4f0e-8a51-6c0c5d9b7f43", text);
}

/// Returns the content ID of a Google Benchmark program's run. Histories of the first complete state contain
/// these IDs. Only a file in which several benchmarks have the same name has another ID now, because these
/// benchmarks have other names. This applies to the files of other tools, too (content_of_tool()). No
/// released version wrote such histories.
std::string content_of_google_benchmark(const tool_run& run, reports::report report) {
    report.where.date = in_utc(run.date).value_or(run.date);
    return content_of(report);
}

entry entry_of_tool(const tool_run& run, report_source source, provenance from, const date_rule& dated) {
    auto said = from;
    if (from.commit.empty()) {
        from.commit = run.commit;
        if (!from.dirty) from.dirty = run.dirty;
    }
    auto report = report_of_tool(run);
    auto content = source == report_source::google_benchmark ? content_of_google_benchmark(run, report)
                                                             : content_of_tool(run, report, source);
    report.where.date = date_by(run.date, dated);
    if (dated.date) said.date = report.where.date;
    auto made = entry_of(std::move(report), std::move(from), source);
    made.said = std::move(said);
    made.content = std::move(content);
    return made;
}

/// Returns the runs that `read` reads, with benchmarks of different names.
template <class function>
std::vector<tool_run> runs_of_tool(const tool_format& format, std::string_view name, function read) {
    std::vector<tool_run> runs;
    try {
        runs = read();
    } catch (const reports::format_error& error) {
        throw reports::format_error{"{} cannot be read as {}: {} (`{}` writes such files)", name, format.what,
                                    error.what(), format.made_by};
    }
    if (std::ranges::all_of(runs, [](const auto& run) { return run.benchmarks.empty(); }))
        throw reports::format_error{"{} contains no benchmark; check the filter of the benchmarks", name};
    for (auto& run : runs) distinguish_equal_names(run.benchmarks);
    return runs;
}

template <class function>
std::vector<entry> entries_of_tool(const tool_format& format, std::string_view name, const provenance& from,
                                   const date_rule& dated, function read) {
    const auto runs = runs_of_tool(format, name, read);
    if (runs.size() > 1 && !from.commit.empty())
        throw reports::format_error{"{} contains {} runs, which name their own commits; leave --commit out",
                                    name, runs.size()};
    return with_name(name, [&] {
        std::vector<entry> all;
        for (const auto& run : runs) all.push_back(entry_of_tool(run, format.source, from, dated));
        return all;
    });
}

entry entry_of_report(std::string text, std::string_view name, const provenance& from,
                      const date_rule& dated) {
    auto report = read_report_or_journal(text, name);
    return with_name(name, [&] {
        if (dated.date) throw unwanted_date(report.where.date);
        if (reports::is_of_shard(report))  // the merged report will contain the same blocks
            throw reports::format_error{
                "the report covers one shard of a run; merge all shards (`loopbench merge`), and add the "
                "merged report"};
        if (is_journal(text)) return entry_of(std::move(report), from);
        return entry_of(std::move(report), reports::in_one_line(std::move(text)), from,
                        report_source::loopbench);
    });
}

}  // namespace

reports::report report_of_google_benchmark(std::string_view text, std::string_view name,
                                           const tool_format& format) {
    const auto runs = runs_of_tool(format, name, [&] { return format.read(text); });
    auto report = report_of_tool(runs.front());
    try {
        report.where.date = date_by(runs.front().date, {.date = {}, .assume_utc = true});
    } catch (const reports::format_error&) {
    }
    return report;
}

std::vector<entry> read_entries(std::string text, std::string_view name, const provenance& from,
                                const date_rule& dated) {
    if (const auto* const format = format_of_tool(text))
        return entries_of_tool(*format, name, from, dated, [&] { return format->read(text); });
    std::vector<entry> one;
    one.push_back(entry_of_report(std::move(text), name, from, dated));
    return one;
}

std::vector<entry> read_folder(const std::filesystem::path& folder, const provenance& from,
                               const date_rule& dated) {
    const auto* const format = format_of_tool_folder(folder);
    if (format == nullptr)
        throw reports::format_error{
            "the folder {} contains no results of criterion; expected a file, or the folder target/criterion "
            "(for `cargo criterion`, which writes other files, use its option --message-format=json)",
            folder.native()};
    return entries_of_tool(*format, folder.native(), from, dated,
                           [&] { return format->read_folder(folder); });
}

entry read_entry(std::string text, std::string_view name, const provenance& from, const date_rule& dated) {
    return std::move(read_entries(std::move(text), name, from, dated).front());
}

}  // namespace loopbench::bench
