// Runs one contender: a child in its own process group, with captured output, a time limit and its resource
// usage. The engine knows nothing else about contenders.
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
    std::vector<std::string> command;  // [0] is the path of the executable; no PATH search
    std::string called;                // argv[0], if it is not the path
    std::vector<std::pair<std::string, std::string>> environment;   // set in addition to ours
    std::optional<int> cpu;                                         // run only on this CPU
    std::vector<int> inherited = {};                                // descriptors of ours that it inherits
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};       // then the group is killed
    std::size_t output_bytes_max = std::size_t{64} << 20U;          // more than this, and the group is killed
    std::size_t error_tail_bytes = 4096;                            // how much of standard error is kept
    std::chrono::milliseconds longest_wait{std::chrono::hours{1}};  // before the clock is checked again
    int stop_fd = -1;  // when it becomes readable, the group is killed; -1: never
};

enum class child_end {
    exited,       // code is the exit code
    signalled,    // code is the signal
    not_started,  // code is the errno value of the start
    timed_out,
    flooded,         // printed more than output_bytes_max
    stopped,         // by stop_fd
    kept_slice,      // slices.hpp: it did not end its slice in time
    broke_protocol,  // slices.hpp: it wrote a line that this protocol does not have
};

/// The resources, as wait4 reports them, of the child and of the descendants that it waited for.
struct resource_usage {
    std::int64_t user_ns = 0;
    std::int64_t system_ns = 0;
    std::int64_t rss_max_bytes = 0;  // its parent's, if larger (bench/suite/recording/memory.hpp)
    std::int64_t switches_voluntary = 0;
    std::int64_t switches_involuntary = 0;
    std::int64_t run_delay_ns = 0;  // time in which its main thread was ready and waited for a CPU
};

struct child_outcome {
    child_end end = child_end::exited;
    int code = 0;
    std::string output;      // standard output
    std::string error_tail;  // the end of standard error
    resource_usage usage;
    std::chrono::nanoseconds wall{0};  // from before the start to the end
    int group = 0;                     // its process group, which has ended
};

/// Runs the command to its end; standard input is /dev/null. When this returns or throws, no process of the
/// child's group is left; if the caller dies first, the kernel kills the child. A descendant that leaves the
/// group (setsid) is not followed, and its resources are not counted (orphans.hpp). Call it only from the
/// main thread, because a child dies with the thread that made it. Throws std::system_error if pipes or
/// processes run out.
child_outcome run_child(const child_request& request);

/// Runs several commands at once until all have ended; `limit` is for all together. It serves concurrent
/// pairing of programs that do not know slices.hpp: on the one core that their requests name, the kernel's
/// scheduler switches between them every few milliseconds, and each program's CPU time is compared. Two
/// limits: CPU time does not contain waiting (the summary warns if one side waits more than another), and the
/// scheduler's slices have no untimed beginning, so both sides pay for their neighbours' use of the caches.
/// That is some per cent of the time of a program that uses much cache, and moves the ratio as much towards
/// 1. Calls `ended` for each command when it ends.
std::vector<child_outcome> run_together(
    std::span<const child_request> requests, std::chrono::nanoseconds limit, int stop_fd,
    const std::function<void(std::size_t, const child_outcome&)>& ended = {});

}  // namespace loopbench::bench
