// Names between the suite and Google Benchmark, which appends how a benchmark is run to what it is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// The workload's full name: the printed name without Google Benchmark's suffixes ("/real_time",
/// "/iterations:N", "/repeats:N", "/min_time:X", "/min_warmup_time:X", "/manual_time", "/process_time",
/// "/threads:N").
std::string workload_name(std::string_view printed);

/// The workloads in the answer to --benchmark_list_tests=true, a name a line. Benchmarks that differ in a
/// suffix alone ("/threads:1", "/threads:2") keep their printed names, as they would be one workload
/// otherwise.
std::vector<std::string> workloads_from_listing(std::string_view listing);

/// An anchored POSIX extended regular expression for --benchmark_filter that matches exactly this workload,
/// with whatever suffixes.
std::string exact_filter(std::string_view workload);

}  // namespace loopbench::bench
