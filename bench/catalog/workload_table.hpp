// The catalog of workloads: the purpose and the properties of each workload, independent of the runtime.
// Contenders, floors and the command line use the catalog. Each header in bench/suite/workloads ends with the
// catalog's entries for one family of workloads. To add a family, add a header to that folder, and its name
// to the list in bench/catalog/CMakeLists.txt.
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

/// A feature that a workload needs beyond the Runtime concept. A contender without the feature does not run
/// the workload, and reports the reason.
enum class need : std::uint8_t {
    call_timers = 1,         // call_at(); see CallTimers in bench/suite/runtime.hpp
    unix_sockets = 2,        // see UnixSockets in bench/suite/runtime.hpp
    pipes = 4,               // see Pipes in bench/suite/runtime.hpp
    many_turns = 8,          // the workload suspends many times in sequence
    timers_while_busy = 16,  // the loop must check timers even while something is always ready
    scheduler = 32,          // a queue of coroutines or functions; the workload makes no system call
    timer_queue = 64,        // a queue of very many timers
    other_threads = 128,     // post_from_any_thread(), called from another thread
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

/// The rule that determines when the next operation of a workload begins. If requests follow a schedule, the
/// metric `time` depends only on the schedule and not on the contender.
enum class pace : std::uint8_t {
    its_own,      // as soon as the contender is ready
    own_load,     // at a rate that is a percentage of the contender's own capacity
    same_for_all  // on a schedule that is the same for every contender
};

struct workload_shape {
    std::string_view name;  // the full name: family/name[/word]...[/key:value]...

    // The number of operations in one trial. If both numbers are 0, the contender does as many operations as
    // fit into the time that the harness gives it.
    std::uint64_t small_operations = 0;
    std::uint64_t full_operations = 0;

    bool throughput = true;        // true if the time is proportional to the number of operations
    std::size_t open_files = 100;  // number of descriptors that a process needs
    needs needed = {};
    bool headline = false;  // true if a run measures the workload by default
    reports::pairing made = reports::pairing::
        sequential;  // `interleaved` if the workload keeps a core busy and can stop within milliseconds
    int cores = 1;   // 2 if two threads or processes work at the same time

    /// True if doubling the number of operations doubles the number of system calls. False for a workload
    /// that runs for a fixed time, because a tracer slows it down and thereby reduces the number of calls.
    bool countable = true;
    /// The largest number of operations in one trial. A closed connection keeps its port for a minute
    /// (TIME_WAIT). When over half of the 28,000 ports are in use, the kernel's search for a free port takes
    /// longer than the measured work.
    std::uint64_t most_operations = std::numeric_limits<std::uint64_t>::max();
    pace paced = pace::its_own;

    /// The number of recorded latencies that overlap in time; an echo has one latency per connection at a
    /// time. The value is 0 if the workload records no latencies, or if the number is not fixed. The
    /// latencies of one connection do not overlap. The sum of all latencies is therefore at most this number
    /// times the length of the timed section (Little's law).
    double in_flight = 0;
    /// The number of operations that one latency covers, for example all children of a gather.
    std::uint64_t operations_per_latency = 1;
    /// The smallest possible ratio of the sum of all latencies to `in_flight` times the length of the timed
    /// section. With a single connection, a round trip is in flight almost all the time. With many
    /// connections, the ratio is smaller, because some connections have finished their round trips while
    /// others are still busy.
    double least_in_flight = 0;

    /// Returns a copy of this shape with these values of in_flight, operations_per_latency and
    /// least_in_flight. Without `least`, sets least_in_flight to a default.
    constexpr workload_shape with_latencies(double at_once, std::uint64_t operations_each = 1,
                                            std::optional<double> least = {}) const {
        workload_shape shape = *this;
        shape.in_flight = at_once;
        shape.operations_per_latency = operations_each;
        shape.least_in_flight = least.value_or(at_once == 1 ? 0.7 : 0.35);
        return shape;
    }

    /// Returns the pairing of the workload's trials. Work without system calls is interleaved only between
    /// builds of one program. For different programs, interleaved times differ from sequential times by up to
    /// 26 %, and interleaved ratios from sequential ratios by up to 47 % (docs/method.md). Interleaved
    /// processes take caches and branch predictors away from each other, which slows some programs down more
    /// than others.
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
    std::string_view timed;      // what is timed, what is not timed, and how the work is checked
    std::string_view dominated;  // where most of the time is spent, and what a difference means
};

/// Returns all workloads, in the order of lists and reports.
std::span<const workload_shape> workload_table();
std::span<const workload_info> workload_catalog();

/// Returns the shape of the workload with this full name, or null for an unknown name.
const workload_shape* find_shape(std::string_view full_name);

/// Returns the pace of the workload with this full name. Returns pace::its_own for a name that the catalog
/// does not contain.
pace pace_of(std::string_view full_name);

/// The only metric that can compare contenders whose load was a percentage of their own capacity.
inline constexpr std::string_view capacity_metric = "capacity";

/// Returns the reason why a metric cannot compare two contenders on the workload with this full name,
/// regardless of the measured values. Returns an empty text if the metric can compare them.
std::string_view why_incomparable(std::string_view full_name, std::string_view metric);

/// Returns the catalog's entry for the workload with this full name, or null for an unknown name.
const workload_info* find_workload(std::string_view full_name);

/// Returns true if a run measures this workload when the user names no workload. There are twelve such
/// workloads, because a run of them must fit into a minute. A workload that the catalog does not contain
/// counts as headline, so that third-party results are shown.
bool is_headline_workload(std::string_view full_name);

}  // namespace loopbench::bench
