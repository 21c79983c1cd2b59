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

    // For the waits (select, poll, epoll_wait and their variants, and io_uring_enter that asks for
    // completions): their number, how many returned nothing, and how many had a timeout of zero. Only a
    // tracer that shows arguments provides these. The result of io_uring_enter does not show what it found,
    // so its waits count as empty only if they timed out.
    std::uint64_t waits = 0;
    std::uint64_t empty_waits = 0;
    std::uint64_t zero_timeout_waits = 0;

    std::uint64_t total() const noexcept;
};

/// An error: a tracer's output is incomplete. The file system was full, events were lost, or it is no such
/// record; what() says how this was detected. Half a record looks like less work, and two halves of equal
/// length look like none, so nothing may be counted from it.
class incomplete_record : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

/// Reads the log of `strace -f -o FILE`: a line for each call, "PID name(arguments) = result"; a call that
/// another thread interrupts takes two lines and counts once. Ignores lines that are not calls (signals,
/// exits). Throws incomplete_record if a line has another form, or if the process's end is missing.
system_calls read_strace_log(std::string_view log);

/// Reads the file of `perf trace -s -o FILE`: a table for each thread, whose rows begin with a name and a
/// number of calls. It has no waits. Throws incomplete_record if perf reports lost events, if a table has
/// fewer events than its header, or if the headers' percentages show that tables are missing.
system_calls read_perf_trace(std::string_view file);

}  // namespace loopbench::bench
