// The tools that count what a process does.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/counting/counted_benchmark.hpp"
#include "reports/model/causes.hpp"

namespace loopbench::bench {

using count_key = std::pair<reports::count_kind, std::string>;  // the kind, and the name of a system call
using named_counts = std::map<count_key, double>;

struct counts_per_operation {
    named_counts counts;
    bool set_up_included = false;
};

class count_tool {
public:
    virtual ~count_tool() = default;
    [[nodiscard]] virtual std::vector<reports::count_kind> kinds() const = 0;
    /// Runs a process and returns its counts, and its work. Throws uncountable.
    virtual std::pair<named_counts, work_of_process> count(const counted_benchmark& of,
                                                           const amount_of_work& amount) const = 0;
};

/// Counts the operations of a benchmark with the tool, in two to four processes. Throws uncountable.
counts_per_operation count_operations(const counted_benchmark& of, const count_tool& with);

// The following functions return nothing if a program is not installed.

/// Counts allocations, their bytes, and voluntary context switches. `counter` is the shared object that
/// counts allocations; without it, only context switches are counted.
std::unique_ptr<count_tool> heap_tool(const std::string& counter);
std::unique_ptr<count_tool> perf_trace_tool();
std::unique_ptr<count_tool> strace_tool();
/// Counts instructions in user space with a hardware counter.
std::unique_ptr<count_tool> perf_stat_tool();
std::unique_ptr<count_tool> callgrind_tool();

}  // namespace loopbench::bench
