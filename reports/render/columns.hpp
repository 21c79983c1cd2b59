// The columns of the tables for readers. The terminal and the Markdown format share them: one line per
// workload and contender, and one group of lines per workload family. This header also contains the texts
// that several formats share.
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
    const result* main_of_baseline = nullptr;     // the baseline's result for the metric of main()
    std::optional<double> wakeups_of_floor = {};  // the lowest rate of a floor on this workload

    [[nodiscard]] const result* find(std::string_view metric) const;
    /// Returns the result of the first primary metric that has a number. If no primary metric has a number,
    /// returns the result for the time, or null if the time has no number either.
    [[nodiscard]] const result* main() const;
    /// Returns "unsupported: REASON", "failed: REASON" or "not run: REASON", or "" if the line has numbers.
    [[nodiscard]] std::string note() const;
};

struct family {
    std::string name;  // the part before the first '/', which the workloads' names share
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

/// Returns true if the line contradicts itself: its ratio shows that the contender is faster, but the medians
/// show that it is slower, or vice versa. The tables then mark the ratio with `contradiction_mark`.
bool contradicts(const line& from);
inline constexpr std::string_view contradiction_mark = "†";

/// Returns the explanation of `contradiction_mark` that is printed below a table, or "" if no line has the
/// mark.
std::string contradiction_note(std::span<const line> lines);

/// Returns true if the ratios of the report must not be read as differences: the session is unreliable or
/// incomplete.
bool is_untrusted(const report& content);

/// Returns the wake-ups per second of a line, for example "20 (its own timer)" for an idle process that wakes
/// up only for the workload's timer, as often as the floor does.
std::string wakeups_text(const line& from);

/// Returns a note like " (max of 30)" if the value is not the percentile but the maximum of too few samples;
/// otherwise "".
std::string max_of_text(const result& of);

/// Formats a number with `decimals` decimals. A value that rounds to zero has no sign.
std::string fixed_point(double value, int decimals);

/// Formats a number with three significant digits, or with all digits before the decimal point: "0.97",
/// "12.3", "4321".
std::string three_digits(double value);

/// Formats a difference with its unit: "5.7 %", "12 %". Formats 100 % and more as "a factor of 3.2".
std::string pct_or_factor(double pct);

/// Formats a share as a percentage: "0.12 %", "5.3 %". A share of up to 2 % above 1 is shown as "100 %",
/// because the clock of the CPU time and the clock of the wall time are not read at the same moment.
std::string share_text(double value);

/// Formats a time with three significant digits and a suitable unit: "12.3 µs".
std::string human_time(double value_ns);

/// Returns the comparison with the baseline as text: "ratio to asio-epoll 1.27 [1.25, 1.29]: faster". Names
/// the metric unless it is the time. Returns "" if the result was not compared.
std::string comparison_text(const result& of);

/// The codes of two warnings: the report covers a single shard; the merged record lacks shards.
inline constexpr std::string_view shard_code = "shard", missing_shards_code = "missing_shards";
/// Returns true if the report covers only a single shard.
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
/// because names can contain any characters and must not control a terminal. The characters in `kept` are not
/// replaced.
std::string printable(std::string_view text, std::string_view kept = {});

/// Returns the printable form of `text`, with each character in `as` replaced by its escape sequence.
std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> as,
                    std::string_view kept = {});

}  // namespace loopbench::reports
