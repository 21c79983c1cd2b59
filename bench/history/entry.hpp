// What is kept of one report: all that is in it, so that it can be written and judged again, what series are
// made of, and what it was measured of, which a report does not say.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "reports/json/json_fields.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// What was measured, as its user knows it.
struct provenance {
    std::string commit;         // empty: not known
    std::optional<bool> dirty;  // whether the sources differed from the commit
    std::string machine;        // a name for one of several machines that look the same; may be empty
};

enum class report_source { loopbench, google_benchmark };

constexpr auto names_of(report_source) {
    return std::to_array<std::string_view>({"loopbench", "google-benchmark"});
}

/// One metric of one workload, measured in one way.
struct subject {
    std::string workload, metric, unit;
    reports::direction better = reports::direction::smaller;
    bool deterministic = false;
    reports::way made = reports::way::apart;
    auto operator<=>(const subject&) const = default;
};

constexpr auto fields_of(const subject*) {
    using reports::field;
    return std::tuple(field{"workload", &subject::workload}, field{"metric", &subject::metric},
                      field{"unit", &subject::unit}, field{"direction", &subject::better},
                      field{"deterministic", &subject::deterministic}, field{"way", &subject::made});
}

struct entry {
    provenance from;
    provenance said;  // by who adds it, and not by its file: what changes an entry that is there already
    report_source source = report_source::loopbench;
    reports::report head;  // without its results
    std::string date;      // UTC, ISO 8601
    std::string report;    // all of it as JSON, in one line
    /// What a run found, as far as it is a number: of the metrics that each workload is about and of counts,
    /// and of all others. A twentieth of the report's bytes each:
    ///     {"contenders": [name...], "subjects": [{"of": {"workload", "metric", "unit", "direction",
    ///      "deterministic", "way"}, "ratios": {"of": [contender...], "medians": [number...], "lows":
    ///      [number or null...], "highs": [the same...]}, "values": {the same}}...]}
    /// `contender` is a place in the list of names; there are ratios to the baseline where it was measured,
    /// and values of the baseline itself, of counts, and of what has no ratio.
    std::string points, other_points;
    std::string content;  // what tells it from any other, made of its trials alone
};

/// Throws reports::format_error when the report's date is none.
entry entry_of(reports::report report, provenance from, report_source source = report_source::loopbench);

/// Of the report, the journal or the Google Benchmark output in `text`. Of the latter, the program is the
/// contender, repetitions are samples, and counters are kept as far as it is known which way they are better;
/// without a commit in `from`, it is the one that the program's context has under "commit". Throws
/// reports::format_error naming `name`.
entry read_entry(std::string text, std::string_view name, provenance from);

/// "2026-11-22" as it is, and "2026-11-22T18:07:18+01:00" as "2026-11-22T17:07:18Z", in the order of
/// time; nothing for what is neither.
std::optional<std::string> in_utc(const std::string& date);

}  // namespace loopbench::bench
