// The catalog of workloads: what each does, and its properties, independent of the runtime. Contenders,
// floors and the command line read it. The headers beside this one end with its entries: to add a workload,
// add such a header and its name in CMakeLists.txt.
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

/// A feature that a workload needs beyond the Runtime concept. A contender without it reports why.
enum class need : std::uint8_t {
    call_timers = 1,         // call_at(): bench/suite/runtime.hpp, CallTimers
    unix_sockets = 2,        // bench/suite/runtime.hpp, UnixSockets
    pipes = 4,               // bench/suite/runtime.hpp, Pipes
    many_turns = 8,          // it suspends often, one thing after the other
    timers_while_busy = 16,  // timers are checked even while something is always ready
    scheduler = 32,          // a queue of coroutines or functions; the workload makes no system call
    timer_queue = 64,        // a queue of very many timers
    other_threads = 128,     // post_from_any_thread(), called from another thread
};

class needs {
public:
    constexpr needs() = default;
    constexpr needs(need one) noexcept
        : bits_(static_cast<std::uint8_t>(one)) {}  // NOLINT: it is a set of one
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

/// The speed at which a workload runs. If requests come on a schedule, `time` is the schedule's, for every
/// server.
enum class pace : std::uint8_t {
    its_own,      // the next operation begins as soon as the contender is ready
    own_load,     // a schedule at a percentage of its own capacity: a faster contender gets more work
    same_for_all  // a schedule that is the same for every contender
};

struct workload_shape {
    std::string_view name;  // full name: family/name[/word]...[/key:value]...

    // The number of operations in one trial. If both are 0, the contender fills the time that it is given.
    std::uint64_t small_operations = 0;
    std::uint64_t full_operations = 0;

    bool throughput = true;  // operations per second are meaningful, and twice as many take twice the time
    std::size_t open_files = 100;  // how many descriptors a process needs
    needs needed = {};
    bool headline = false;  // measured by default
    reports::pairing made = reports::pairing::
        sequential;  // pairing::interleaved if it keeps a core busy and can stop within milliseconds
    int cores = 1;   // 2: a second thread or process works beside the first

    /// True if twice the operations make twice the system calls. False for a workload that works at full
    /// speed for a fixed time, however slow a tracer makes it.
    bool countable = true;
    /// The largest number of operations in one trial. A closed connection keeps its port for a minute
    /// (TIME_WAIT); once over half of the 28,000 ports are taken, the kernel's search for a free one takes
    /// longer than the measured work.
    std::uint64_t most_operations = std::numeric_limits<std::uint64_t>::max();
    pace paced = pace::its_own;

    /// The number of recorded latencies that run at the same time (the connections of an echo); 0 if the
    /// workload records none, or if the number is not fixed. The latencies of one connection do not overlap,
    /// so their sum is at most this number times the length of the timed section (Little's law).
    double in_flight = 0;
    /// The number of operations that one latency covers: all children of a gather, for example.
    std::uint64_t operations_per_latency = 1;
    /// The smallest share of the timed section in which latencies are in flight. One connection always has a
    /// round trip in flight; of many, some have ended their rounds while a part still waits for the others.
    double least_in_flight = 0;

    /// Returns the shape with these latencies, for the lists of workloads.
    constexpr workload_shape with_latencies(double at_once, std::uint64_t operations_each = 1,
                                            std::optional<double> least = {}) const {
        workload_shape shape = *this;
        shape.in_flight = at_once;
        shape.operations_per_latency = operations_each;
        shape.least_in_flight = least.value_or(at_once == 1 ? 0.7 : 0.35);
        return shape;
    }

    /// The pairing of its trials. Work without system calls is interleaved only between builds of one
    /// program: across different programs, interleaved times and ratios differ from sequential ones by up to
    /// 26 and 47 % (docs/method.md). Caches and branch predictors treat a process that runs alone in another
    /// way, and not every program alike.
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
    std::span<const std::string_view> primary_metrics;  // the primary metrics, the most important one first
    std::string_view summary;                           // one line: what one operation is
    std::string_view timed;      // what is inside the timed section, what is not, and what is proved
    std::string_view dominated;  // where the time is expected to go, and what a difference means
};

/// Every workload, in the order in which they are listed and reported.
std::span<const workload_shape> workload_table();
std::span<const workload_info> workload_catalog();

/// Returns null if no workload has this full name.
const workload_shape* find_shape(std::string_view full_name);

/// Returns the pace of the workload with this full name; its own pace for a workload that the catalog does
/// not know.
pace pace_of(std::string_view full_name);

/// The only metric in which contenders can be compared whose load was a percentage of their capacity.
inline constexpr std::string_view capacity_metric = "capacity";

/// Returns why a metric cannot compare two contenders on the workload with this full name, whatever was
/// measured; empty if it can.
std::string_view why_incomparable(std::string_view full_name, std::string_view metric);

/// Returns the catalog's entry for the workload with this full name; null if it is unknown.
const workload_info* find_workload(std::string_view full_name);

/// Returns true if a run measures this workload when the user names no workload: twelve fit into a minute. A
/// workload that the catalog does not know is headline, so that a third-party contender's results are shown.
bool is_headline_workload(std::string_view full_name);

}  // namespace loopbench::bench
