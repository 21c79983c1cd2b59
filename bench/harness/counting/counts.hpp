// Each count per operation is a slope: the difference between the counts of a process with 2N operations and
// one with N operations, divided by the difference in operations. Thus the cost of start-up and set-up
// cancels out. The counting pass measures no times, because the tracers slow the contender down.
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
    // The counts per operation. The keys are names of metrics (reports/model/metrics.cpp). If a count could
    // not be made, it is absent here, and `missing` contains the reason.
    std::map<std::string, double> metrics;
    /// The values of a metric in each count of a workload whose counts vary. Its value in `metrics` is their
    /// median.
    std::map<std::string, std::vector<double>> samples;
    std::map<std::string, double> system_calls_by_name;  // per operation; start-up is excluded
    std::string tracer;
    std::uint64_t operations = 0;  // the operations of the larger process minus those of the smaller
    std::vector<std::string> missing;
    bool failed = false;
};

struct counting_options {
    std::filesystem::path malloc_counter;
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};  // for each process without a tracer
    /// The time limit for each process with a tracer. It is separate, because a tracer stops the process at
    /// each system call; on a busy machine, such a stop takes hundreds of times as long as the system call
    /// itself.
    std::chrono::nanoseconds traced_limit{std::chrono::seconds{60}};
    int stop_fd = -1;  // if it becomes readable, the process is ended; see child_process.hpp
};

std::filesystem::path default_malloc_counter();

/// Counts the operations of one workload in up to seven processes, one after the other, with the small
/// workload size. If the counts vary (counts_vary()), counts until three counts have the same tracer, and
/// returns the medians. Must be called from the main thread, like run_child().
///
/// If the kernel permits it, `perf trace` (the tracepoint raw_syscalls) counts the system calls, otherwise
/// strace counts them. Waits need strace, because only strace shows the arguments of calls. If the counts
/// vary, waits are counted only together with the system calls, because two tracers change them differently.
/// Only voluntary context switches are counted. Counting is impossible if the contender does not do the
/// number of operations in LOOPBENCH_OPERATIONS, or if the workload runs for a fixed time (serve/open_loop,
/// timer/under_load).
operation_counts count(const contender& who, const std::string& workload, const counting_options& options);

}  // namespace loopbench::bench
