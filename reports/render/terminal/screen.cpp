// Draws the summary screen. Contenders are rows and workloads are columns, because there are more contenders
// than workloads, and because readers compare the cells of a column. The floors share one row, which shows
// the best floor of each column.
#include "reports/render/terminal/screen.hpp"

#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/formats/formats.hpp"
#include "reports/render/summary_sentences.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::reports {

namespace {

constexpr std::size_t label_columns = 20;
constexpr std::size_t gap = 2;
constexpr std::string_view no_number = "-";

enum class tone { plain, title, good, bad };

/// A text for the terminal. Its width does not include the escape sequences for colours.
class painted {
public:
    explicit painted(colours how) : how_{how} {}

    /// Adds a text. Trailing spaces get no colour, so that finished() can remove them.
    void add(std::string_view text, tone as = tone::plain) {
        width_ += width_of(text);
        const auto end = text.find_last_not_of(' ') + 1;
        bytes_ += how_ == colours::off || as == tone::plain
                      ? std::string{text.substr(0, end)}
                      : fmt::format(style_of(as), "{}", text.substr(0, end));
        bytes_ += text.substr(end);
    }
    void pad_to(std::size_t width) {
        if (width > width_) add(std::string(width - width_, ' '));
    }
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] std::string line() const { return finished(bytes_); }
    void append(const painted& other) {
        bytes_ += other.bytes_;
        width_ += other.width_;
    }

private:
    static fmt::text_style style_of(tone as) {
        if (as == tone::title) return fmt::emphasis::bold;
        return fmt::fg(as == tone::good ? fmt::terminal_color::green : fmt::terminal_color::red);
    }

    colours how_;
    std::string bytes_;
    std::size_t width_ = 0;
};

struct shown_cell {
    std::string text{no_number};
    tone how = tone::plain;
};

struct shown_column {
    std::vector<std::string> title;  // the lines of the title
    std::vector<shown_cell> cells;   // one cell for each row
    [[nodiscard]] std::size_t width() const {
        std::size_t widest = 0;
        for (const auto& line : title) widest = std::max(widest, width_of(line));
        for (const auto& cell : cells) widest = std::max(widest, width_of(cell.text));
        return widest;
    }
};

/// The columns of one workload. They stay together when a wide table is split.
struct column_group {
    std::vector<std::string> title;  // the lines of the title above several columns
    std::vector<shown_column> columns;
    [[nodiscard]] std::size_t columns_width() const {
        std::size_t sum = columns.size() - 1;
        for (const auto& column : columns) sum += column.width();
        return sum;
    }
    [[nodiscard]] std::size_t width() const {
        std::size_t widest = columns_width();
        for (const auto& line : title) widest = std::max(widest, width_of(line));
        return widest;
    }
};

/// Splits a workload's name into lines, for example "echo/rtt", "conns:100". A line is too long only if a
/// part of the name is.
std::vector<std::string> name_in_lines(std::string_view name, std::size_t columns) {
    constexpr std::size_t longest_part = 20, most_lines = 5;
    std::vector<std::string> lines;
    while (!name.empty()) {
        auto end = std::min(name.find('/'), name.size());
        if (const auto colon = name.find(':'); colon < end && end > columns) end = colon + 1;
        const auto part = clipped(printable(name.substr(0, end)), longest_part);
        name.remove_prefix(end < name.size() && name[end] == '/' ? end + 1 : end);
        if (!lines.empty() && !lines.back().ends_with(':') &&
            width_of(lines.back()) + 1 + width_of(part) <= columns)
            lines.back() += "/" + part;
        else
            lines.push_back(part);
    }
    if (lines.size() > most_lines) {
        lines.resize(most_lines);
        lines.back() = "...";
    }
    return lines;
}

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

std::string short_share(double value) {
    const double percent = 100 * value;
    return fmt::format("{:.{}f}%", percent, percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0);
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
};

/// The shape of a table. The table shows the workloads for which the table's first metric is a primary
/// metric.
struct table_shape {
    std::string_view title;
    std::array<metric_column, 3> columns;  // entries without a metric are left out
    bool as_ratios = false;  // if true, shows values only for the baseline, in one column per workload
};

constexpr std::array shapes{
    table_shape{"time per operation", {{{"time", "", long_time}}}, true},
    table_shape{
        "timer lateness and CPU per operation",
        {{{"late_p50", "p50", short_time}, {"late_p99", "p99", short_time}, {"cpu", "CPU", short_time}}}},
    table_shape{"wake-ups and CPU of an idle process",
                {{{"wakeups", "woken/s", short_rate}, {"spin", "CPU", short_share}}}},
    table_shape{"server under load: capacity in requests per second, and p99 latency",
                {{{"capacity", "capacity", short_rate}, {"latency_p99", "p99", short_time}}}},
};

std::string_view mark_of(const std::optional<verdict>& judged) {
    if (judged == verdict::equivalent) return "=";
    if (judged == verdict::inconclusive) return "?";
    return "";
}

tone tone_of(const std::optional<verdict>& judged) {
    return judged == verdict::faster ? tone::good : judged == verdict::slower ? tone::bad : tone::plain;
}

/// A reason why results in a table have no number, and the contenders with this reason.
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
    std::map<std::pair<std::string_view, bool>, std::size_t> places_;  // indexes in all_
};

class screen {
public:
    screen(const report& content, colours paint) : content_{content}, paint_{paint}, index_{content} {
        std::set<std::string_view> seen;
        for (const auto& item : content.results)
            if (!index_.is_floor(item.contender) && seen.insert(item.contender).second)
                rows_.push_back(item.contender);
        const auto baseline = std::ranges::find(rows_, std::string_view{content.baseline});
        if (baseline != rows_.end()) std::rotate(rows_.begin(), baseline, baseline + 1);
        if (!index_.floors().empty()) rows_.push_back(floor_row);
    }

    std::string text() {
        std::string out, tables;
        for (const auto& each : summary_sentences_of(content_)) out += said(each);
        for (const auto& shape : shapes) tables += table(shape);
        if (!tables.empty()) out += legend() + tables;
        const auto why = reasons();
        return why.empty() ? out : out + "\n" + why;
    }

private:
    static constexpr std::string_view floor_row{};  // an empty name, which no contender has

    const report& content_;
    colours paint_;
    report_index index_;
    std::vector<std::string_view> rows_;
    missing_reasons missing_;

    /// Returns a sentence like "Speed: ..." in lines. All lines but the first are indented.
    [[nodiscard]] std::string said(const summary_sentence& what) const {
        const auto title = fmt::format("{}:", what.title);
        const auto lines = wrapped(fmt::format("{} {}", title, printable(what.text)), screen_columns, "  ");
        painted first{paint_};
        first.add(title, tone::title);
        first.add(std::string_view{lines.front()}.substr(title.size()));
        auto out = first.line();
        for (const auto& line : std::span{lines}.subspan(1)) out += line + "\n";
        return out;
    }

    /// Returns true if `one` is better than `other`. Both results must have medians.
    [[nodiscard]] static bool is_better(const result& one, const result& other) {
        return one.better == direction::larger ? *one.median > *other.median : *one.median < *other.median;
    }

    /// Returns the floor with the best value of the metric, or nothing if no floor has a value.
    [[nodiscard]] std::optional<std::string_view> best_floor(std::string_view workload,
                                                             std::string_view metric) const {
        const result* best = nullptr;
        for (const auto who : index_.floors())
            if (const auto* const found = index_.number(workload, who, metric))
                if (best == nullptr || is_better(*found, *best)) best = found;
        if (best == nullptr) return std::nullopt;
        return best->contender;
    }

    [[nodiscard]] std::optional<std::string_view> who_is(std::string_view row, std::string_view workload,
                                                         std::string_view metric) const {
        return row == floor_row ? best_floor(workload, metric) : row;
    }

    [[nodiscard]] shown_cell ratio_cell(const result& item, const metric_column& column) const {
        if (item.contender == content_.baseline || index_.baseline(item.workload) == nullptr)
            return {column.format(*item.median)};
        if (!item.to_baseline) return {};
        return {fmt::format("{}{}", three_digits(item.to_baseline->median), mark_of(item.judged)),
                tone_of(item.judged)};
    }

    [[nodiscard]] shown_cell cell(std::string_view row, std::string_view workload, const table_shape& shape,
                                  const metric_column& column) const {
        const auto who = who_is(row, workload, shape.columns[0].metric);
        const auto* const item = who ? index_.find(workload, *who, column.metric) : nullptr;
        if (item != nullptr && item->median) {
            if (shape.as_ratios) return ratio_cell(*item, column);
            return {column.format(*item->median) + max_of_text(*item) + std::string{mark_of(item->judged)},
                    tone_of(item->judged)};
        }
        const auto* const time = who ? index_.find(workload, *who, "time") : nullptr;
        if (time != nullptr && time->status == result_status::failed) return {"failed", tone::bad};
        if (time != nullptr && time->status == result_status::not_run) return {"not run"};
        return {};
    }

    /// Adds a space to numbers without a mark, so that they are aligned with marked numbers.
    static void align_marks(shown_column& column) {
        const auto is_marked = [](const shown_cell& each) {
            return each.text.ends_with('=') || each.text.ends_with('?');
        };
        if (std::ranges::none_of(column.cells, is_marked)) return;
        for (auto& each : column.cells)
            if (!is_marked(each) && each.text != "failed" && each.text != "not run") each.text += ' ';
    }

    [[nodiscard]] column_group group(std::string_view workload, const table_shape& shape,
                                     const std::vector<std::string_view>& rows) const {
        column_group all;
        for (const auto& column : shape.columns) {
            if (column.metric.empty()) continue;
            shown_column shown;
            if (!column.title.empty()) shown.title = {std::string{column.title}};
            for (const auto row : rows) shown.cells.push_back(cell(row, workload, shape, column));
            align_marks(shown);
            all.columns.push_back(std::move(shown));
        }
        constexpr std::size_t of_one_column = 12;
        if (all.columns.size() == 1)
            all.columns[0].title = name_in_lines(workload, of_one_column);
        else
            all.title = name_in_lines(workload, all.width());
        return all;
    }

    [[nodiscard]] bool has_numbers(std::string_view row, std::string_view workload,
                                   const table_shape& shape) const {
        const auto who = who_is(row, workload, shape.columns[0].metric);
        return who && std::ranges::any_of(shape.columns, [&](const metric_column& column) {
                   const auto* const found = index_.find(workload, *who, column.metric);
                   return found != nullptr && (found->median || found->status == result_status::failed);
               });
    }

    void note_missing(std::string_view row, std::string_view workload, const table_shape& shape) {
        if (has_numbers(row, workload, shape) && row != floor_row) {
            // Adds the missing metrics of results that have other numbers.
            for (const auto& column : shape.columns)
                if (const auto* const found = index_.find(workload, row, column.metric);
                    found != nullptr && (!found->median || found->status == result_status::failed))
                    missing_.add(*found);
            return;
        }
        for (const auto& who : row == floor_row ? index_.floors() : std::set<std::string_view>{row})
            if (const auto* const time = index_.find(workload, who, "time");
                time != nullptr && !time->median && !has_numbers(row, workload, shape))
                missing_.add(*time);
    }

    std::string table(const table_shape& shape) {
        std::vector<std::string_view> workloads;
        for (const auto workload : index_.workloads())
            if (index_.is_about(workload, shape.columns[0].metric)) workloads.push_back(workload);
        if (workloads.empty()) return "";
        std::vector<std::string_view> rows;
        for (const auto row : rows_) {
            if (std::ranges::any_of(workloads,
                                    [&](auto workload) { return has_numbers(row, workload, shape); }))
                rows.push_back(row);
            for (const auto workload : workloads) note_missing(row, workload, shape);
        }
        if (rows.empty()) return "";
        std::vector<column_group> groups;
        for (const auto workload : workloads) groups.push_back(group(workload, shape, rows));
        std::string title = shape.as_ratios ? cost_title(workloads) : std::string{shape.title};
        if (groups.size() == 1 && !groups[0].title.empty()) {  // not above each part of the table
            title = fmt::format("{}: {}", clipped(printable(workloads.front()), 2 * label_columns), title);
            groups[0].title.clear();
        }
        painted heading{paint_};
        heading.add(clipped(title, screen_columns), tone::title);
        return "\n" + heading.line() + bands(rows, groups);
    }

    /// Returns the title that describes the cells of ratio_cell(). The table has ratios if the baseline has a
    /// time, even if the baseline is a floor.
    [[nodiscard]] std::string cost_title(const std::vector<std::string_view>& workloads) const {
        const auto has_baseline = [&](std::string_view each) { return index_.baseline(each) != nullptr; };
        if (rows_.size() < 2 || std::ranges::none_of(workloads, has_baseline)) return "time per operation";
        return fmt::format("time per operation of {}; the others as ratios to it (above 1 is faster)",
                           clipped(printable(content_.baseline), label_columns));
    }

    /// Draws as many groups side by side as fit, and the other groups below them.
    [[nodiscard]] std::string bands(const std::vector<std::string_view>& rows,
                                    const std::vector<column_group>& groups) const {
        std::string out;
        for (std::size_t first = 0; first < groups.size();) {
            std::size_t last = first, width = label_width(rows);
            do width += gap + groups[last++].width();
            while (last < groups.size() && width + gap + groups[last].width() <= screen_columns);
            out += band(rows, std::span{groups}.subspan(first, last - first));
            first = last;
        }
        return out;
    }

    [[nodiscard]] static std::string label(std::string_view row) {
        return row == floor_row ? "(floor)" : clipped(printable(row), label_columns);
    }
    [[nodiscard]] static std::size_t label_width(const std::vector<std::string_view>& rows) {
        std::size_t widest = 0;
        for (const auto row : rows) widest = std::max(widest, width_of(label(row)));
        return widest;
    }

    [[nodiscard]] std::string band(const std::vector<std::string_view>& rows,
                                   std::span<const column_group> groups) const {
        const auto labels = label_width(rows);
        std::vector<painted> head = headings(groups, labels), body;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            painted line{paint_};
            line.add(label(rows[row]));
            line.pad_to(labels);
            std::size_t at = labels;
            for (const auto& group : groups) {
                std::size_t begin = at + gap + (group.width() - group.columns_width());
                for (const auto& column : group.columns) {
                    const auto& [text, how] = column.cells[row];
                    line.pad_to(begin + column.width() - width_of(text));
                    line.add(text, how);
                    begin += column.width() + 1;
                }
                at += gap + group.width();
            }
            body.push_back(std::move(line));
        }
        return side_by_side(head, body);
    }

    /// Returns the heading lines. Titles are aligned at the bottom.
    [[nodiscard]] std::vector<painted> headings(std::span<const column_group> groups,
                                                std::size_t labels) const {
        std::size_t above = 0, below = 0;
        for (const auto& group : groups) {
            above = std::max(above, group.title.size());
            for (const auto& column : group.columns) below = std::max(below, column.title.size());
        }
        std::vector<painted> lines;
        for (std::size_t i = 0; i < above + below; ++i) {
            painted line{paint_};
            std::size_t at = labels;
            for (const auto& group : groups) {
                const auto end = at + gap + group.width();
                std::size_t begin = end - group.columns_width();
                if (i < above)
                    put(line, group.title, i, above, end);
                else
                    for (const auto& column : group.columns) {
                        begin += column.width();
                        put(line, column.title, i - above, below, begin);
                        ++begin;
                    }
                at = end;
            }
            lines.push_back(std::move(line));
        }
        return lines;
    }

    static void put(painted& line, const std::vector<std::string>& title, std::size_t i, std::size_t of,
                    std::size_t end) {
        if (i + title.size() < of) return;
        const auto& text = title[i + title.size() - of];
        line.pad_to(end - width_of(text));
        line.add(text);
    }

    /// Splits a long, narrow table into parts that stand side by side.
    [[nodiscard]] static std::string side_by_side(const std::vector<painted>& head,
                                                  const std::vector<painted>& body) {
        constexpr std::size_t few_rows = 6, between = 2;
        std::size_t width = 0;
        for (const auto* part : {&head, &body})
            for (const auto& line : *part) width = std::max(width, line.width());
        const auto room = (screen_columns + between) / (width + between);
        const auto parts = body.size() <= few_rows ? std::size_t{1} : std::max(room, std::size_t{1});
        const auto height = (body.size() + parts - 1) / parts;
        std::string out;
        const auto write = [&](const std::vector<painted>& lines, std::size_t from, std::size_t step) {
            painted line = lines[from];
            for (std::size_t part = 1; part < parts && part * height < body.size(); ++part) {
                const auto index = from + part * step;
                if (index >= lines.size()) break;
                line.pad_to(part * (width + between));
                line.append(lines[index]);
            }
            out += line.line();
        };
        for (std::size_t i = 0; i < head.size(); ++i) write(head, i, 0);
        for (std::size_t i = 0; i < height; ++i) write(body, i, height);
        return out;
    }

    [[nodiscard]] std::string names_of(const std::set<std::string_view>& who) const {
        constexpr std::size_t most = 3;
        if (who.size() > 1 && who == index_.floors()) return "floors";
        std::vector<std::string> names;
        for (const auto each : who) names.push_back(clipped(printable(each), label_columns));
        if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
        return fmt::format("{} and {} more", names.front(), names.size() - 1);
    }

    [[nodiscard]] std::string reasons() const {
        constexpr std::size_t most = 6, lines_of_a_failure = 3, lines_of_others = 2;
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

    [[nodiscard]] std::string legend() const {
        return said(
            {.title = "Marks",
             .text = fmt::format("compared with {}: = equivalent within {:g} %, ? undecided, {} no number.",
                                 clipped(content_.baseline, label_columns), content_.judged_by.threshold_pct,
                                 no_number),
             .from = {}});
    }
};

}  // namespace

std::string draw_screen(const report& content, colours paint) {
    return screen{content, paint}.text();
}

std::vector<std::string> warning_lines(const report& content) {
    constexpr std::size_t most_lines = 5, most_of_one = 2;
    std::vector<std::string> all;
    for (const auto& item : content.warnings)
        all.push_back(printable(fmt::format("warning: {}; {}", item.message, item.remedy)));
    std::ranges::sort(all, {}, [](const std::string& each) { return std::pair{width_of(each), each}; });
    std::vector<std::string> lines;
    std::size_t shown = 0;
    for (; shown < all.size(); ++shown) {
        auto of_this = wrapped(all[shown], screen_columns, "  ");
        if (of_this.size() > most_of_one) {
            of_this.resize(most_of_one);
            of_this.back() = clipped(of_this.back() + " ...", screen_columns);
        }
        const auto kept_free = shown + 1 < all.size() ? 1U : 0U;
        if (lines.size() + of_this.size() + kept_free > most_lines) break;
        lines.insert(lines.end(), of_this.begin(), of_this.end());
    }
    if (shown < all.size())
        lines.push_back(
            fmt::format("{} more {}", all.size() - shown, all.size() - shown == 1 ? "warning" : "warnings"));
    return lines;
}

std::string write_screen(const report& content) {
    auto text = draw_screen(content, colours::off);
    for (const auto& line : warning_lines(content)) text += line + "\n";
    return text;
}

}  // namespace loopbench::reports
