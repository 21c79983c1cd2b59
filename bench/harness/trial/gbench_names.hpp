// Converts the names of benchmarks to the names of workloads and back. Google Benchmark appends the
// conditions of a run to a benchmark's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Returns the workload's full name: the printed name without Google Benchmark's suffixes ("/real_time",
/// "/iterations:N", "/repeats:N", "/min_time:X", "/min_warmup_time:X", "/manual_time", "/process_time",
/// "/threads:N").
std::string workload_name(std::string_view printed);

/// Returns the workloads in the output of --benchmark_list_tests=true, which has one name per line.
/// Benchmarks that differ only in a suffix ("/threads:1", "/threads:2") keep their printed names, because
/// their names without suffixes are equal.
std::vector<std::string> workloads_from_listing(std::string_view listing);

/// Returns an anchored POSIX extended regular expression for --benchmark_filter that matches exactly this
/// workload, with any suffixes.
std::string exact_filter(std::string_view workload);

}  // namespace loopbench::bench
