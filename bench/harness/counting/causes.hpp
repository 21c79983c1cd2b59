#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/counting/count_tools.hpp"
#include "bench/harness/trial/contender_list.hpp"
#include "reports/model/causes.hpp"

namespace loopbench::bench {

/// The two builds of a benchmark. The constructor runs each of them for a short time, and throws uncountable
/// if the operations of one of them cannot be counted.
struct two_builds {
    two_builds(const contender& base, const contender& next, const std::string& workload,
               const time_for_pass& time)
        : before{base, workload, time}, after{next, workload, time} {}

    counted_benchmark before, after;
};

/// The times per operation of the two builds, as measured by the trials. 0 if they are unknown.
struct measured_times {
    double before_ns = 0, after_ns = 0;
    bool is_cpu_time = false;  // of concurrent trials
};

struct both_counts {
    counts_per_operation before, after;
};

/// Counts both builds with the same amounts of work, which the slower build determines. Otherwise, the costs
/// of start-up and set-up could have different shares in the counts. Throws uncountable, for example if the
/// set-up can be separated from the operations of only one build.
both_counts count_both(const two_builds& builds, const count_tool& with);

/// The tools that count one kind of event: the first one that works is used.
struct tool_choice {
    std::string what;  // for messages, for example "system calls"
    std::vector<std::unique_ptr<count_tool>> tools;
    std::string remedy = {};        // if no tool works, for example "install strace"
    bool is_important = true;       // if false, there is no message if nothing was counted
    std::string why_unusable = {};  // the reason for which a tool was removed
};

/// Returns the choices for this machine. `counter` is the shared object that counts allocations. With
/// `instructions`, callgrind counts instructions if no hardware counter does.
std::vector<tool_choice> tools_of_this_machine(const std::string& counter, bool instructions);

/// Counts both builds with each choice, and adds the counts that changed, and the CPU times, to `found`. A
/// count changed if it differs by more than the slack (some events per process and 0.5 %; more for bytes,
/// instructions and context switches), and differs again in a second count. Removes tools that do not work on
/// this machine from `choices`.
///
/// Throws out_of_time; `found` then contains the counts that were finished.
void compare_counts(reports::slowdown_cause& found, const two_builds& builds,
                    std::vector<tool_choice>& choices, const measured_times& times = {});

}  // namespace loopbench::bench
