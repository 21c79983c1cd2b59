#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Returns the name without the suffixes "/real_time", "/iterations:N", "/repeats:N", "/min_time:X",
/// "/min_warmup_time:X", "/manual_time", "/process_time" and "/threads:N". The last suffix stays if it is a
/// part of the name of one of loopbench's own workloads.
std::string workload_name(std::string_view printed);

/// Returns true if the printed name is that of a workload of the catalog, of loopbench-client ("served/...")
/// or of loopbench-command.
bool is_own_workload(std::string_view printed);

/// Returns a different name for each benchmark. Numbers repeated names: two benchmarks with the name "push"
/// get "push/#1/2" and "push/#2/2", with further marks ("push/##1/2") if such a name is in the list. The
/// count is part of the name, so that the benchmarks of two builds with different counts, which cannot be
/// matched, have different names.
std::vector<std::string> distinct_names(const std::vector<std::string>& names);

struct listed_benchmark {
    std::string workload;    // unique among the benchmarks of the program
    std::string printed;     // with all suffixes
    std::size_t number = 0;  // index among the benchmarks with this printed name
    std::size_t alike = 1;
    bool has_variants = false;  // true if another benchmark differs only in its suffixes
    bool operator==(const listed_benchmark&) const = default;
};

/// Returns the benchmarks with these printed names. A workload's name keeps suffixes such as "/threads:2",
/// because benchmarks with different suffixes do different work. Only the names of loopbench's own workloads
/// lose their suffixes (is_own_workload). Repeated names are numbered (distinct_names).
std::vector<listed_benchmark> benchmarks_named(const std::vector<std::string>& printed);

int threads_of(std::string_view printed);

/// Returns a regular expression for --benchmark_filter that matches only this printed name. It is an anchored
/// POSIX extended regular expression.
std::string exact_filter(std::string_view printed);

/// Returns a regular expression for --benchmark_filter that shortens the listing of a program with thousands
/// of benchmarks. It matches at least the benchmarks that one of the --workload patterns selects, and all
/// their variants. Returns "" if the expression would match every benchmark.
std::string listing_filter(std::span<const std::string> patterns);

/// Returns a regular expression for --benchmark_filter that matches this workload with any suffixes. It is an
/// anchored POSIX extended regular expression, for programs whose listing is unknown.
std::string filter_with_any_suffix(std::string_view workload);

}  // namespace loopbench::bench
