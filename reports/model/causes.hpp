// The causes of slowdowns that `compare` looks for after its trials: counts that changed, and functions that
// take longer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::reports {

enum class count_kind { system_call, allocations, allocated_bytes, context_switches, instructions };

constexpr auto names_of(count_kind) {
    return std::to_array<std::string_view>(
        {"system_call", "allocations", "allocated_bytes", "context_switches", "instructions"});
}

/// A count of both builds, per operation.
struct changed_count {
    count_kind kind = count_kind::system_call;
    std::string name;  // of the system call, for example "read"; empty for other kinds
    double before = 0, after = 0;
};

/// A function in the profiles of both builds. Its time is the time of its own code, without that of the
/// functions that it calls.
struct profiled_function {
    std::string name;
    double before_pct = 0, after_pct = 0;  // shares of the program's time
    double more_ns = 0;                    // additional time per operation; negative if it became faster
    std::optional<double> error_ns = {};   // the standard error of more_ns; absent if it is exact

    /// Returns true if the additional time cannot be an accident of the samples.
    [[nodiscard]] bool is_certainly_slower() const { return more_ns > 3 * error_ns.value_or(0); }
};

/// A stack of calls, and the time per operation that the last function of the stack takes.
struct profiled_stack {
    std::string stack;  // the functions, separated by semicolons; the outermost function first
    double before_ns = 0, after_ns = 0;
};

/// The names of profiles that are not functions: the time of the functions that are not listed, the time in
/// the kernel if the profiler cannot see it, and the time in which no CPU works for the program.
inline constexpr std::string_view other_functions = "[others]", in_kernel = "[kernel]",
                                  while_waiting = "[waiting]";

struct profile {
    std::string profiler;  // "perf" or "callgrind"
    /// The functions with the most time, beginning with the largest `more_ns`.
    std::vector<profiled_function> functions;
    std::vector<profiled_stack> stacks;
    bool set_up_included = false;  // true if the set-up of the benchmark could not be subtracted
};

/// The time per operation. The CPU time is that of all threads and descendants, but at most the wall time.
struct operation_time {
    double wall_ns = 0, user_ns = 0, system_ns = 0;

    [[nodiscard]] double cpu_ns() const { return user_ns + system_ns; }
    [[nodiscard]] double waiting_ns() const { return wall_ns - cpu_ns(); }
};

/// The changed counts and the profile of a slower benchmark.
struct slowdown_cause {
    std::string workload, contender;
    std::string per = "operation";  // the unit of the counts: "operation", or "run" of a command
    std::vector<changed_count> changed = {};
    std::vector<count_kind> compared = {};   // the kinds of counts that are known for both builds
    std::vector<std::string> unstable = {};  // counts that vary too much between two processes of one build
    bool set_up_included = false;            // true if the set-up of the benchmark could not be subtracted
    std::vector<std::string> missing = {};   // the reasons for which something is unknown
    std::optional<operation_time> time_before = {}, time_after = {};  // absent if the CPU time is unknown
    std::optional<profile> profiled = {};                             // absent without --profile
};

}  // namespace loopbench::reports
