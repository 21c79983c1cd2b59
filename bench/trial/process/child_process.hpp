// Runs one contender: a child in a process group of its own, with its output caught, its time limited and its
// resource usage taken. The engine knows nothing else about contenders.
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
    std::string called;                // argv[0], when it is not the path
    std::vector<std::pair<std::string, std::string>> environment;   // set on top of ours
    std::optional<int> cpu;                                         // run on this one alone
    std::vector<int> inherited = {};                                // descriptors of ours that it gets, too
    std::chrono::nanoseconds limit{std::chrono::seconds{60}};       // then the group is killed
    std::size_t output_bytes_max = std::size_t{64} << 20U;          // more than this, and the group is killed
    std::size_t error_tail_bytes = 4096;                            // how much of standard error is kept
    std::chrono::milliseconds longest_wait{std::chrono::hours{1}};  // before the clock is looked at again
    int stop_fd = -1;  // when it becomes readable the group is killed; -1: never
};

enum class child_end {
    exited,       // code is the exit code
    signalled,    // code is the signal
    not_started,  // code is the errno value of the start
    timed_out,
    flooded,         // printed more than output_bytes_max
    stopped,         // by stop_fd
    kept_turn,       // turns.hpp: it did not give its turn back
    broke_protocol,  // turns.hpp: what it wrote is no line of that protocol
};

/// What wait4 reports of the child and the descendants that it waited for.
struct resource_usage {
    std::int64_t user_ns = 0;
    std::int64_t system_ns = 0;
    std::int64_t rss_max_bytes = 0;  // or its parent's, if that is more (bench/metrics/memory.hpp)
    std::int64_t switches_voluntary = 0;
    std::int64_t switches_involuntary = 0;
    std::int64_t run_delay_ns = 0;  // its main thread could have run, and had to wait for a CPU
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

/// Runs the command to its end; standard input is /dev/null. When it returns or throws, nothing of the
/// child's process group is left, and should the caller die first, the kernel kills the child. A descendant
/// that leaves the group (setsid) is not followed, and nothing of it is counted (left_behind.hpp). Only to be
/// called from the main thread: a child dies with the thread that made it. Throws std::system_error
/// when pipes or processes run out.
child_outcome run_child(const child_request& request);

/// The same of several at once, until all have ended; `limit` is for all together. Of programs that know
/// nothing of turns (turns.hpp), on the one core that their requests say, the kernel's scheduler takes turns
/// between them, some milliseconds long, and what is judged is the CPU time of each. The limits of that: what
/// is waited for is not in that time (the summary warns when one side waits more than another), and nothing
/// at the beginning of the scheduler's turns is left out, so that both sides pay for what their neighbours do
/// to the caches: some per cent of the time of a program that uses much of them, and a ratio that much nearer
/// to 1. `ended` is called for each as it ends.
std::vector<child_outcome> run_together(
    std::span<const child_request> requests, std::chrono::nanoseconds limit, int stop_fd,
    const std::function<void(std::size_t, const child_outcome&)>& ended = {});

}  // namespace loopbench::bench
