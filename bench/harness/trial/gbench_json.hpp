#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/base/formatted_error.hpp"
#include "reports/model/json.hpp"
#include "reports/model/words.hpp"

namespace loopbench::bench {

class gbench_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

struct gbench_row {
    std::string name;  // includes Google Benchmark's suffixes
    std::optional<std::string> error;
    std::string label;
    bool has_run_type = false;  // printed by Google Benchmark 1.5 and later
    std::optional<double> real_time_ns, cpu_time_ns;
    /// The indices of the benchmark and of its set of arguments. Google Benchmark 1.5.4 and later print both
    /// indices.
    std::optional<double> family, instance;
    // The counters include items_per_second. NaN and infinity become "no value".
    std::map<std::string, std::optional<double>> counters;
};

struct gbench_output {
    /// The program's context without the host name and the executable's path. Reports are published, and such
    /// a path often contains a user's name. "ignored_counters" lists the counters that have the name of a
    /// standard field, such as "real_time"; the parser uses the standard field.
    nlohmann::ordered_json context;
    std::string program;  // the file name in the context's "executable"; empty if it has none
    /// The rows of single runs. Rows of aggregates are omitted, except the mean of a benchmark that prints
    /// only aggregates (ReportAggregatesOnly). A benchmark that prints only other aggregates has a row with
    /// an error.
    std::vector<gbench_row> rows;
};

/// The maximum size of a context. Every journal and report contains the contexts of its contenders. A context
/// of one of the suite's contenders has about a hundredth of this size.
inline constexpr std::size_t context_bytes_max = 65536;

/// Returns the status and the reason of a benchmark that reported this error. A message that begins with
/// "unsupported:" means that the benchmark cannot run on this machine. The reason points into `message`.
std::pair<reports::result_status, std::string_view> outcome_of_error(std::string_view message);

/// Returns "s" if the Google Benchmark that wrote this context (1.8.3 or later) wants a unit after
/// --benchmark_min_time; otherwise an empty text, because all earlier versions accept a number without a
/// unit.
std::string unit_of_min_time(const nlohmann::ordered_json& context);

/// Parses the output of a Google Benchmark program. Throws gbench_error if the output is unusable.
gbench_output parse_gbench_json(std::string_view text);

/// Returns the text with the errors of Google Benchmark corrected: bare NaN and infinities, and, in old
/// versions, percent signs after numbers and backslashes that escape nothing.
std::string as_valid_json(std::string_view text);

/// Returns read(text), or, if this throws reports::format_error, read(as_valid_json(text)). Therefore valid
/// JSON is never changed. The result must not refer to the text.
template <class function>
auto read_corrected(std::string_view text, function read) {
    try {
        return read(text);
    } catch (const reports::format_error&) {
        return read(as_valid_json(text));
    }
}

}  // namespace loopbench::bench
