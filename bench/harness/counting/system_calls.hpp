// The system calls of a process, read from the output of tracers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

struct system_calls {
    std::map<std::string, std::uint64_t, std::less<>> by_name;

    // The number of all waits, the number of waits that returned no event, and the number of waits with a
    // timeout of zero. Waits are select, poll, epoll_wait and their variants, and each io_uring_enter that
    // asks for completions. Only strace provides these three numbers, because only strace shows arguments.
    // The result of io_uring_enter does not contain the number of completions. Therefore a wait in
    // io_uring_enter counts as empty only if the wait timed out.
    std::uint64_t waits = 0;
    std::uint64_t empty_waits = 0;
    std::uint64_t zero_timeout_waits = 0;

    std::uint64_t total() const noexcept;
};

/// The exception that is thrown if a tracer's output is incomplete. Possible causes are a full file system,
/// lost events, or a file in another format; what() states the symptom. Incomplete output must not be
/// counted, because it contains too few calls. For example, two outputs that are cut to the same length would
/// give zero calls per operation.
class incomplete_record : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

/// Reads the log of `strace -f -o FILE`, which has one line per call: "PID name(arguments) = result". A call
/// that another thread interrupts has two lines, but is counted once. Ignores the lines for signals and
/// exits. Throws incomplete_record if any other line is not a call, or if the end of the process is missing.
system_calls read_strace_log(std::string_view log);

/// Reads the file of `perf trace -s -o FILE`: a table for each thread. Each row begins with the name of a
/// system call and the number of calls. The result contains no waits. Throws incomplete_record if perf
/// reports lost events, if the tables do not have as many events as their headers state, or if the headers'
/// percentages show that tables are missing.
system_calls read_perf_trace(std::string_view file);

}  // namespace loopbench::bench
