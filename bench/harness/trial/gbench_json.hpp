// Reads a contender's output: the JSON of Google Benchmark 1.7.1 and later, which is invalid if it contains
// NaN or Infinity.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

/// An error: the output is unusable. The report shows what() as the reason.
class gbench_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

struct gbench_row {
    std::string name;  // as printed, including Google Benchmark's suffixes
    std::optional<std::string> error;
    std::optional<double> real_time_ns, cpu_time_ns;
    // includes items_per_second; NaN and infinity have no value
    std::map<std::string, std::optional<double>> counters;
};

struct gbench_output {
    /// The context without the host name and the executable's path, which often contains a user's name:
    /// reports are published.
    nlohmann::ordered_json context;
    /// The rows of single runs. Aggregates are omitted, except the mean of a benchmark that prints only
    /// aggregates (ReportAggregatesOnly).
    std::vector<gbench_row> rows;
};

/// The maximum size of a context, which is part of a journal's first line and of every report. The contexts
/// of the suite's contenders have about a hundredth of this size.
inline constexpr std::size_t context_bytes_max = 65536;

/// Parses a contender's output. Throws gbench_error if it is unusable.
gbench_output parse_gbench_json(std::string_view text);

/// Returns `text` with the bare words NaN and Infinity (signed or not) outside strings replaced by null.
std::string without_bare_non_finite(std::string_view text);

}  // namespace loopbench::bench
