// The catalog of all workloads does not depend on the runtime. Each header in bench/suite/workloads ends with
// the entries for one family of workloads. To add a family, add a header to that folder, and add its name to
// the list in bench/catalog/CMakeLists.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "bench/catalog/workload_size.hpp"
#include "reports/model/words.hpp"

namespace loopbench::bench {

/// A feature that a workload needs beyond the Runtime concept. A contender without the feature reports the
/// workload as unsupported.
enum class need : std::uint8_t {
    call_timers = 1,
    unix_sockets = 2,
    pipes = 4,
    many_turns = 8,
    timers_while_busy = 16,  // the loop must check timers even while a coroutine is always ready
    scheduler = 32,          // the workload makes no system call
    timer_queue = 64,
    other_threads = 128,
};

class needs {
public:
    constexpr needs() = default;
    constexpr needs(need one) noexcept
        : bits_(static_cast<std::uint8_t>(one)) {}  // NOLINT: an implicit conversion to a set of one feature
    constexpr bool has(need one) const noexcept { return (bits_ & static_cast<std::uint8_t>(one)) != 0; }
    friend constexpr needs operator|(needs a, needs b) noexcept {
        a.bits_ |= b.bits_;
        return a;
    }

private:
    std::uint8_t bits_ = 0;
};
constexpr needs operator|(need a, need b) noexcept {
    return needs(a) | needs(b);
}

/// The rule that determines when the next operation of a workload begins.
enum class pace : std::uint8_t {
    its_own,      // as soon as the contender is ready
    own_load,     // at a percentage of the contender's own capacity
    same_for_all  // on a schedule that is the same for every contender; the schedule alone determines `time`
};

struct workload_shape {
    std::string_view name;  // family/name[/word]...[/key:value]...

    // The number of operations in one trial, for each size. If both numbers are 0, the harness limits the
    // time of the trial instead.
    std::uint64_t small_operations = 0;
    std::uint64_t full_operations = 0;

    bool throughput = true;  // true if the time is proportional to the number of operations
    std::size_t open_files = 100;
    needs needed = {};
    bool headline = false;  // true if a run measures the workload by default
    reports::pairing made =
        reports::pairing::sequential;  // `interleaved` only if the work can stop within milliseconds
    int cores = 1;

    /// A flag that is false if the number of system calls is not proportional to the number of operations.
    /// For example, a workload that runs for a fixed time makes fewer calls under a tracer.
    bool countable = true;
    /// The largest number of operations in one trial. A closed connection keeps its port for a minute
    /// (TIME_WAIT). When more than half of the 28,000 ports are in use, the kernel's search for a free port
    /// takes longer than the measured work.
    std::uint64_t most_operations = std::numeric_limits<std::uint64_t>::max();
    pace paced = pace::its_own;
    /// The number of threads of a workload for several threads (bench/suite/threads_runtime.hpp), and the
    /// name of the workload without this number. 0 and empty in workloads for one thread.
    int threads = 0;
    std::string_view front = {};

    /// The number of recorded latencies that overlap in time, or 0 if this number is not fixed. The sum of
    /// all latencies is at most this number times the length of the timed section (Little's law).
    double in_flight = 0;
    std::uint64_t operations_per_latency = 1;
    /// The smallest possible ratio of the sum of all latencies to its upper bound, `in_flight` times the
    /// length of the timed section. The ratio is below 1 with many connections, because some connections have
    /// already finished their round trips while others are still busy.
    double least_in_flight = 0;

    constexpr workload_shape with_latencies(double at_once, std::uint64_t operations_each = 1,
                                            std::optional<double> least = {}) const {
        workload_shape shape = *this;
        shape.in_flight = at_once;
        shape.operations_per_latency = operations_each;
        shape.least_in_flight = least.value_or(at_once == 1 ? 0.7 : 0.35);
        return shape;
    }

    /// Returns the pairing of the workload's trials. Work without system calls is interleaved only between
    /// builds of one program, because interleaved processes take caches and branch predictors away from each
    /// other, which slows some programs down more than others. The ratios between different programs in
    /// interleaved trials would therefore differ by up to 47 % from those in sequential trials
    /// (docs/method.md).
    constexpr reports::pairing pairing_of_trials(bool of_one_program) const {
        return needed.has(need::scheduler) && !of_one_program ? reports::pairing::sequential : made;
    }

    bool calibrated() const noexcept { return full_operations == 0; }
    std::uint64_t operations(workload_size size) const noexcept {
        return size == workload_size::small ? small_operations : full_operations;
    }
};

struct workload_info {
    std::string_view name;  // full name, or its beginning up to the parameters ("echo/rtt/tcp")
    std::span<const std::string_view> primary_metrics;  // the most important one first
    std::string_view summary;                           // one line that defines one operation
    std::string_view timed;
    std::string_view dominated;  // where most of the time is spent, and what a difference means
};

std::span<const workload_shape> workload_table();
std::span<const workload_info> workload_catalog();

/// Returns the shape with this name, or null for an unknown name.
const workload_shape* find_shape(std::string_view full_name);

/// Returns true if the counts per operation vary from process to process, because several threads of the
/// workload wake each other and wait for each other. Such counts are reported, but never compared exactly.
bool counts_vary(std::string_view full_name);

/// Returns the pace of the workload, or pace::its_own for an unknown name.
pace pace_of(std::string_view full_name);

/// The only metric that can compare contenders whose load is a percentage of their own capacity.
inline constexpr std::string_view capacity_metric = "capacity";

/// Returns the reason why the metric can never compare two contenders on this workload. Returns an empty text
/// if the metric can compare them.
std::string_view why_incomparable(std::string_view full_name, std::string_view metric);

/// Returns the description of the workload with this name, or null for an unknown name.
const workload_info* find_workload(std::string_view full_name);

/// Returns true if a run measures this workload by default. Only some workloads are measured, because such a
/// run must fit into a minute. Third-party workloads, which the catalog does not contain, always count as
/// headline.
bool is_headline_workload(std::string_view full_name);

}  // namespace loopbench::bench
