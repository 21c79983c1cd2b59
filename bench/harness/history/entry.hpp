// One report in a history. It consists of the whole report, which can be written and judged again, of the
// points of its series, and of facts that the report does not contain (commit, machine).
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

/// The origin of the numbers, as the user gave it.
struct provenance {
    std::string commit;         // empty if unknown
    std::optional<bool> dirty;  // true if the sources differed from the commit
    std::string machine;        // distinguishes machines that look the same; can be empty
};

enum class report_source { loopbench, google_benchmark };

constexpr auto names_of(report_source) {
    return std::to_array<std::string_view>({"loopbench", "google-benchmark"});
}

/// One metric of one workload, measured with one pairing.
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
    provenance said;  // given by the user, not by the file; only these fields can change an existing entry
    report_source source = report_source::loopbench;
    reports::report head;  // the report without its results
    std::string date;      // UTC, ISO 8601
    std::string report;    // the whole report as JSON, in one line
    /// The numbers of a run as JSON. `points` contains the primary metrics and the counts, `other_points`
    /// contains the other metrics. Each text takes about a twentieth of the report's bytes:
    ///     {"contenders": [name...], "subjects": [{"of": {"workload", "metric", "unit", "direction",
    ///      "deterministic", "pairing"}, "ratios": {"of": [contender...], "medians": [number...], "lows":
    ///      [number or null...], "highs": [the same...]}, "values": {the same}}...]}
    /// `contender` is an index into the list of names. A contender has ratios to the baseline if the baseline
    /// was measured. The baseline itself, counts, and metrics without a ratio have values.
    std::string points, other_points;
    std::string content;  // identifies the entry; computed from its trials only
};

/// Throws reports::format_error if the report's date is invalid.
entry entry_of(reports::report report, provenance from, report_source source = report_source::loopbench);

/// Reads an entry from `text`: a report, a journal or the output of Google Benchmark. From Google Benchmark's
/// output, the program becomes the contender, and its repetitions become the samples. Counters whose better
/// direction is unknown are left out. If `from` has no commit, "commit" in the program's context replaces it.
/// Throws reports::format_error with `name` in its message.
entry read_entry(std::string text, std::string_view name, provenance from);

/// Converts a date to UTC, so that the order of texts is the order in time: returns "2026-11-22T17:07:18Z"
/// for "2026-11-22T18:07:18+01:00", and "2026-11-22" unchanged. Returns nothing if the text is not a date.
std::optional<std::string> in_utc(const std::string& date);

}  // namespace loopbench::bench
