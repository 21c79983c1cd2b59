// An entry of a history contains a whole report, the points of the report's series, and facts that the report
// does not contain (commit, machine).
#pragma once

#include <array>
#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/harness/history/dates.hpp"
#include "reports/base/json_fields.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct provenance {
    std::string commit;
    std::optional<bool> dirty;  // true if the sources had uncommitted changes
    std::string machine;        // a name that distinguishes machines with equal hardware; can be empty
    std::string date = {};      // UTC; empty unless the user states the date of a file without a time zone
};

struct tool_format;

enum class report_source {
    loopbench,
    google_benchmark,
    hyperfine,
    criterion,
    pytest_benchmark,
    github_action_benchmark
};

constexpr auto names_of(report_source) {
    return std::to_array<std::string_view>({"loopbench", "google-benchmark", "hyperfine", "criterion",
                                            "pytest-benchmark", "github-action-benchmark"});
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

/// Returns a checksum of date, seed, machine and samples, which identifies the run. Excludes computed
/// results, because another version of loopbench can compute different results from the same trials.
std::string content_of(const reports::report& report);

/// Returns the entry for a report. Throws reports::format_error if the report's date is invalid, or if a
/// result occurs twice.
entry entry_of(reports::report report, provenance from, report_source source = report_source::loopbench);

/// Reads a report, a journal, or a file of another tool (readers/readers.hpp), which can contain several
/// runs. If `from` has no commit, uses the commit in the file. `dated` applies only to files without a
/// complete date. Throws reports::format_error, with `name` in its message, if the text is invalid, or if
/// `from` or `dated` contradicts it.
std::vector<entry> read_entries(std::string text, std::string_view name, const provenance& from,
                                const date_rule& dated = {});

/// Like read_entries(), for the folder of a tool that writes several files, such as target/criterion.
std::vector<entry> read_folder(const std::filesystem::path& folder, const provenance& from,
                               const date_rule& dated = {});

/// Reads the output of a Google Benchmark program, whose format is `format`, as a report, in which only the
/// time of a benchmark is judged. The date is empty if the program printed no valid date; a date without a
/// time zone is taken as UTC. Throws reports::format_error, with `name` in its message, if the text is
/// invalid or has no benchmark.
reports::report report_of_google_benchmark(std::string_view text, std::string_view name,
                                           const tool_format& format);

/// Returns the first entry of read_entries(). Use it for files with one run, such as reports.
entry read_entry(std::string text, std::string_view name, const provenance& from,
                 const date_rule& dated = {});

}  // namespace loopbench::bench
