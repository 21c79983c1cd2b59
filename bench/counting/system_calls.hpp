// What a process asked of the kernel, read from what tracers write.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "reports/formatted_error.hpp"

namespace loopbench::bench {

struct system_calls {
    std::map<std::string, std::uint64_t, std::less<>> by_name;

    // Of the waits (select, poll, epoll_wait and their variants, and io_uring_enter that asks for
    // completions): how many there were, how many ended with nothing, and how many were not allowed to wait.
    // Only a tracer that shows arguments knows them. What io_uring_enter found cannot be seen from its
    // result, so its waits are empty only when they timed out.
    std::uint64_t waits = 0;
    std::uint64_t empty_waits = 0;
    std::uint64_t zero_timeout_waits = 0;

    std::uint64_t total() const noexcept;
};

/// What a tracer wrote is not the whole of what the process did: the file system was full, events were lost,
/// or it is no such record at all. what() says how that is seen. Half a record looks like less work, and two
/// halves of the same length like none at all, so that nothing may be counted from it.
class incomplete_record : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

/// The log of `strace -f -o FILE`: a line for each call, "PID name(arguments) = result"; a call that another
/// thread interrupts is in two lines and counts once. What is no call (signals, exits) is passed over. Throws
/// incomplete_record where a line is anything else, or the process's end is not in it.
system_calls read_strace_log(std::string_view log);

/// The file of `perf trace -s -o FILE`: a table for each thread, whose rows begin with a name and a number of
/// calls. It has no waits. Throws incomplete_record when perf says that it lost events, or the tables have
/// fewer than the headers above them say, or there are fewer tables than these say in percent.
system_calls read_perf_trace(std::string_view file);

}  // namespace loopbench::bench
