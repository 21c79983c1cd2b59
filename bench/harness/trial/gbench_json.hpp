// Reads a contender's output: the JSON of Google Benchmark 1.7.1 and later, which is not always valid JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

/// An error for unusable output; what() is the reason that a report gives.
class gbench_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

struct gbench_row {
    std::string name;  // as printed, with suffixes
    std::optional<std::string> error;
    std::optional<double> real_time_ns, cpu_time_ns;
    std::map<std::string, std::optional<double>> counters;  // items_per_second among them; NaN has no value
};

struct gbench_output {
    /// Without host and path (which often contain a user's name), because reports are shared.
    nlohmann::ordered_json context;
    /// Rows of single runs. Aggregates are left out, except the mean of a benchmark that prints nothing else
    /// (ReportAggregatesOnly).
    std::vector<gbench_row> rows;
};

/// The limit for a context, which goes into a journal's first line and every report. Ours have a hundredth of
/// it.
inline constexpr std::size_t context_bytes_max = 65536;

/// Parses a contender's output; throws gbench_error.
gbench_output parse_gbench_json(std::string_view text);

/// Returns `text` with the bare words NaN and Infinity (signed or not) outside strings replaced by null.
std::string without_bare_non_finite(std::string_view text);

}  // namespace loopbench::bench
