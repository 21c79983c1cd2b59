// Converts the names of benchmarks to the names of workloads and back. Google Benchmark appends the
// conditions of a run to a benchmark's name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Returns the workload's full name: the printed name without Google Benchmark's suffixes ("/real_time",
/// "/iterations:N", "/repeats:N", "/min_time:X", "/min_warmup_time:X", "/manual_time", "/process_time",
/// "/threads:N").
std::string workload_name(std::string_view printed);

/// A benchmark that a program has registered.
struct listed_benchmark {
    std::string workload;       // the name in plans and reports; unique among the benchmarks of the program
    std::string printed;        // the name that the program prints, with all suffixes
    std::size_t number = 0;     // index among the benchmarks with this printed name
    std::size_t alike = 1;      // number of benchmarks with this printed name
    bool has_variants = false;  // true if another benchmark differs only in its suffixes
    bool operator==(const listed_benchmark&) const = default;
};

/// Returns the benchmarks in the output of --benchmark_list_tests=true, which has one name per line. The
/// workload of a benchmark is its printed name: benchmarks with other suffixes ("/threads:2",
/// "/iterations:50") do different work. Suffixes are left out only for loopbench's own workloads: those of
/// the catalog, and those of its clients ("served/..."). If several benchmarks have the same printed name,
/// "#1", "#2" and so on are appended.
std::vector<listed_benchmark> benchmarks_in_listing(std::string_view listing);

/// Returns the number of threads in a printed name: 2 for "push/threads:2/real_time", 1 without this suffix.
int threads_of(std::string_view printed);

/// Returns an anchored POSIX extended regular expression for --benchmark_filter that matches exactly this
/// printed name.
std::string exact_filter(std::string_view printed);

/// Returns a regular expression for --benchmark_filter that matches at least the benchmarks that one of the
/// --workload patterns selects, and all their variants. Returns "" if it would match every benchmark. A
/// listing with this filter is short even if the program has thousands of benchmarks.
std::string listing_filter(std::span<const std::string> patterns);

/// Returns an anchored POSIX extended regular expression for --benchmark_filter that matches this workload
/// with any suffixes. It is for programs whose listing is unknown.
std::string filter_with_any_suffix(std::string_view workload);

}  // namespace loopbench::bench
