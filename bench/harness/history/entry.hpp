// One report as a history keeps it: the whole report, so that it can be written and judged again; the points
// of its series; and what was measured (commit, machine), which a report does not say.
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

/// Origin of the numbers, as given by the user.
struct provenance {
    std::string commit;         // empty: unknown
    std::optional<bool> dirty;  // the sources differed from the commit
    std::string machine;        // a name for one of several machines that look the same; may be empty
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
    provenance said;  // given by the user, not by the file: the part that changes an existing entry
    report_source source = report_source::loopbench;
    reports::report head;  // without its results
    std::string date;      // UTC, ISO 8601
    std::string report;    // the whole report as JSON, in one line
    /// The numbers that a run found. `points` has the primary metrics and the counts, `other_points` has the
    /// other metrics. Each takes about a twentieth of the report's bytes:
    ///     {"contenders": [name...], "subjects": [{"of": {"workload", "metric", "unit", "direction",
    ///      "deterministic", "pairing"}, "ratios": {"of": [contender...], "medians": [number...], "lows":
    ///      [number or null...], "highs": [the same...]}, "values": {the same}}...]}
    /// `contender` is an index into the list of names. There are ratios to the baseline if it was measured,
    /// and values for the baseline itself, for counts, and for everything without a ratio.
    std::string points, other_points;
    std::string content;  // identifies the entry, computed only from its trials
};

/// Throws reports::format_error if the report's date is invalid.
entry entry_of(reports::report report, provenance from, report_source source = report_source::loopbench);

/// Reads the entry from a report, a journal or the output of Google Benchmark in `text`. For Google
/// Benchmark, the program is the contender, the repetitions are the samples, and a counter is kept if it is
/// known which direction is better; if `from` has no commit, it is taken from "commit" in the program's
/// context. Throws reports::format_error that contains `name`.
entry read_entry(std::string text, std::string_view name, provenance from);

/// Returns "2026-11-22" unchanged, and "2026-11-22T18:07:18+01:00" as "2026-11-22T17:07:18Z", so that text
/// order is time order. Returns nothing for any other text.
std::optional<std::string> in_utc(const std::string& date);

}  // namespace loopbench::bench
