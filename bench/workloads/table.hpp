// The visible table of the suite's workloads: what there is to know of each, whatever runs it. Contenders,
// floors, the catalog and the command line read it. Adding a workload is a function in a header beside this
// one, a line in table.cpp, and a line in list.hpp that names the function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "bench/workloads/trial.hpp"
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
        reports::way::apart;  // turns: what keeps a core busy, and can stop after a millisecond
    int cores = 1;            // 2: it has a second thread or process that works beside the first

    /// Whether twice the operations are twice the system calls; not of what works at full speed for a time,
    /// however slow a tracer makes it.
    bool countable = true;
    /// How many operations one trial may do at the most. A closed connection keeps its port for a minute
    /// (TIME_WAIT), and with over half of the 28,000 taken, the kernel's search for a free one takes longer
    /// than what is measured.
    std::uint64_t most_operations = std::numeric_limits<std::uint64_t>::max();

    bool calibrated() const noexcept { return real_operations == 0; }
    std::uint64_t operations(trial_size size) const noexcept {
        return size == trial_size::smoke ? smoke_operations : real_operations;
    }
};

/// Every workload, in the order of the catalog.
std::span<const workload_shape> workload_table() noexcept;

/// Null when there is none of this full name.
const workload_shape* find_shape(std::string_view full_name) noexcept;

}  // namespace loopbench::bench
