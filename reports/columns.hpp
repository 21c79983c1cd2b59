// What a person is shown of a report, defined once for the terminal's table and for Markdown: a line per
// cell, lines grouped by workload family, and one list of columns.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::reports {

/// One cell (workload x contender) with its metrics. Points into the report, which must outlive it.
struct line {
    const report* whole = nullptr;
    std::string_view workload;
    std::string_view contender;
    std::vector<const result*> metrics;
    std::vector<std::string> headline;  // the metrics that the workload is about

    [[nodiscard]] const result* find(std::string_view metric) const;
    /// Of the metrics that the workload is about the first that is there, or else the time; null without any.
    [[nodiscard]] const result* main() const;
    /// "unsupported: why", "failed: why" or "not run: why"; empty for a cell with numbers.
    [[nodiscard]] std::string note() const;
};

struct family {
    std::string name;  // the workloads' names up to the first '/'
    std::vector<line> lines;
};

struct column {
    std::string_view title;
    std::string (*text)(const line&);  // empty where there is nothing to say; null: the metric's median
    bool always = false;               // shown although it has nothing to say on any line
    bool right_aligned = true;
    std::string_view metric = {};
    std::string (*format)(double) = nullptr;

    [[nodiscard]] bool has_text(const line& from) const;
    /// "-" where there is nothing to say.
    [[nodiscard]] std::string cell(const line& from) const;
};

/// The first columns name workload and contender; a cell's note stands behind them in place of the numbers.
inline constexpr std::size_t naming_columns = 2;

/// The families in the order of the report.
std::vector<family> families_of(const report& content);

/// The columns that have something to say about these lines.
std::vector<column> columns_for(std::span<const line> lines);

/// With so many digits behind the point, and no sign before what rounds to zero.
std::string fixed_point(double value, int decimals);

/// "0.97", "12.3", "4321": three significant digits, or all before the point.
std::string three_digits(double value);

/// "12.3 µs"; three significant digits, the unit chosen by magnitude.
std::string human_time(double value_ns);

/// For a verdict of `slower`: "slower than asio-epoll by 4.2 %: ..." of time, and what is worse of another
/// metric.
std::string how_much_worse(const result& of);

/// For one that is inconclusive, what could have been seen.
std::string why_inconclusive(const result& of);

/// The codes of two warnings: of a shard's own report, and of a record that was merged without all of its
/// shards.
inline constexpr std::string_view shard_code = "shard", missing_shards_code = "missing_shards";
/// Of a shard's own report, whose trials are those of the merged run as well.
bool is_of_shard(const report& content);

/// Why a report that is not complete is not, in a sentence.
std::string why_incomplete(const report& content);

/// Why no verdict of the session can be relied on, as the A/A says; nothing unless it is unfit.
std::optional<std::string> why_unfit(const report& content);

/// What the A/A found, in a sentence; empty without one.
std::string self_check_text(const std::optional<self_check>& aa);

/// A sentence under the tables that says what the columns mean.
std::string legend_for(const report& content);

/// `text` with '?' for control characters, those of direction included, and for bytes that are not UTF-8,
/// unless they are in `kept`: names come from outside and must not steer a terminal.
std::string printable(std::string_view text, std::string_view kept = {});

/// `text`, printable, with each of these characters written as what stands beside it.
std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> as,
                    std::string_view kept = {});

}  // namespace loopbench::reports
