#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

struct system_calls {
    std::map<std::string, std::uint64_t, std::less<>> by_name;

    // The numbers of all waits, of waits that returned no event, and of waits with a timeout of zero. Waits
    // are select, poll, epoll_wait and their variants, and each io_uring_enter that asks for completions.
    // Only strace provides these numbers. A wait in io_uring_enter counts as empty only if it timed out,
    // because its result does not contain the number of completions.
    std::uint64_t waits = 0;
    std::uint64_t empty_waits = 0;
    std::uint64_t zero_timeout_waits = 0;

    std::uint64_t total() const noexcept;
};

/// The error for incomplete output of a tracer. Such output must not be counted: if a full file system cut
/// two outputs to the same length, the result would be zero calls per operation.
class incomplete_record : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

/// Parses lines like "PID name(arguments) = result". A call that another thread interrupts has two lines, but
/// is counted once. Throws incomplete_record if a line is neither a call, a signal nor an exit, or if the end
/// of the process is missing.
system_calls read_strace_log(std::string_view log);

/// The arguments of perf that precede the path of the record for read_perf_trace(). Without --sort-events,
/// perf reads the buffer of one CPU after the other. If it reads the first calls of a process or thread
/// before the record of its start, it forgets these calls (perf 6.1, machine__process_fork_event).
inline constexpr std::array<const char*, 4> perf_trace_arguments{"trace", "--sort-events", "-s", "-o"};

/// Parses the output of perf, which contains one table for each thread. A row begins with the name of a
/// system call and the number of its calls. The waits in the result are 0, because perf shows no arguments.
/// Throws incomplete_record if perf lost events or if the tables do not match their headers.
system_calls read_perf_trace(std::string_view file);

}  // namespace loopbench::bench
