#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Removes the suffixes "/real_time", "/iterations:N", "/repeats:N", "/min_time:X", "/min_warmup_time:X",
/// "/manual_time", "/process_time" and "/threads:N".
std::string workload_name(std::string_view printed);

struct listed_benchmark {
    std::string workload;    // unique among the benchmarks of the program
    std::string printed;     // with all suffixes
    std::size_t number = 0;  // index among the benchmarks with this printed name
    std::size_t alike = 1;
    bool has_variants = false;  // true if another benchmark differs only in its suffixes
    bool operator==(const listed_benchmark&) const = default;
};

/// Parses the output of --benchmark_list_tests=true. The workload keeps its suffixes ("/threads:2"), because
/// benchmarks with other suffixes do different work. Only loopbench's own workloads lose them: those of the
/// catalog and those of its clients ("served/..."). Repeated names get "#1", "#2" and so on.
std::vector<listed_benchmark> benchmarks_in_listing(std::string_view listing);

int threads_of(std::string_view printed);

/// Returns an anchored POSIX extended regular expression for --benchmark_filter.
std::string exact_filter(std::string_view printed);

/// Returns a regular expression for --benchmark_filter that matches at least the benchmarks that one of the
/// --workload patterns selects, and all their variants. Returns "" if it would match every benchmark. A
/// listing with this filter is short even if the program has thousands of benchmarks.
std::string listing_filter(std::span<const std::string> patterns);

/// Returns an anchored POSIX extended regular expression for --benchmark_filter that matches this workload
/// with any suffixes. It is for programs whose listing is unknown.
std::string filter_with_any_suffix(std::string_view workload);

}  // namespace loopbench::bench
