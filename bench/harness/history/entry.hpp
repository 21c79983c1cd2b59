// An entry of a history contains a whole report, the points of the report's series, and facts that the report
// does not contain (commit, machine).
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "reports/base/json_fields.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct provenance {
    std::string commit;
    std::optional<bool> dirty;  // true if the sources had uncommitted changes
    std::string machine;        // a name that distinguishes machines with equal hardware; can be empty
    std::string date = {};      // UTC; empty unless the user states the date of a file without a time zone
};

enum class report_source { loopbench, google_benchmark };

constexpr auto names_of(report_source) {
    return std::to_array<std::string_view>({"loopbench", "google-benchmark"});
}

struct subject {
    std::string workload, metric, unit;
    reports::direction better = reports::direction::smaller;
    bool deterministic = false;
    reports::pairing made = reports::pairing::sequential;
    auto operator<=>(const subject&) const = default;
};

constexpr auto fields_of(const subject*) {
    using reports::field;
    return std::tuple(field{"workload", &subject::workload}, field{"metric", &subject::metric},
                      field{"unit", &subject::unit}, field{"direction", &subject::better},
                      field{"deterministic", &subject::deterministic}, field{"pairing", &subject::made});
}

struct entry {
    provenance from;
    provenance said;  // stated by the user; only these fields can change an existing entry
    report_source source = report_source::loopbench;
    reports::report head;
    std::string date;  // UTC, ISO 8601
    std::string report;
    /// The numbers of a run as JSON. `points` contains the primary metrics and the counts; `other_points`
    /// contains the other metrics. Each text takes about a twentieth of the report's bytes. The format of
    /// both is:
    ///     {"contenders": [name...], "subjects": [{"of": {"workload", "metric", "unit", "direction",
    ///      "deterministic", "pairing"}, "ratios": {"of": [contender...], "medians": [number...], "lows":
    ///      [number or null...], "highs": [the same...]}, "values": {the same}}...]}
    /// Here, each contender is an index into the list of names. If the baseline was measured, the numbers of
    /// the other contenders are ratios to the baseline. The numbers of the baseline itself, of counts, and of
    /// metrics without a ratio are values.
    std::string points, other_points;
    std::string content;  // an identity that does not depend on computed results
};

/// Returns the entry for a report. Throws reports::format_error if the report's date is invalid, or if a
/// result occurs twice.
entry entry_of(reports::report report, provenance from, report_source source = report_source::loopbench);

struct date_rule {
    std::optional<std::string> date = {};
    bool assume_utc = false;
};

/// Returns true if the text contains "benchmarks" but not the schema of a report. Searches for the schema's
/// name in quotation marks, because a program's path can contain this name without quotation marks
/// (/opt/loopbench/1.0).
bool is_google_benchmark_output(std::string_view text);

/// Reads the output of a Google Benchmark program as a report: the program is the contender, and its
/// repetitions are the samples. The date is empty if the program printed no valid date. Throws
/// reports::format_error, with `name` in its message, if the text is invalid or has no benchmark.
reports::report read_gbench_report(std::string_view text, std::string_view name);

/// Reads a report, a journal or the output of a Google Benchmark program. From such output, the program
/// becomes the contender, and its repetitions become the samples. If `from` has no commit, uses "commit" of
/// the program's context. `dated` applies only to Google Benchmark programs. Throws reports::format_error,
/// with `name` in its message, if the text is invalid.
entry read_entry(std::string text, std::string_view name, provenance from, const date_rule& dated = {});

/// Converts a date to UTC: returns "2026-11-22T17:07:18Z" for "2026-11-22T18:07:18+01:00". Texts of UTC dates
/// sort by time. Returns a date without a time unchanged, and nothing if the text is not a date.
std::optional<std::string> in_utc(const std::string& date);

}  // namespace loopbench::bench
