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

/// A table's line: the metrics of one workload and contender. The line points into the report, which must
/// outlive it.
struct line {
    const report* whole = nullptr;
    std::string_view workload;
    std::string_view contender;
    std::vector<const result*> metrics;
    std::vector<std::string> headline;
    const result* main_of_baseline = nullptr;     // the baseline's result for the metric of main()
    std::optional<double> wakeups_of_floor = {};  // the lowest wake-up rate of a floor on this workload

    [[nodiscard]] const result* find(std::string_view metric) const;
    /// Returns the result of the first primary metric that has a number, or else the result for the time, or
    /// null if the time has no number either.
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
    bool always = false;
    bool right_aligned = true;
    std::string_view metric = {};
    std::string (*format)(double) = nullptr;

    [[nodiscard]] bool has_text(const line& from) const;
    [[nodiscard]] std::string cell(const line& from) const;
};

/// The number of columns that name the workload and the contender. In a line without numbers, the note comes
/// after these columns.
inline constexpr std::size_t naming_columns = 2;

std::vector<family> families_of(const report& content);

std::vector<column> columns_for(std::span<const line> lines);

/// Returns true if the ratio and the medians disagree about whether the contender or the baseline is faster.
/// The tables mark such a ratio with `contradiction_mark`.
bool contradicts(const line& from);
bool contradicts(const result& of, const result* of_baseline);
inline constexpr std::string_view contradiction_mark = "†";

std::string contradiction_note(std::span<const line> lines);

/// Returns true if the ratios of the report must not be read as differences: the session is unreliable or
/// incomplete.
bool is_untrusted(const report& content);

/// Returns the number of wake-ups per second as text. If the floor wakes up as often as the contender, the
/// workload's own timer causes the wake-ups, and the text is for example "20 (its own timer)".
std::string wakeups_text(const line& from);

/// Returns " (max of 30)" if the value is the maximum of too few samples for a percentile; otherwise "".
std::string max_of_text(const result& of);

/// Formats a number; leaves out the sign if the number rounds to zero.
std::string fixed_point(double value, int decimals);

/// Formats a number as "0.97", "12.3" or "4321".
std::string three_digits(double value);

/// Formats a number that is not negative as "4,321", without decimal places.
std::string with_commas(double value);

/// Formats a difference as "5.7 %" or "12 %", and 100 % or more as "a factor of 3.2".
std::string pct_or_factor(double pct);

/// Formats a share as "0.12 %", "5.3 %" or "101 %".
std::string percent_text(double share);

/// Formats a share of a core as percent_text() does. Formats shares between 100 % and 102 % as "100 %",
/// because the clocks of CPU time and wall time are not read at the same moment.
std::string share_text(double value);

/// Formats a time, for example as "12.3 µs".
std::string human_time(double value_ns);

/// Formats a number of operations per second, for example as "12.3 M/s".
std::string human_rate(double per_second);

/// Returns for example "ratio to asio-epoll 1.27 [1.25, 1.29]: faster", or "" if the result was not compared.
/// The text begins with the metric's name, except for time.
std::string comparison_text(const result& of);

inline constexpr std::string_view shard_code = "shard", missing_shards_code = "missing_shards";
bool is_of_shard(const report& content);

std::string why_incomplete(const report& content);

std::optional<std::string> why_unreliable(const report& content);

std::string self_check_text(const std::optional<self_check>& aa);

/// Returns true if a result has a ratio or a difference to the baseline. The legend of a report without any
/// omits the explanation of ratios.
bool is_compared(const report& content);

std::string legend_for(const report& content);

/// Replaces control characters, characters that change the direction of text, and invalid UTF-8 with '?',
/// because a name must not control a terminal. Keeps the characters in `kept`.
std::string printable(std::string_view text, std::string_view kept = {});

/// Returns the printable form of `text`, with each character in `as` replaced by its escape sequence.
std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> as,
                    std::string_view kept = {});

}  // namespace loopbench::reports
