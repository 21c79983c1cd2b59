// The counting pass: how many system calls, waits, allocations and context switches an operation costs.
//
// Each count is a slope: the contender does N operations in one process and 2N in another, and the difference
// is divided by the difference in operations, so that what start-up and set-up cost cancels out. Nothing is
// timed here, because the tracers slow the contender down.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/counting/system_calls.hpp"
#include "bench/trial/contender_list.hpp"

namespace loopbench::bench {

struct operation_counts {
    // By the names of reports/metrics.cpp, per operation. What could not be counted is not in it, and
    // `missing` says why.
    std::map<std::string, double> metrics;
    std::map<std::string, double> system_calls_by_name;  // per operation; without those of start-up
    std::string tracer;                                  // who counted the system calls
    std::uint64_t operations = 0;                        // between the two runs: what was divided by
    std::vector<std::string> missing;
    bool failed = false;  // the contender did not do the work, without any tracer; `missing` says how
};

struct counting_options {
    std::filesystem::path malloc_counter;                      // the shared object to preload
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};  // of each process
    /// Of one under a tracer, which stops at each call until the tracer has run: beside other work that takes
    /// hundreds of times as long as the call.
    std::chrono::nanoseconds traced_limit{std::chrono::seconds{60}};
    int stop_fd = -1;  // as in child_process.hpp
};

/// The shared object that counts allocations: beside this executable, or in ../libexec/loopbench.
std::filesystem::path default_malloc_counter();

/// Runs the workload in up to seven processes, one after the other, at smoke size. Main thread only, as
/// run_child().
///
/// System calls are counted by `perf trace` (the tracepoint raw_syscalls) where the kernel permits that,
/// otherwise by strace; the waits' arguments by strace in any case. Context switches are the voluntary ones.
/// A contender that does not know LOOPBENCH_OPERATIONS, or does not do twice the work when told, has no
/// counts; nor has a workload that does as much as it can in a time (serve/open_loop, timer/under_load).
operation_counts count(const contender& who, const std::string& workload, const counting_options& options);

}  // namespace loopbench::bench
