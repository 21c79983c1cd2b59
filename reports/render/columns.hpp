// Columns of a report for people, defined once for the terminal's table and for Markdown: one line per result
// (workload × contender), lines grouped by workload family, and one list of columns. Also the words that
// several formats share.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// One result (workload × contender) with its metrics. Points into the report, which must outlive it.
struct line {
    const report* whole = nullptr;
    std::string_view workload;
    std::string_view contender;
    std::vector<const result*> metrics;
    std::vector<std::string> headline;  // the workload's primary metrics

    [[nodiscard]] const result* find(std::string_view metric) const;
    /// Returns the first primary metric that has a number, or else the time; null without any.
    [[nodiscard]] const result* main() const;
    /// Returns "unsupported: why", "failed: why" or "not run: why"; empty for a result with numbers.
    [[nodiscard]] std::string note() const;
};

struct family {
    std::string name;  // the workloads' names up to the first '/'
    std::vector<line> lines;
};

struct column {
    std::string_view title;
    std::string (*text)(const line&);  // empty if it has nothing to show; null: the metric's median
    bool always = false;               // shown even if no line has a text
    bool right_aligned = true;
    std::string_view metric = {};
    std::string (*format)(double) = nullptr;

    [[nodiscard]] bool has_text(const line& from) const;
    /// Returns the text, or "-" without one.
    [[nodiscard]] std::string cell(const line& from) const;
};

/// Columns with the names of workload and contender; a line's note follows them instead of numbers.
inline constexpr std::size_t naming_columns = 2;

/// Returns the families in the order of the report.
std::vector<family> families_of(const report& content);

/// Returns the columns that have a text for at least one of these lines, and those that are always shown.
std::vector<column> columns_for(std::span<const line> lines);

/// Formats with this number of decimals, and without a sign if the value rounds to zero.
std::string fixed_point(double value, int decimals);

/// Formats with three significant digits, or with all digits before the decimal point: "0.97", "12.3",
/// "4321".
std::string three_digits(double value);

/// Formats a time with three significant digits and a suitable unit: "12.3 µs".
std::string human_time(double value_ns);

/// Describes a verdict of `slower`: "slower than asio-epoll by 4.2 %: ..." for time, and how much worse for
/// other metrics.
std::string how_much_worse(const result& of);

/// Describes an inconclusive verdict, with the smallest detectable difference.
std::string why_inconclusive(const result& of);

/// Codes of two warnings: for the report of a single shard, and for a merged record with missing shards.
inline constexpr std::string_view shard_code = "shard", missing_shards_code = "missing_shards";
/// Returns whether this is the report of a single shard, whose trials are also in the merged run.
bool is_of_shard(const report& content);

/// Returns a sentence that says why an incomplete report is incomplete.
std::string why_incomplete(const report& content);

/// Returns why no verdict of the session is reliable, according to the A/A comparison; nothing unless it is
/// unreliable.
std::optional<std::string> why_unreliable(const report& content);

/// Returns the result of the A/A comparison as a sentence; empty without one.
std::string self_check_text(const std::optional<self_check>& aa);

/// Returns the text under the tables that explains the columns.
std::string legend_for(const report& content);

/// Returns `text` with '?' for control characters (including those of text direction) and for bytes that are
/// not UTF-8, unless they are in `kept`: names come from outside and must not steer a terminal.
std::string printable(std::string_view text, std::string_view kept = {});

/// Returns `text`, printable, with each of these characters replaced by its escape sequence.
std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> as,
                    std::string_view kept = {});

}  // namespace loopbench::reports
