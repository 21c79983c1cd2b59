// What is kept of one report: all that is in it, so that it can be written and judged again, in parts that a
// database can look for; and what it was measured of, which a report does not say.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::bench {

/// What was measured, as its user knows it.
struct provenance {
    std::string commit;         // empty: not known
    std::optional<bool> dirty;  // whether the sources differed from the commit
    std::string machine;        // a name for one of several machines that look the same; may be empty
};

enum class report_source { loopbench, google_benchmark };
inline constexpr std::array<std::string_view, 2> report_source_names{"loopbench", "google-benchmark"};
constexpr const auto& names_of(report_source) {
    return report_source_names;
}

/// One metric of one workload.
struct subject {
    std::string workload, metric, unit;
    reports::direction better = reports::direction::smaller;
    bool deterministic = false;
    reports::way made = reports::way::apart;
    auto operator<=>(const subject&) const = default;
};

/// What a run found for one contender: the ratio to the baseline or, without one, the value.
struct kept_point {
    std::string contender;
    bool is_ratio = false;
    double value = 0;
    std::optional<double> low, high;
};

/// A measure in one run, of all contenders: a block holds them all, too.
struct kept_results {
    subject of;
    bool headline = false;           // the workload is about it
    std::vector<kept_point> points;  // where there is a number
    std::string values;              // a JSON list for each result: its place in the report, then its fields
};

struct entry {
    provenance from;
    report_source source = report_source::loopbench;
    reports::report head;   // without its results
    std::string head_text;  // the same as JSON, with the names of a result's fields in their place
    std::vector<kept_results> results;
    std::string content;  // what tells it from any other, made of its trials alone
};

entry entry_of(reports::report report, provenance from, report_source source = report_source::loopbench);

/// Of the report, the journal or the Google Benchmark output in `text`. Of the latter, the program is the
/// contender, repetitions are samples, and counters are kept as far as it is known which way they are better;
/// without a commit in `from`, it is the one that the program's context has under "commit". Throws
/// reports::format_error naming `name`.
entry read_entry(std::string_view text, std::string_view name, provenance from);

/// The report of an entry, to the byte. Throws reports::format_error when it is damaged.
struct kept_text {
    subject of;
    std::string values;
};
reports::report restored(std::string_view head_text, const std::vector<kept_text>& results);

/// 122 bits of the text's SHA-1, as RFC 4122 writes them (version 5).
std::string digest(std::string_view text);

}  // namespace loopbench::bench
