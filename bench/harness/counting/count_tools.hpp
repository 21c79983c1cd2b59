// The tools that count what a process does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/counting/counted_benchmark.hpp"
#include "reports/model/causes.hpp"

namespace loopbench::bench {

using count_key = std::pair<reports::count_kind, std::string>;  // the kind, and the name of a system call
using named_counts = std::map<count_key, double>;

struct process_counts {
    named_counts counts;
    work_of_process work;
    std::optional<reports::operation_time> time = {};  // of all operations; absent if the tool is slow
};

struct counts_per_operation {
    named_counts counts = {};
    named_counts variances = {};   // if the events are independent of each other
    double per_event = 0;          // the change of a count if a process has one more event
    bool set_up_included = false;  // true if the set-up could not be separated from the operations
    /// The time of an operation in the counted processes. The CPU time is that of all threads and
    /// descendants, and can be longer than the wall time.
    std::optional<reports::operation_time> time = {};
};

class count_tool {
public:
    virtual ~count_tool() = default;
    /// Returns the work that the tool needs.
    [[nodiscard]] virtual wanted_work work() const { return {}; }
    /// Runs a process and returns its counts, and its work. Throws unusable_tool if the tool does not work on
    /// this machine, and uncountable if it does not work with this benchmark.
    virtual process_counts count(const counted_benchmark& of, const amount_of_work& amount) const = 0;
};

/// Counts the operations of a benchmark with the tool, in a process for each amount. Returns nothing if all
/// processes did the same work. Throws uncountable.
std::optional<counts_per_operation> count_operations(const counted_benchmark& of, const count_tool& with,
                                                     const std::vector<amount_of_work>& amounts);

/// Parses the output of `perf stat -x, -e instructions:u`. A processor with two kinds of cores has a line for
/// each kind. Throws uncountable if no line has a number.
double instructions_in_perf_stat(std::string_view record);

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
