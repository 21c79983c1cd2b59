// Draws the summary screen. The floors share one row, which shows the best floor of each column.
#include "reports/render/terminal/screen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "reports/render/columns.hpp"
#include "reports/render/formats/formats.hpp"
#include "reports/render/leads.hpp"
#include "reports/render/scaling_text.hpp"
#include "reports/render/summary_sentences.hpp"
#include "reports/render/terminal/bands.hpp"
#include "reports/render/terminal/fixed_width.hpp"
#include "reports/render/terminal/painted.hpp"
#include "reports/render/terminal/screen_fastest.hpp"
#include "reports/render/terminal/screen_rows.hpp"
#include "reports/render/trust.hpp"

namespace loopbench::reports {

namespace {

constexpr std::size_t label_columns = 20;
constexpr std::string_view no_number = "-";

/// Formats a time with two digits: "34µs", "5.2µs", "193ms".
std::string short_time(double ns) {
    constexpr std::array<std::pair<double, std::string_view>, 4> units{
        {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
    const auto* chosen =
        std::ranges::find_if(units, [&](const auto& unit) { return std::abs(ns) >= 0.995 * unit.first; });
    if (chosen == units.end()) chosen = &units.back();
    const double value = ns / chosen->first;
    return fixed_point(value, std::abs(value) < 9.95 ? 1 : 0) + std::string{chosen->second};
}

std::string long_time(double ns) {
    auto text = human_time(ns);
    std::erase(text, ' ');
    return text;
}

std::string short_rate(double per_second) {
    if (per_second >= 99'950) return fmt::format("{:.0f}k", per_second / 1000);
    return fmt::format("{:.{}f}", per_second, per_second < 9.95 ? 1 : 0);
}

using formatter = std::string (*)(double);

struct metric_column {
    std::string_view metric;
    std::string_view title;
    formatter format;
    bool as_ratio = false;  // only the baseline has a value; other contenders have ratios to it
};

struct table_shape {
    std::string_view subtitle;
    std::vector<metric_column> columns;
    share who_shares = share::select_loops;
    bool has_floor = true;
};

const table_shape time_and_cpu{"", {{"time", "time", long_time, true}, {"cpu", "CPU/op", short_time}}};
const table_shape only_time{"", {{"time", "", long_time, true}}};
const table_shape timers{"lateness and CPU",
                         {{"late_p50", "late", short_time}, {"cpu", "CPU/op", short_time}},
                         share::everything_level,
                         false};
const table_shape server{"capacity per second, p99 latency",
                         {{"capacity", "capacity", short_rate}, {"latency_p99", "p99", short_time}}};

std::string_view mark_of(const std::optional<verdict>& judged) {
    if (judged == verdict::equivalent) return "=";
    if (judged == verdict::inconclusive) return "?";
    return "";
}

tone tone_of(const std::optional<verdict>& judged) {
    return judged == verdict::faster ? tone::good : judged == verdict::slower ? tone::bad : tone::plain;
}

struct missing_reason {
    std::string_view why;
    bool failed = false;
    std::set<std::string_view> who = {};
};

class missing_reasons {
public:
    void add(const result& item) {
        const std::string_view why = item.reason ? *item.reason : std::string_view{"no reason given"};
        const bool failed = item.status == result_status::failed;
        const auto [found, is_new] = places_.try_emplace({why, failed}, all_.size());
        if (is_new) all_.push_back({why, failed});
        all_[found->second].who.insert(item.contender);
    }
    [[nodiscard]] std::vector<missing_reason> all() const {
        std::vector<missing_reason> sorted;
        for (const bool failed : {true, false})
            std::ranges::copy_if(all_, std::back_inserter(sorted),
                                 [&](const missing_reason& each) { return each.failed == failed; });
        return sorted;
    }

private:
    std::vector<missing_reason> all_;
    std::map<std::pair<std::string_view, bool>, std::size_t> places_;
};

std::pair<std::string, std::string> common_parts(const names& workloads) {
    const auto first = workloads.front();
    std::size_t front = 0, back = 0;
    for (std::size_t at = first.find('/'); at != std::string_view::npos; at = first.find('/', at + 1))
        if (std::ranges::all_of(workloads,
                                [&](auto each) { return each.starts_with(first.substr(0, at + 1)); }))
            front = at + 1;
    for (std::size_t at = first.rfind('/'); at != std::string_view::npos && at >= front && at > 0;
         at = first.rfind('/', at - 1))
        if (std::ranges::all_of(workloads, [&](auto each) {
                return each.size() > front + first.size() - at && each.ends_with(first.substr(at));
            }))
            back = first.size() - at;
    return {std::string{first.substr(0, front)}, std::string{first.substr(first.size() - back)}};
}

class screen {
public:
    screen(const report& content, colours paint) : content_{content}, paint_{paint}, in_{content} {
        for (auto& set : curves_of(in_))
            if (set.is_speed) of_threads_.push_back(std::move(set));
    }

    std::string text() {
        std::string out;
        for (const auto& each : summary_sentences_of(content_))
            if (each.about == topic::failed) out += paragraph("FAILED", lower_case_title(each));
        const auto fastest = fastest_of(in_);
        const auto title = trust_in(content_).word == trust_word::reliable ? "FASTEST" : "SO FAR";
        for (const auto& each : fastest)
            out += paragraph(&each == &fastest.front() ? title : "", each.text, each.kind);
        for (const auto& each : summary_sentences_of(content_))
            if (each.about == topic::threads) out += paragraph("THREADS", each.text);
        if (!content_.results.empty()) out += trust();
        out += tables(fastest.empty());
        for (const auto& item : content_.results)
            if (item.status == result_status::failed) missing_.add(item);
        out += legend();
        std::string idle;
        for (const auto& each : summary_sentences_of(content_))
            if (each.about == topic::waiting)
                idle += paragraph("IDLE", std::string_view{each.text}.substr(0, each.text.rfind('.')));
        // After the summary, a run prints up to four more lines (the page to open, and the next commands).
        // The summary leaves room for them on the screen.
        constexpr std::size_t lines_of_next_steps = 4, lines_of_a_reason = 2;
        const auto whole = out + reasons(lines_of_a_reason) + idle;
        const auto lines = static_cast<std::size_t>(std::ranges::count(whole, '\n'));
        return lines + lines_of_next_steps <= screen_lines ? whole : out + reasons(1) + idle;
    }

private:
    const report& content_;
    colours paint_;
    indexed_report in_;
    std::vector<curve_set> of_threads_;
    missing_reasons missing_;
    std::set<std::string_view> select_loops_;
    std::vector<names> shortened_;
    std::set<char> marks_;
    std::set<tone> tones_;
    std::size_t more_workloads_ = 0;

    static std::string lower_case_title(const summary_sentence& each) {
        return each.title == "Failed" ? each.text : fmt::format("{}: {}", each.title, each.text);
    }

    [[nodiscard]] std::string paragraph(std::string_view title, std::string_view text,
                                        std::string_view subject = {}) const {
        constexpr std::size_t title_columns = 8, gap = 2;
        const auto indent = title_columns + (subject.empty() ? 0 : width_of(subject) + gap);
        const auto lines = wrapped(printable(text), screen_columns - indent);
        std::string out;
        for (const auto& line : lines) {
            painted shown{paint_};
            const bool is_first = &line == &lines.front();
            if (is_first) shown.add(title, tone::title);
            shown.pad_to(title_columns);
            if (is_first && !subject.empty()) shown.add(fmt::format("{}:", subject));
            shown.pad_to(indent);
            shown.add(line);
            out += shown.line();
        }
        return out;
    }

    [[nodiscard]] std::string trust() const {
        auto text = paragraph("TRUST", trust_text(content_));
        for (const auto& [word, how] :
             {std::pair{"UNRELIABLE", tone::bad}, {"PRELIMINARY", tone::caution}, {"RELIABLE", tone::good}})
            if (text.find(word) != std::string::npos) return with_colour(std::move(text), word, how);
        return text;
    }

    [[nodiscard]] std::string with_colour(std::string text, std::string_view word, tone how) const {
        const auto at = text.find(word);
        if (at == std::string::npos) return text;
        painted shown{paint_};
        shown.add(word, how);
        auto bytes = shown.line();
        bytes.pop_back();
        return text.replace(at, word.size(), bytes);
    }

    std::string tables(bool nothing_is_fastest) {
        constexpr std::size_t many = 12, of_mixed = 3, of_mixed_timers = 2;
        names with_cpu, other, timed, served;
        std::set<std::string_view> with_threads;
        for (const auto& set : of_threads_)
            for (const auto& each : set.values) with_threads.insert(each.workload);
        for (const auto workload : in_.workloads()) {
            if (with_threads.contains(workload)) continue;
            if (in_.is_about(workload, "late_p50"))
                timed.push_back(workload);
            else if (in_.is_about(workload, "capacity"))
                served.push_back(workload);
            else if (in_.is_about(workload, "time"))
                (in_.is_about(workload, "cpu") ? with_cpu : other).push_back(workload);
        }
        const auto families = by_family(with_cpu);
        const auto kinds = families.size() + (other.empty() ? 0U : 1U) + (timed.empty() ? 0U : 1U) +
                           (served.empty() ? 0U : 1U) + (of_threads_.empty() ? 0U : 1U);
        const bool mixed = kinds > 1;
        std::string first, rest;
        for (const auto& family : families) first += table(family, time_and_cpu, mixed ? of_mixed : many);
        first += table_of_threads(mixed ? of_mixed : many);
        rest += table(one_of_each_family_first(timed), timers, mixed ? of_mixed_timers : many);
        rest += table(served, server, many);
        if (!nothing_is_fastest && !(first.empty() && rest.empty()))
            std::erase_if(other, [](std::string_view each) { return is_scheduling(each); });
        return first + table(other, only_time, many) + rest;
    }

    static names one_of_each_family_first(const names& workloads) {
        names first, rest;
        for (const auto& family : by_family(workloads)) {
            first.push_back(family.front());
            rest.insert(rest.end(), family.begin() + 1, family.end());
        }
        first.insert(first.end(), rest.begin(), rest.end());
        return first;
    }

    static std::vector<names> by_family(const names& workloads) {
        std::vector<names> families;
        const auto family = [](std::string_view name) { return name.substr(0, name.find('/')); };
        for (const auto each : workloads) {
            const auto found = std::ranges::find_if(
                families, [&](const names& those) { return family(those.front()) == family(each); });
            if (found == families.end())
                families.push_back({each});
            else
                found->push_back(each);
        }
        return families;
    }

    [[nodiscard]] static bool is_better(const result& one, const result& other) {
        return one.better == direction::larger ? *one.median > *other.median : *one.median < *other.median;
    }

    [[nodiscard]] std::optional<std::string_view> best_floor(std::string_view workload,
                                                             std::string_view metric) const {
        const result* best = nullptr;
        for (const auto who : in_.floors())
            if (const auto* const found = in_.number(workload, who, metric))
                if (best == nullptr || is_better(*found, *best)) best = found;
        if (best == nullptr) return std::nullopt;
        return best->contender;
    }

    [[nodiscard]] sources results_of(const screen_row& row, std::string_view workload,
                                     const table_shape& shape, std::string_view metric) const {
        sources all;
        names who = row.members;
        if (row.kind == row_kind::floor)
            if (const auto best = best_floor(workload, shape.columns[0].metric)) who = {*best};
        for (const auto each : who)
            if (const auto* const found = in_.number(workload, each, metric)) all.push_back(found);
        return all;
    }

    std::string marked(const sources& those) {
        char mark = 0;
        for (const auto* item : those) {
            if (item->contender == content_.baseline) continue;
            const auto own = mark_of(item->judged);
            const bool is_decided = item->judged && !is_untrusted(content_);
            if (own == "?" || (!is_decided && item->to_baseline)) mark = '?';
            if (own == "=" && mark == 0) mark = '=';
        }
        if (mark == 0) return "";
        marks_.insert(mark);
        return {mark};
    }

    tone tone_of_all(const sources& those) {
        if (is_untrusted(content_)) return tone::plain;
        const auto first = tone_of(those.front()->judged);
        const auto same = [&](const result* item) { return tone_of(item->judged) == first; };
        const auto all = std::ranges::all_of(those, same) ? first : tone::plain;
        tones_.insert(all);
        return all;
    }

    static std::string range_of(std::vector<double> values, const auto& format) {
        const auto [least, most] = std::ranges::minmax(values);
        auto from = format(least), to = format(most);
        if (from == to) return to;
        const auto unit = from.find_first_not_of("-0123456789.");
        if (unit != std::string::npos && to.ends_with(from.substr(unit)) &&
            to.find_first_not_of("-0123456789.") + from.size() - unit == to.size())
            from.resize(unit);
        return from + "-" + to;
    }

    /// Returns a cell with ratios to the baseline. Returns a cell with values if the column shows no ratios,
    /// or if a ratio or its interval is missing.
    shown_cell cell_of(const sources& those, const metric_column& column) {
        const auto& workload = those.front()->workload;
        const auto is_ratio = [&](const result* item) {
            return column.as_ratio && item->contender != content_.baseline && item->to_baseline &&
                   item->to_baseline->low && in_.baseline(workload, column.metric) != nullptr;
        };
        std::vector<double> values;
        if (std::ranges::all_of(those, is_ratio)) {
            for (const auto* item : those) values.push_back(item->to_baseline->median);
            const auto as_ratio = [](double value) { return three_digits(value) + "×"; };
            return {range_of(values, as_ratio) + marked(those), tone_of_all(those)};
        }
        for (const auto* item : those) values.push_back(*item->median);
        const auto maximum = std::ranges::find_if(those, [](auto* item) { return item->max_of.has_value(); });
        return {range_of(values, column.format) +
                    max_of_text(maximum == those.end() ? *those.front() : **maximum) + marked(those),
                tone_of_all(those)};
    }

    shown_cell drivers_cell(std::string_view workload, const metric_column& column) {
        for (const auto* item : in_.of(workload, column.metric)) {
            if (!item->to_epoll) continue;
            const auto& to = *item->to_epoll;
            const bool is_sure = is_difference(to.judged) && !is_untrusted(content_);
            const std::string mark{is_sure ? "" : to.judged == verdict::equivalent ? "=" : "?"};
            if (!mark.empty()) marks_.insert(mark.front());
            return {three_digits(to.median) + "×" + mark, is_sure ? tone_of(to.judged) : tone::plain};
        }
        return {};
    }

    shown_cell cell(const screen_row& row, std::string_view workload, const table_shape& shape,
                    const metric_column& column) {
        if (row.kind == row_kind::drivers) return drivers_cell(workload, column);
        const auto those = results_of(row, workload, shape, column.metric);
        if (!those.empty()) return cell_of(those, column);
        for (const auto who : row.members) {
            const auto* const time = in_.find(workload, who, "time");
            if (time == nullptr) continue;
            if (time->status == result_status::failed) return {"failed", tone::bad};
            if (time->status == result_status::not_run) return {"not run"};
        }
        return {};
    }

    static void align_marks(shown_column& column) {
        const auto is_marked = [](const shown_cell& each) {
            return each.text.ends_with('=') || each.text.ends_with('?');
        };
        if (std::ranges::none_of(column.cells, is_marked)) return;
        for (auto& each : column.cells)
            if (!is_marked(each) && each.text != "failed" && each.text != "not run") each.text += ' ';
    }

    [[nodiscard]] std::vector<screen_row> rows_for(const names& workloads, const table_shape& shape) const {
        std::vector<std::string_view> metrics;
        for (const auto& column : shape.columns) metrics.push_back(column.metric);
        auto rows = rows_of(in_, workloads, metrics, shape.who_shares);
        const auto has_floor = [&](auto each) { return best_floor(each, metrics[0]).has_value(); };
        if (shape.has_floor && std::ranges::any_of(workloads, has_floor))
            rows.push_back({row_kind::floor, {}});
        const auto has_drivers = [&](auto each) {
            return std::ranges::any_of(in_.of(each, metrics[0]),
                                       [](auto* item) { return item->to_epoll.has_value(); });
        };
        if (std::ranges::any_of(workloads, has_drivers)) rows.push_back({row_kind::drivers, {}});
        return rows;
    }

    std::string table(names workloads, const table_shape& shape, std::size_t most_workloads) {
        const auto left_out = workloads.size() - std::min(workloads.size(), most_workloads);
        workloads.resize(workloads.size() - left_out);
        if (workloads.empty()) return "";
        for (const auto workload : workloads) note_missing(workload, shape);
        const auto rows = rows_for(workloads, shape);
        if (rows.empty()) return "";
        const auto [front, back] = common_parts(workloads);
        banded_table shown{title_of(front, back, workloads), subtitle_of(shape, workloads), {}, {}};
        const auto all = all_members(rows);
        for (const auto& row : rows) {
            const bool is_contender = row.kind == row_kind::contenders;
            shown.labels.push_back({label(row, workloads, all), is_contender ? tone::plain : tone::note});
            if (are_select_loops(in_, row.members))
                select_loops_.insert(row.members.begin(), row.members.end());
            else if (!names_all(row.members, all))
                shortened_.push_back(row.members);
        }
        for (const auto workload : workloads) {
            auto name = workload.substr(front.size(), workload.size() - front.size() - back.size());
            shown.groups.push_back(group(workload, workloads.size() == 1 ? "" : name, shape, rows));
        }
        auto out = "\n" + draw_bands(shown, screen_columns, paint_);
        if (left_out > 0) more_workloads_ += left_out;
        return out;
    }

    /// Draws a table with the work per second with one thread, and the share of linear scaling with more
    /// threads. It replaces the tables of time and CPU of these workloads.
    std::string table_of_threads(std::size_t most_workloads) {
        const auto sets = std::span{of_threads_}.first(std::min(of_threads_.size(), most_workloads));
        if (sets.empty()) return "";
        more_workloads_ += of_threads_.size() - sets.size();
        names workloads;
        for (const auto& set : sets) workloads.push_back(set.name);
        const auto [front, back] = common_parts(workloads);
        banded_table shown{title_of(front, back, workloads), "share of linear scaling", {}, {}};
        const auto who = contenders_with_threads(sets);
        for (const auto each : who) shown.labels.push_back({"  " + label_of(in_, {each}, who), tone::plain});
        for (const auto& set : sets) {
            const auto name = set.name.substr(front.size(), set.name.size() - front.size() - back.size());
            column_group group{clipped(printable(sets.size() == 1 ? "" : name), label_columns), {}};
            for (const auto at : places_to_show(set))
                group.columns.push_back(column_of_threads(set, at, who));
            if (!group.columns.empty()) shown.groups.push_back(std::move(group));
            note_missing_threads(set);
        }
        return "\n" + draw_bands(shown, screen_columns, paint_);
    }

    [[nodiscard]] names contenders_with_threads(std::span<const curve_set> sets) const {
        names workloads;
        for (const auto& set : sets)
            for (const auto& each : set.values) workloads.push_back(each.workload);
        return contenders_with_numbers(in_, workloads, std::array{std::string_view{"time"}});
    }

    shown_column column_of_threads(const curve_set& set, std::size_t at, const names& who) {
        const auto threads = set.values[at].value;
        shown_column shown{threads == 1 ? "1 thread" : fmt::format("{}", threads), {}};
        for (const auto each : who) {
            const auto found = std::ranges::find(set.curves, each, &curve::contender);
            shown.cells.push_back(found == set.curves.end() ? shown_cell{}
                                                            : cell_of_threads(found->points[at], threads));
        }
        align_marks(shown);
        return shown;
    }

    shown_cell cell_of_threads(const curve_point& point, std::uint64_t threads) {
        if (point.state == point_state::failed) return {"failed", tone::bad};
        if (point.state == point_state::unsupported) return {};
        if (point.state != point_state::measured) return {std::string{word_for(point.state)}};
        const auto without_space = [](std::string text) {
            std::erase(text, ' ');
            return text;
        };
        if (!point.work) return {without_space(human_rate(per_second(*point.item).median))};
        const bool is_decided = point.work->judged != verdict::inconclusive && !is_untrusted(content_);
        if (!is_decided) marks_.insert('?');
        const auto how = is_decided ? tone_of(point.work->judged) : tone::plain;
        tones_.insert(how);
        return {without_space(percent_text(share_of_linear(*point.work, threads).median)) +
                    (is_decided ? "" : "?"),
                how};
    }

    /// Notes the reasons for missing results with the numbers of threads that the table shows, and with the
    /// first one that it does not show. (The reasons for still more threads would be the same.)
    void note_missing_threads(const curve_set& set) {
        const auto with_numbers = places_to_show(set);
        bool is_first = true;
        for (std::size_t at = 0; at < set.values.size(); ++at) {
            const bool is_shown = std::ranges::find(with_numbers, at) != with_numbers.end();
            if (is_shown || std::exchange(is_first, false)) note_missing(set.values[at].workload, only_time);
        }
    }

    static std::string title_of(std::string_view front, std::string_view back, const names& workloads) {
        if (workloads.size() == 1) return clipped(printable(workloads.front()), 2 * label_columns);
        if (front.ends_with('/')) front.remove_suffix(1);
        if (back.starts_with('/')) back.remove_prefix(1);
        return clipped(printable(fmt::format("{}{}{}", front, back.empty() ? "" : ", ", back)),
                       2 * label_columns);
    }

    [[nodiscard]] std::string subtitle_of(const table_shape& shape, const names& workloads) const {
        if (!shape.columns[0].as_ratio) return std::string{shape.subtitle};
        const auto has_ratio = [&](auto each) {
            return in_.baseline(each) != nullptr &&
                   std::ranges::any_of(in_.of(each, shape.columns[0].metric), [](const result* item) {
                       return item->to_baseline && item->to_baseline->low;
                   });
        };
        if (std::ranges::none_of(workloads, has_ratio)) return "time per operation";
        return fmt::format("× as fast as {}", clipped(printable(content_.baseline), label_columns));
    }

    static names all_members(const std::vector<screen_row>& rows) {
        names all;
        for (const auto& row : rows) all.insert(all.end(), row.members.begin(), row.members.end());
        return all;
    }

    [[nodiscard]] std::string label(const screen_row& row, const names& workloads, const names& all) const {
        if (row.kind == row_kind::floor) return "no loop (floor)";
        if (row.kind == row_kind::drivers) return drivers_label(workloads);
        return "  " + label_of(in_, row.members, all);
    }

    [[nodiscard]] std::string drivers_label(const names& workloads) const {
        std::set<std::string> pairs;
        for (const auto workload : workloads)
            for (const auto* item : in_.of(workload, "time"))
                if (item->to_epoll)
                    pairs.insert(
                        fmt::format("{}/{}", printable(item->contender), printable(item->to_epoll->to)));
        constexpr std::size_t longest = 28;
        return pairs.size() == 1 && width_of(*pairs.begin()) <= longest ? *pairs.begin() : "io_uring/epoll";
    }

    column_group group(std::string_view workload, std::string_view name, const table_shape& shape,
                       const std::vector<screen_row>& rows) {
        column_group all{clipped(printable(name), label_columns), {}};
        for (const auto& column : shape.columns) {
            shown_column shown{std::string{column.title}, {}};
            for (const auto& row : rows) shown.cells.push_back(cell(row, workload, shape, column));
            align_marks(shown);
            const auto is_empty = [](const shown_cell& each) { return each.text.starts_with(no_number); };
            if (column.metric == "cpu" && std::ranges::all_of(shown.cells, is_empty)) continue;
            all.columns.push_back(std::move(shown));
        }
        return all;
    }

    void note_missing(std::string_view workload, const table_shape& shape) {
        for (const auto* item : in_.of(workload, "time"))
            if (!item->median && !in_.is_floor(item->contender)) missing_.add(*item);
        for (const auto& column : shape.columns)
            for (const auto* item : in_.of(workload, column.metric))
                if (column.metric != "time" && !item->median && item->reason &&
                    !in_.is_floor(item->contender))
                    missing_.add(*item);
    }

    [[nodiscard]] std::string names_of(const std::set<std::string_view>& who) const {
        const names all{who.begin(), who.end()};
        constexpr std::size_t most = 3;
        if (are_select_loops(in_, all) && who == select_loops_) return "select loops";
        if (all.size() <= most) return short_list(all);
        return fmt::format("{} and {} more", clipped(printable(all.front()), label_columns), all.size() - 1);
    }

    [[nodiscard]] std::string legend() const {
        std::vector<std::string> parts;
        const auto version = version_of(content_, content_.baseline);
        if (!version.empty() && trust_text(content_).find(version) == std::string::npos)
            parts.push_back(
                clipped(printable(fmt::format("{}: {}", content_.baseline, version)), screen_columns / 2));
        if (marks_.contains('?')) parts.emplace_back("? undecided");
        if (paint_ == colours::on) {
            if (tones_.contains(tone::good)) parts.emplace_back("better");
            if (tones_.contains(tone::bad)) parts.emplace_back("worse");
        }
        if (marks_.contains('='))
            parts.push_back(fmt::format("= equivalent within {:g} %", content_.judged_by.threshold_pct));
        if (!select_loops_.empty())
            parts.push_back("select loops: " + short_list({select_loops_.begin(), select_loops_.end()}));
        for (const auto& members : shortened_)
            parts.push_back(fmt::format("{} more: {}", members.size() - 1,
                                        short_list({members.begin() + 1, members.end()})));
        if (more_workloads_ > 0) parts.push_back(fmt::format("{} more workloads", more_workloads_));
        std::string out;
        for (const auto& line : wrapped(fmt::format("{}", fmt::join(parts, "; ")), screen_columns, "  "))
            out += line + "\n";
        if (tones_.contains(tone::good)) out = with_colour(std::move(out), "better", tone::good);
        if (tones_.contains(tone::bad)) out = with_colour(std::move(out), "worse", tone::bad);
        return out;
    }

    /// Returns the reasons for missing results, one after the other. A reason that is not a failure is cut
    /// after `lines_of_others` lines.
    [[nodiscard]] std::string reasons(std::size_t lines_of_others) const {
        constexpr std::size_t most = 6, lines_of_a_failure = 3;
        std::string out;
        const auto all = missing_.all();
        for (const auto& [why, failed, who] : std::span{all}.first(std::min(all.size(), most))) {
            const auto text = printable(
                fmt::format("{} {}: {}{}", no_number, names_of(who), failed ? "failed: " : "", why));
            const auto room = failed ? lines_of_a_failure : lines_of_others;
            auto lines = wrapped(text, screen_columns, "  ");
            if (lines.size() > room) {
                lines.resize(room);
                lines.back() = clipped(lines.back() + " ...", screen_columns);
            }
            for (const auto& line : lines) out += line + "\n";
        }
        if (all.size() > most) out += fmt::format("{} and {} more reasons\n", no_number, all.size() - most);
        return out;
    }
};

}  // namespace

std::string draw_screen(const report& content, colours paint) {
    return screen{content, paint}.text();
}

std::vector<std::string> warning_lines(const report& content) {
    constexpr std::size_t most_lines = 2;
    std::vector<std::string> all;
    for (const auto& item : content.warnings)
        if (!is_left_to_tables(item))
            all.push_back(printable(fmt::format("warning: {}; {}", item.message, item.remedy)));
    std::ranges::sort(all, {}, [](const std::string& each) { return std::pair{width_of(each), each}; });
    std::vector<std::string> lines;
    if (all.size() == 1) lines = wrapped(all.front(), screen_columns, "  ");
    if (all.size() == 1 && lines.size() > most_lines) {
        lines.resize(most_lines);
        lines.back() = clipped(lines.back() + " ...", screen_columns);
    }
    if (all.size() > 1)
        for (const auto& each : std::span{all}.first(most_lines))
            lines.push_back(clipped(each, screen_columns));
    if (all.size() > most_lines) lines.back() = fmt::format("{} more warnings", all.size() - most_lines + 1);
    return lines;
}

std::string draw_whole_screen(const report& content, colours paint) {
    auto text = draw_screen(content, paint);
    for (const auto& line : warning_lines(content)) text += line + "\n";
    return text;
}

std::string write_screen(const report& content) {
    return draw_whole_screen(content, colours::off);
}

}  // namespace loopbench::reports
