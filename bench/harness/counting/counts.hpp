// The counting pass: the number of system calls, waits, allocations and context switches per operation.
//
// Each count is a slope: the contender does N operations in one process and 2N in another, and the difference
// is divided by the difference in operations, so that the cost of start-up and set-up cancels out. Nothing is
// timed here, because the tracers slow the contender down.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/counting/system_calls.hpp"
#include "bench/harness/trial/contender_list.hpp"

namespace loopbench::bench {

struct operation_counts {
    // Per operation, by the names in reports/model/metrics.cpp. Metrics that could not be counted are absent,
    // with the reason in `missing`.
    std::map<std::string, double> metrics;
    std::map<std::string, double> system_calls_by_name;  // per operation; without those of start-up
    std::string tracer;                                  // the program that counted the system calls
    std::uint64_t operations = 0;                        // difference between the two runs: the divisor
    std::vector<std::string> missing;
    bool failed = false;  // the contender did not work even without a tracer; see `missing`
};

struct counting_options {
    std::filesystem::path malloc_counter;                      // the shared object to preload
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};  // of each process
    /// The limit under a tracer, which stops the process at each call until the tracer has run: beside other
    /// work, this takes hundreds of times as long as the call.
    std::chrono::nanoseconds traced_limit{std::chrono::seconds{60}};
    int stop_fd = -1;  // as in child_process.hpp
};

/// Returns the shared object that counts allocations: beside this executable, or in ../libexec/loopbench.
std::filesystem::path default_malloc_counter();

/// Runs the workload in up to seven processes, one after the other, at small size. Main thread only, like
/// run_child().
///
/// `perf trace` (the tracepoint raw_syscalls) counts system calls if the kernel permits it, otherwise strace;
/// strace always reads the arguments of waits. Context switches are the voluntary ones. There are no counts
/// for a contender that does not know LOOPBENCH_OPERATIONS or does not do twice the work when asked to, nor
/// for a workload that does as much as possible in a fixed time (serve/open_loop, timer/under_load).
operation_counts count(const contender& who, const std::string& workload, const counting_options& options);

}  // namespace loopbench::bench
