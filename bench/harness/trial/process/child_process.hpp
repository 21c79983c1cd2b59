#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace loopbench::bench {

struct child_request {
    std::vector<std::string> command;  // [0] is the executable's path; PATH is not searched
    std::vector<std::pair<std::string, std::string>> environment;  // added to the parent's variables
    std::string folder = {};  // the working directory; empty: that of the parent
    std::optional<int> cpu;
    std::vector<int> inherited = {};                           // descriptors that the child inherits
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};  // after this time, the group is killed
    std::size_t output_bytes_max = std::size_t{64} << 20U;     // after more output, the group is killed
    std::size_t error_tail_bytes = 16384;
    // The maximum time between two checks of `limit`.
    std::chrono::milliseconds longest_wait{std::chrono::hours{1}};
    int stop_fd = -1;  // when it becomes readable, the group is killed; -1: never
};

enum class child_end {
    exited,
    signalled,
    not_started,  // code is the errno value of the start
    timed_out,
    flooded,  // printed more than output_bytes_max
    stopped,
    kept_slice,      // did not end its slice in time (slices.hpp)
    broke_protocol,  // wrote a line that violates the protocol of slices
};

/// The resource usage of the child and of the descendants that the child waited for, as wait4(2) reports it.
struct resource_usage {
    std::int64_t user_ns = 0;
    std::int64_t system_ns = 0;
    std::int64_t rss_max_bytes = 0;  // at least the size of the parent (bench/suite/recording/memory.hpp)
    std::int64_t switches_voluntary = 0;
    std::int64_t switches_involuntary = 0;
    std::int64_t run_delay_ns = 0;  // time in which the ready main thread waited for a CPU
    /// The CPU time of all threads except the main thread, or 0 if it is unknown. If the child had children,
    /// it can be two ticks too small. Journals do not contain it.
    std::int64_t other_threads_ns = 0;
};

struct child_outcome {
    child_end end = child_end::exited;
    int code = 0;
    std::string output;
    std::string error_tail;
    resource_usage usage;
    std::chrono::nanoseconds wall{0};  // from before the start to after the end
    int group = 0;
};

/// Runs the command, and leaves no process of the child's group. If the calling process dies first, the
/// kernel kills the child. A descendant that leaves the group (setsid(2)) continues to run, and its resource
/// usage is not counted (see orphans.hpp). Must be called from the main thread, because a child dies with the
/// thread that started it. Throws std::system_error if pipes or processes cannot be created.
child_outcome run_child(const child_request& request);

/// Runs all commands at once. `limit` is their common time limit. Calls `ended` with the index and the
/// outcome of each command that has ended.
///
/// Implements the concurrent pairing, for programs that do not support slices (slices.hpp). All requests name
/// the same core, and the report compares CPU times, which do not include waiting. The kernel's own time
/// slices have no untimed part in which a program could refill the cache. Therefore the CPU times of programs
/// that use much cache include some per cent for refilling it, and their ratio moves towards 1 by about that
/// percentage.
std::vector<child_outcome> run_together(
    std::span<const child_request> requests, std::chrono::nanoseconds limit, int stop_fd,
    const std::function<void(std::size_t, const child_outcome&)>& ended = {});

}  // namespace loopbench::bench
