// The suite's workloads: what each does and what there is to know of it, whatever runs it. Contenders, floors
// and the command line read it; it is said at the end of the headers beside this one. Adding a workload is
// such a header, and its name in CMakeLists.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "bench/workloads/trial/trial.hpp"
#include "reports/words.hpp"

namespace loopbench::bench {

/// What a workload needs of who runs it, beyond the Runtime concept. Who has not got it, says why.
enum class need : std::uint8_t {
    call_timers = 1,         // call_at(): bench/runtime.hpp, CallTimers
    unix_sockets = 2,        // bench/runtime.hpp, UnixSockets
    pipes = 4,               // bench/runtime.hpp, Pipes
    many_turns = 8,          // it suspends often, one thing after the other
    timers_while_busy = 16,  // timers are looked at although something is always ready
    scheduler = 32,          // a queue of coroutines or functions: there is no system call in it
    timer_queue = 64,        // a queue of very many timers
    other_threads = 128,     // post_from_any_thread(), from another one
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

/// Whose pace a workload goes at. Where requests come on a schedule, `time` is the schedule's, whoever serves
/// them.
enum class pace : std::uint8_t {
    its_own,      // the next operation begins as soon as the contender can
    own_load,     // a schedule of so many per cent of its own capacity: who is faster is given more to do
    same_for_all  // a schedule that is the same for every contender
};

struct workload_shape {
    std::string_view name;  // full name: family/name[/word]...[/key:value]...

    // How many operations one trial does. Both 0: as many as fill the time that the contender is given.
    std::uint64_t smoke_operations = 0;
    std::uint64_t real_operations = 0;

    bool throughput = true;  // operations per second say something, and twice as many take twice the time
    std::size_t open_files = 100;  // how many descriptors a process needs for it
    needs needed = {};
    bool headline = false;  // measured without being asked for
    reports::way made =
        reports::way::apart;  // turns: what keeps a core busy, and can stop after some milliseconds
    int cores = 1;            // 2: it has a second thread or process that works beside the first

    /// Whether twice the operations are twice the system calls; not of what works at full speed for a time,
    /// however slow a tracer makes it.
    bool countable = true;
    /// How many operations one trial may do at the most. A closed connection keeps its port for a minute
    /// (TIME_WAIT), and with over half of the 28,000 taken, the kernel's search for a free one takes longer
    /// than what is measured.
    std::uint64_t most_operations = std::numeric_limits<std::uint64_t>::max();
    pace paced = pace::its_own;

    /// How many of the latencies that the workload records run at the same time (the connections of an echo);
    /// 0 where it records none, or where the number is open. The latencies of one connection do not overlap, so
    /// that their sum over the timed section is at most this many times its length (Little's law).
    double in_flight = 0;
    /// How many operations one latency is of: all children of a gather, for example.
    std::uint64_t operations_per_latency = 1;
    /// The least share of the timed section in which they are in flight. Round trips are all the time, but for
    /// the beginning and the end of a part.
    double least_in_flight = 0.5;

    /// The shape with these latencies, for the lists of workloads.
    constexpr workload_shape with_latencies(double at_once, std::uint64_t operations_each = 1,
                                            double least = 0.5) const {
        workload_shape shape = *this;
        shape.in_flight = at_once;
        shape.operations_per_latency = operations_each;
        shape.least_in_flight = least;
        return shape;
    }

    bool calibrated() const noexcept { return real_operations == 0; }
    std::uint64_t operations(trial_size size) const noexcept {
        return size == trial_size::smoke ? smoke_operations : real_operations;
    }
};

struct workload_info {
    std::string_view name;  // full name, or its front up to the parameters ("echo/rtt/tcp")
    std::span<const std::string_view> headline_metrics;  // what it is about, the first of them above all
    std::string_view summary;                            // one line: what one operation is
    std::string_view timed;      // what is inside of the timed section, what is not, and what is proved
    std::string_view dominated;  // what the time is expected to go to, and what a difference means
};

/// Every workload, in the order in which they are listed and reported.
std::span<const workload_shape> workload_table();
std::span<const workload_info> workload_catalog();

/// Null when there is none of this full name.
const workload_shape* find_shape(std::string_view full_name);

/// Whose pace the workload with this full name goes at; a stranger's, of which the catalog knows nothing, at
/// its own.
pace pace_of(std::string_view full_name);

/// All that contenders whose load was a share of this can be compared in.
inline constexpr std::string_view capacity_metric = "capacity";

/// Why a metric says nothing of one contender beside another on the workload with this full name, whatever
/// was measured; empty where it says something.
std::string_view why_incomparable(std::string_view full_name, std::string_view metric);

/// What the catalog says of the workload with this full name; null when it does not know it.
const workload_info* find_workload(std::string_view full_name);

/// Whether a run measures the workload with this full name when no workload is named: twelve do for a minute.
/// A workload that the catalog does not know is headline, so that a stranger's contender is shown.
bool is_headline_workload(std::string_view full_name);

}  // namespace loopbench::bench
