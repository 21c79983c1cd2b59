// The columns of the tables for readers. The terminal and Markdown share them: one line per workload and
// contender, and one group of lines per workload family. This header also contains the texts that several
// formats share.
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

/// The metrics of one workload and contender. Points into the report, which must exist at least as long as
/// the line.
struct line {
    const report* whole = nullptr;
    std::string_view workload;
    std::string_view contender;
    std::vector<const result*> metrics;
    std::vector<std::string> headline;            // the workload's primary metrics
    const result* main_of_baseline = nullptr;     // the baseline's number for the metric of main()
    std::optional<double> wakeups_of_floor = {};  // the lowest rate of a floor on this workload

    [[nodiscard]] const result* find(std::string_view metric) const;
    /// Returns the result of the first primary metric that has a number. If no primary metric has a number,
    /// returns the result for the time, or null if the time has no number either.
    [[nodiscard]] const result* main() const;
    /// Returns "unsupported: REASON", "failed: REASON" or "not run: REASON", or "" if the line has numbers.
    [[nodiscard]] std::string note() const;
};

struct family {
    std::string name;  // the part of the workloads' names before the first '/'
    std::vector<line> lines;
};

struct column {
    std::string_view title;
    std::string (*text)(const line&);  // returns "" for an empty cell; if null, the cell shows `metric`
    bool always = false;               // true if the column is shown even if all its cells are empty
    bool right_aligned = true;
    std::string_view metric = {};
    std::string (*format)(double) = nullptr;

    [[nodiscard]] bool has_text(const line& from) const;
    /// Returns the text of the cell, or "-" for an empty cell.
    [[nodiscard]] std::string cell(const line& from) const;
};

/// The number of columns that name the workload and the contender. A line without numbers has a note after
/// these columns.
inline constexpr std::size_t naming_columns = 2;

/// Returns the workload families in the order of the report.
std::vector<family> families_of(const report& content);

/// Returns the columns that have a text for at least one of these lines, and the columns with `always`.
std::vector<column> columns_for(std::span<const line> lines);

/// Returns true if the ratio of the line says faster although its median says slower, or vice versa. The
/// tables then mark the ratio with `contradiction_mark`.
bool contradicts(const line& from);
inline constexpr std::string_view contradiction_mark = "†";

/// Returns an explanation of the mark, for the line below a table, or "" if no line has the mark.
std::string contradiction_note(std::span<const line> lines);

/// Returns true if the ratios of the report must not be read as differences: the session is unreliable or
/// incomplete.
bool is_untrusted(const report& content);

/// Returns the wake-ups per second of a line, for example "20 (its own timer)" for an idle process that wakes
/// up as often as the floor, that is, only for the timer of the workload.
std::string wakeups_text(const line& from);

/// Returns " (max of 30)" for a percentile of too few samples, which is their maximum; otherwise empty.
std::string max_of_text(const result& of);

/// Formats a number with `decimals` decimals. A value that rounds to zero has no sign.
std::string fixed_point(double value, int decimals);

/// Formats a number with three significant digits, or with all digits before the decimal point: "0.97",
/// "12.3", "4321".
std::string three_digits(double value);

/// Formats a share as a percentage: "0.12 %", "5.3 %". A share of up to 2 % above 1 is shown as "100 %",
/// because the clocks of CPU time and of wall time are read one after the other.
std::string share_text(double value);

/// Formats a time with three significant digits and a suitable unit: "12.3 µs".
std::string human_time(double value_ns);

/// Describes a verdict of `slower`. For time, the text is like "slower than asio-epoll by 4.2 %: ..."; for
/// other metrics, it states how much worse the contender is.
std::string how_much_worse(const result& of);

/// Describes an inconclusive verdict and its smallest detectable difference.
std::string why_inconclusive(const result& of);

/// The codes of two warnings: one for the report of a single shard, and one for a merged record with missing
/// shards.
inline constexpr std::string_view shard_code = "shard", missing_shards_code = "missing_shards";
/// Returns true if this is the report of a single shard.
bool is_of_shard(const report& content);

/// Returns a sentence that explains why a report is incomplete.
std::string why_incomplete(const report& content);

/// Returns the reason if the session is unreliable according to the A/A comparison, or nothing otherwise.
std::optional<std::string> why_unreliable(const report& content);

/// Returns the result of the A/A comparison as a sentence, or "" without an A/A comparison.
std::string self_check_text(const std::optional<self_check>& aa);

/// Returns the text below the tables, which explains the columns.
std::string legend_for(const report& content);

/// Replaces control characters (including those of text direction) and invalid UTF-8 in `text` by '?',
/// because names can contain any characters and must not control a terminal. Characters in `kept` stay
/// unchanged.
std::string printable(std::string_view text, std::string_view kept = {});

/// Returns the printable form of `text`, with each character in `as` replaced by its escape sequence.
std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> as,
                    std::string_view kept = {});

}  // namespace loopbench::reports
