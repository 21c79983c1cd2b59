// Reads what a contender prints: Google Benchmark's JSON, version 1.7.1 and later, which is not always JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/formatted_error.hpp"

namespace loopbench::bench {

/// The output cannot be used; what() is the reason that a report gives.
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
    /// Without host and path (a user's name, often): reports are made to be shared.
    nlohmann::ordered_json context;
    /// Of single runs. Aggregates are left out, but for the mean of a benchmark that shows nothing else
    /// (ReportAggregatesOnly).
    std::vector<gbench_row> rows;
};

/// Of a context, which stands in a journal's first line and in every report. Ours have a hundredth of it.
inline constexpr std::size_t context_bytes_max = 65536;

/// Throws gbench_error.
gbench_output parse_gbench_json(std::string_view text);

/// `text` with the bare words NaN and Infinity (signed or not) outside of strings as null, which JSON has.
std::string without_bare_non_finite(std::string_view text);

}  // namespace loopbench::bench
